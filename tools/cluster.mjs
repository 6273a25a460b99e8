import { prepare } from './lib/prepare.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/** `npm run cluster`: installs and builds what is missing, then runs the production topology until Ctrl-C. */
const { bold, fail, say } = createTerminal();
say(`\n  ${bold('agent-marketplace, the production topology')}\n`);
await prepare();
const { tsImport } = await import('tsx/esm/api');
const { main } = await tsImport('../ops/cluster/main.ts', import.meta.url);
await main().catch((error) => fail(error.message));
