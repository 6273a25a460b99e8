/** Archives what the entry points load: `node dist/runtime/archive-modules.js`, the last step of the build. */
import { createRequire } from 'node:module';
import { MODULE_ARCHIVE, recordArchive } from '../kit/modules/module-archive';

/** The imports of `api/main.ts` and `workers/main.ts`, and all of `npm start`. */
const LOADED = [
  '../container',
  '../api/server',
  '../workers/engine-parts',
  '../workers/operations',
  '../workers/metric-figures',
  '../workers/metrics-server',
  '../workers/shutdown',
  '../workers/tracing/trace-export',
  './main',
];

const write = recordArchive(MODULE_ARCHIVE);
LOADED.forEach(createRequire(__filename));
write();
