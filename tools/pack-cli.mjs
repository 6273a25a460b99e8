import { packCli } from './lib/cli-package.mjs';
import { checkNode } from './lib/prepare.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/** `npm run pack:cli`: the installable command, dist/downloads/agent-marketplace-cli.tgz. */
checkNode();
const { fail, step } = createTerminal();
await step('command line', () => packCli()).catch((error) => fail(error.message));
