import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../base/alive.cjs';
import { logExcerpt } from './log-excerpt';

/** The command line of a process, or an empty string when it cannot be read. */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    return '';
  }
}

/** Polls `condition` every `everyMs` until it is true. Returns false after `timeoutMs`. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 50,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (Date.now() > deadline) return false;
    await sleep(everyMs);
  }
}

export interface DetachedOptions {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** File to which standard output and standard error are appended. */
  logFile: string;
  cwd?: string;
  uid?: number;
  gid?: number;
}

export interface SpawnedPart {
  pid: number;
  child: ChildProcess;
  /** Length of the log before this process, in bytes. */
  logFrom: number;
}

/** Starts a process in its own session, so that Ctrl-C in the terminal does not stop it out of order. */
export function spawnDetached(options: DetachedOptions): SpawnedPart {
  const { command, args, logFile, ...rest } = options;
  const log = openSync(logFile, 'a', 0o600);
  const logFrom = fstatSync(log).size;
  const child = spawn(command, args, { ...rest, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.on('error', () => undefined);
  if (child.pid === undefined) throw new Error(`cannot run ${command}`);
  return { pid: child.pid, child, logFrom };
}

export interface ReadyOptions {
  name: string;
  logFile: string;
  /** Length of the log before this process, in bytes. */
  logFrom: number;
  timeoutMs: number;
  isReady: () => boolean | Promise<boolean>;
  stop: () => Promise<void>;
  signal?: AbortSignal | undefined;
}

/** Waits until a started process is ready. If it ends, times out or is aborted, stops it and throws. */
export async function untilReady(pid: number, options: ReadyOptions): Promise<void> {
  const over = () => !isAlive(pid) || options.signal?.aborted === true;
  const ready = await waitUntil(async () => over() || (await options.isReady()), options.timeoutMs, 50);
  if (ready && !over()) return;
  const lingers = isAlive(pid) ? `was not ready after ${options.timeoutMs / 1_000} s` : 'ended immediately';
  const reason = options.signal?.aborted ? 'was stopped before it was ready' : lingers;
  await options.stop();
  const lines = logExcerpt(options.logFile, options.logFrom).map((line) => `\n      ${line}`);
  throw new Error(
    `${options.name} ${reason}; see its log ${options.logFile}${lines.length > 0 ? ':' : ''}${lines.join('')}`,
  );
}

/** Sends `signal` to a process and kills it if it is still running after `graceMs`. */
export async function stopProcess(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (!isAlive(pid)) return;
  signalQuietly(pid, signal);
  if (await waitUntil(() => !isAlive(pid), graceMs, 20)) return;
  signalQuietly(pid, 'SIGKILL');
  await waitUntil(() => !isAlive(pid), 2_000, 20);
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** Returns true when the port of `host` (default 127.0.0.1) is free. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Below the kernel's range for outgoing connections (Linux: from 32768), so that no connection takes a chosen port. */
const PORTS = { from: 20_000, to: 32_000 } as const;
const TRIES = 100;

/** Returns a free port of 127.0.0.1 that also stays free while the part that uses it restarts. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port between ${PORTS.from} and ${PORTS.to}`);
}
