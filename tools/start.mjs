import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './lib/prepare.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/** `npm start`: installs and builds what is missing, then runs the whole marketplace until Ctrl-C. Needs no package. */
const USAGE = `Usage: npm start

Installs and builds what is missing, then runs the whole marketplace on this machine until Ctrl-C: Postgres, Temporal
with its UI, the API, the worker and demonstration agents.

  npm start -- --payments the same, with a sandbox of payments: a local chain for x402, and Stripe
  npm run dev             the same, and restarts the API and the worker when a source changes
  npx market --help       the command line, while it runs
  docs/tutorials/run-it.md   ports, folders and settings
`;
const OPTIONS = ['--watch', '--payments'];

const { bold, fail, say } = createTerminal();
const [, , ...words] = process.argv;
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const unknown = words.find((word) => !OPTIONS.includes(word));
if (unknown !== undefined)
  fail(`unknown argument: ${unknown}`, 'npm start takes --payments; npm start -- --help says what it does.');
say(`\n  ${bold('agent-marketplace')}\n`);
await prepare();
const { default: runtime } = await import(pathToFileURL(join(root, 'dist/runtime/main.js')).href);
await runtime.main().catch((error) => fail(error.message));
