import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './lib/prepare.mjs';
import { ended } from './lib/run.mjs';
import { fail, step } from './lib/terminal.mjs';

/**
 * `npm test [-- jest's arguments]`: prepares the clone like `npm start` does, then runs every jest project. Ends with
 * jest's own summary and exit code. `--crash` (`npm run test:crash`) runs the campaign alone: what kills, races and
 * storms, ten rounds of each kill and every storm in its full size.
 */
const args = process.argv.slice(2);
if (args.includes('--crash')) {
  process.env.CRASH_ROUNDS ??= '10';
  const campaign = 'crash|storm|mixture|duplicates|agent-names|ledger-properties';
  const projects = ['--selectProjects', 'e2e', 'integration'];
  args.splice(args.indexOf('--crash'), 1, ...projects, '--testPathPatterns', campaign);
}
await prepare();
await findTemporal().catch((error) => fail(error.message));
const node = (...args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
const jest = node(join(root, 'node_modules/jest/bin/jest.js'), ...args);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
const code = await ended(jest);
await ended(node('--import', 'tsx', join(root, 'test/support/stop-idle-stack.ts')));
process.exit(typeof code === 'number' ? code : 1);

/** Looked for here and not in jest, so that a long build shows its progress. */
async function findTemporal() {
  const { default: runtime } = await import(
    pathToFileURL(join(root, 'dist/runtime/temporal/temporal-binary.js')).href
  );
  await step('temporal', async (detail) => {
    await runtime.findTemporalBinary(detail);
  });
}
