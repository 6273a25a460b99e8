/**
 * A process that runs `market` commands one after another, so that a command costs its work and not the start of a
 * process. Each message is `{id, args, env, input}` and gets `{id, code, stdout, stderr}`.
 */
import { Readable } from 'node:stream';
import { createProgram } from '../../../dist/cli/market.js';

/** Thrown in place of `process.exit`, which ends the command and not this process. */
class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

process.exit = (code) => {
  throw new Exit(code);
};

async function runCommand({ args, env, input }) {
  process.env = { ...env };
  process.argv = [process.execPath, 'market', ...args];
  process.exitCode = undefined;
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    process[name].write = (chunk) => {
      printed[name] += String(chunk);
      return true;
    };
  try {
    const program = await createProgram(args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof Exit)) printed.stderr += `${error.stack}\n`;
    process.exitCode = error instanceof Exit ? error.code : 1;
  }
  return { code: process.exitCode ?? 0, ...printed };
}

let last = Promise.resolve();
process.on('message', ({ id, ...command }) => {
  last = last.then(async () => process.send({ id, ...(await runCommand(command)) }));
});
