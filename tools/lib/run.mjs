import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM'];
const INTERRUPTED = 130;

/** Runs a command with its output in a log file; fails with the end of the log. What ends this process ends it too. */
export async function runLogged(command, args, { cwd, logFile, env = process.env }) {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'w');
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', log, log],
    shell: process.platform === 'win32',
  });
  const end = () => {
    // npm goes on for long after Ctrl-C.
    child.kill('SIGKILL');
    process.exit(INTERRUPTED);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const code = await ended(child);
  for (const signal of SIGNALS) process.off(signal, end);
  closeSync(log);
  if (code === 0) return;
  const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-25).join('\n');
  throw new Error(`${[command, ...args].join(' ')} ended with ${code}\n${tail}\n  The whole log: ${logFile}`);
}

/** The exit code of a child, or the name of the signal that ended it. */
export function ended(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
}
