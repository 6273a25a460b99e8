import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './lib/prepare.mjs';
import { createTerminal } from './lib/terminal.cjs';

/** `npm run cluster`: installs and builds what is missing, then runs the production topology until Ctrl-C. */
const { bold, fail, say } = createTerminal();
say(`\n  ${bold('agent-marketplace, the production topology')}\n`);
await prepare();
const { default: runtime } = await import(pathToFileURL(join(root, 'dist/runtime/cluster/main.js')).href);
await runtime.main().catch((error) => fail(error.message));
