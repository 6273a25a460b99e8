/** Entry points import this file first. If they are compiled, the modules after it come from the archive of the build. */
import { MODULE_ARCHIVE, useArchive } from './module-archive';

if (__filename.endsWith('.js')) useArchive(MODULE_ARCHIVE);
