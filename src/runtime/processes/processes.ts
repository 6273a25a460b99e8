import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** True while the process runs. A zombie (ended, not yet reaped by its parent) counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

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

/** Asks again every `everyMs` until `condition` gives true; false when `timeoutMs` have passed. */
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
  /** Both outputs are appended to it. */
  logFile: string;
  cwd?: string;
  uid?: number;
  gid?: number;
}

/** Starts a process in a session of its own, so that Ctrl-C in the terminal does not reach it before its turn. */
export function spawnDetached(options: DetachedOptions): { pid: number; child: ChildProcess } {
  const { command, args, logFile, ...rest } = options;
  const log = openSync(logFile, 'a', 0o644);
  const child = spawn(command, args, { ...rest, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.on('error', () => undefined);
  if (child.pid === undefined) throw new Error(`cannot run ${command}`);
  return { pid: child.pid, child };
}

export interface ReadyOptions {
  name: string;
  logFile: string;
  timeoutMs: number;
  isReady: () => boolean | Promise<boolean>;
  stop: () => Promise<void>;
  signal?: AbortSignal | undefined;
}

/** Resolves when a process that was just started is ready; stops it and throws when it ends, lingers or is not wanted. */
export async function untilReady(pid: number, options: ReadyOptions): Promise<void> {
  const over = () => !isAlive(pid) || options.signal?.aborted === true;
  const ready = await waitUntil(async () => over() || (await options.isReady()), options.timeoutMs, 50);
  if (ready && !over()) return;
  const lingers = isAlive(pid) ? `was not ready after ${options.timeoutMs / 1_000} s` : 'ended at once';
  const reason = options.signal?.aborted ? 'was stopped before it was ready' : lingers;
  await options.stop();
  throw new Error(`${options.name} ${reason}; its log is ${options.logFile}${lastLines(options.logFile)}`);
}

function lastLines(file: string): string {
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-4);
    return `:\n${lines.map((line) => `      ${line.slice(0, 300)}`).join('\n')}`;
  } catch {
    return '';
  }
}

/** Sends `signal`, waits, and kills what has not gone after `graceMs`. */
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
    // It ended in between.
  }
}

/** True when nothing listens on the port of 127.0.0.1. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Below those that kernels give to connections (Linux from 32768 on): nobody takes one before it is listened on. */
const PORTS = { from: 20_000, to: 32_000 } as const;
const TRIES = 100;

/** A port of 127.0.0.1 that is free now, and stays so while a part that listens on it is away. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port between ${PORTS.from} and ${PORTS.to}`);
}
