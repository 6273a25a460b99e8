import { build, checkNode } from './lib/prepare.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/** `npm run build`: compiled code and the workflow bundle in dist/. */
checkNode();
await build().catch((error) => createTerminal().fail(error.message));
