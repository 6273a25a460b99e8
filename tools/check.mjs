import { spawn } from 'node:child_process';
import { root } from './lib/prepare.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/**
 * `npm run check:static`: types, lint, imports, unused code, the build of the documentation, and what operators load.
 * Two at a time, since each uses one core; what a check prints is shown whole when it has failed. The exit code is 1
 * when one of them failed.
 */
/** The two parts of `lint`: the console has a program of types of its own. */
const CHAINS = [['lint:rest'], ['lint:console', 'typecheck', 'arch', 'knip', 'docs', 'check:ops']];
/** `.ci/run` builds the documentation with the image (`test/long/compose.test.ts`), and not a second time here. */
const ELSEWHERE = process.env.IMAGE_IS_BUILT ? ['docs'] : [];
const { say, step } = createTerminal();
const failed = [];

await Promise.all(CHAINS.map(runInTurn));
if (failed.length > 0) say(`  failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function runInTurn(names) {
  for (const name of names.filter((each) => !ELSEWHERE.includes(each))) {
    await step(name, async (detail) => {
      detail(`npm run ${name}`);
      const { code, output } = await run(name);
      if (code !== 0) {
        say(output);
        throw new Error(name);
      }
      // It says which tools are missing.
      return name === 'check:ops' ? output.trim().split('\n').join(' ') : 'clean';
    }).catch(() => failed.push(name));
  }
}

function run(name) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.once('error', (error) => resolve({ code: 1, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}
