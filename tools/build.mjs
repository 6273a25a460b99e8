import { build, checkNode } from './lib/prepare.mjs';
import { fail } from './lib/terminal.mjs';

/** `npm run build`: compiled code and the workflow bundle in dist/. */
checkNode();
await build().catch((error) => fail(error.message));
