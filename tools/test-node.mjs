import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { copyClone, installNode, MAJORS, oneInTen } from './lib/other-node.mjs';
import { ended } from './lib/run.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/**
 * `npm run test:node -- 24`: proves that a version of Node runs the product. Takes its newest release from the package
 * source, and in a copy of this clone installs the packages, builds, makes the paid call of `npm start`, and runs the
 * unit tests and a tenth of the integration tests. The copy stays in `.market/node/<major>` for the next time.
 */
const USAGE = `Usage: npm run test:node -- ${MAJORS.join(' | ')}`;
const START_MS = 900_000;
const { fail, say, step } = createTerminal();

const [major = ''] = process.argv.slice(2);
if (!MAJORS.includes(major)) fail(USAGE);
let node;
await step(`node ${major}`, async () => {
  node = await installNode(major);
  return node.version;
}).catch((error) => fail(error.message));
const clone = copyClone(major);
const env = { ...process.env, PATH: `${dirname(node.path)}${delimiter}${process.env.PATH}` };
say(`  Node ${node.version} in ${clone}`);

await start().catch((error) => fail(error.message));
const tests = oneInTen(clone);
const runs = [
  ['unit tests', ['--selectProjects', 'unit']],
  [`${tests.length} files of test/integration`, ['--runTestsByPath', ...tests]],
];
const failed = [];
for (const [name, args] of runs) {
  say(`\n  Node ${node.version}: ${name}`);
  const child = spawn(node.path, ['tools/test.mjs', ...args], { cwd: clone, env, stdio: 'inherit' });
  if ((await ended(child)) !== 0) failed.push(name);
}
say(
  failed.length > 0
    ? `\n  Node ${node.version} fails: ${failed.join(', ')}`
    : `\n  Node ${node.version} passes.`,
);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Runs `npm start`, which installs and builds, until it has made its paid call; then stops it as Ctrl-C does. */
async function start() {
  const child = spawn(node.path, ['tools/start.mjs'], {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const timer = setTimeout(() => child.kill('SIGINT'), START_MS);
  child.stdout.on('data', (text) => {
    process.stdout.write(text);
    output += text;
    if (output.includes('Try it as the buyer')) child.kill('SIGINT');
  });
  const code = await ended(child);
  clearTimeout(timer);
  if (code !== 0 || !/^ +charged \d+ credits/m.test(output)) {
    throw new Error(`npm start ended with ${code} and ${output.includes('charged') ? 'a' : 'no'} paid call`);
  }
}
