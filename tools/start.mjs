import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './lib/prepare.mjs';
import { createTerminal } from './lib/terminal.cjs';

/** `npm start`: installs and builds what is missing, then runs the whole marketplace until Ctrl-C. Needs no package. */
const { bold, fail, say } = createTerminal();
say(`\n  ${bold('agent-marketplace')}\n`);
await prepare();
const { default: runtime } = await import(pathToFileURL(join(root, 'dist/runtime/main.js')).href);
await runtime.main().catch((error) => fail(error.message));
