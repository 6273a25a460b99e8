import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { changedFiles, needsBuild, testsFor } from './lib/changed-tests.mjs';
import { getChromium } from './lib/get-chromium.mjs';
import { prepare, root } from './lib/prepare.mjs';
import { ended } from './lib/run.mjs';
import { runWithTriesInCi } from './lib/tries-in-ci.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/**
 * `npm test [-- jest's arguments]`: prepares the clone like `npm start` does, then runs every jest project. Ends with
 * jest's own summary and exit code. `--crash` (`npm run test:crash`) runs the campaign alone: what kills, races and
 * storms, ten rounds of each kill and every storm in its full size. `--changed` (`npm run test:changed`) runs the tests
 * closest to what differs from main, and keeps the stack for the next time. `--long` (`npm run test:long`) runs the
 * tests of test/long, which `npm test` leaves out (test/long/README.md).
 */
const { fail, notice, say, step } = createTerminal();
const args = process.argv.slice(2);
if (args.includes('--crash')) {
  process.env.LONG_TESTS = '1';
  process.env.CRASH_ROUNDS ??= '10';
  const campaign = 'crash|storm|mixture|duplicates|agent-names|ledger-properties|fairness|loaded-market';
  const projects = ['--selectProjects', 'e2e', 'integration', 'long'];
  args.splice(args.indexOf('--crash'), 1, ...projects, '--testPathPatterns', campaign);
}
if (args.includes('--long')) {
  process.env.LONG_TESTS = '1';
  args.splice(args.indexOf('--long'), 1, '--selectProjects', 'long');
}
// While the service is compiled.
const chromium = getChromium();
if (args.includes('--changed')) await chooseTests();
else await prepare();
await findTemporal().catch((error) => fail(error.message));
const leftOut = await chromium;
if (leftOut) notice(leftOut);
const node = (...args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
// The engine's library panics harmlessly in threads of workers that were stopped; a stack each would bury the failures.
process.env.RUST_BACKTRACE = '0';
let jest;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest?.kill(signal));
const runJest = (jestArgs) => {
  jest = node(join(root, 'node_modules/jest/bin/jest.js'), ...jestArgs);
  return ended(jest);
};
const code = await runWithTriesInCi(runJest, args, say);
await ended(node('--import', 'tsx', join(root, 'test/support/stop-idle-stack.ts')));
process.exit(typeof code === 'number' ? code : 1);

/** Puts the tests of what changed into jest's arguments, and builds only when they run compiled code that changed. */
async function chooseTests() {
  const files = changedFiles();
  const { tests, leftOut } = testsFor(files);
  if (tests.length === 0) {
    say('  No test is close to what differs from main.');
    process.exit(0);
  }
  if (needsBuild(files)) await prepare();
  if (leftOut > 0) say(`  ${leftOut} more test files are close to the change; \`npm test\` runs them.`);
  process.env.KEEP_TEST_STACK ??= '1';
  // Each process of jest loads the sources and starts a market before its first test.
  const processes = `--maxWorkers=${Math.max(2, availableParallelism() - 1)}`;
  args.splice(args.indexOf('--changed'), 1, processes, '--runTestsByPath', ...tests);
}

/** Looked for here and not in jest, so that a long build shows its progress. */
async function findTemporal() {
  const { default: runtime } = await import(
    pathToFileURL(join(root, 'dist/runtime/temporal/temporal-binary.js')).href
  );
  await step('temporal', async (detail) => {
    await runtime.findTemporalBinary(detail);
  });
}
