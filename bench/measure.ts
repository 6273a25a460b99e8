import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const TICKS_PER_SECOND = 100;

/** CPU seconds that a process and all its descendants have used so far (Linux; 0 elsewhere). */
export function cpuSeconds(pids: readonly number[]): number {
  try {
    const table = readdirSync('/proc')
      .filter((name) => /^[0-9]+$/.test(name))
      .map((name) => readStat(Number(name)));
    const wanted = new Set(pids);
    for (let grew = true; grew;) {
      const before = wanted.size;
      for (const process of table) if (process && wanted.has(process.parent)) wanted.add(process.pid);
      grew = wanted.size > before;
    }
    const ticks = table.reduce(
      (sum, process) => sum + (process && wanted.has(process.pid) ? process.ticks : 0),
      0,
    );
    return ticks / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

function readStat(pid: number): { pid: number; parent: number; ticks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [parent, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map((at) =>
      Number(fields[at]),
    );
    return {
      pid,
      parent: parent ?? 0,
      ticks: (user ?? 0) + (system ?? 0) + (childUser ?? 0) + (childSystem ?? 0),
    };
  } catch {
    return undefined;
  }
}

/** The first line that an agent's process prints: its address. Throws `Error` if it ends without one. */
export async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('the agent did not start');
}

/** `calls` and the times are those of calls that succeeded. */
export interface LoadResult {
  calls: number;
  errors: number;
  seconds: number;
  callsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Runs `clients` clients with one call in flight each, until `calls` calls have been made. `perSecond`: how many calls
 * they make together in a second at most.
 */
export function load(
  url: string,
  path: string,
  cookie: string,
  clients: number,
  calls: number,
  perSecond = Infinity,
): Promise<LoadResult> {
  const target = { url, path, headers: { cookie } };
  return loadAll([target], clients, (started) => started >= calls, perSecond);
}

/** Where a load goes. */
export interface Target {
  url: string;
  path: string;
  headers: Record<string, string>;
}

/** Runs `clients` clients with one call in flight each, until `isOver` says so of the number of started calls. */
export const loadUntil = (target: Target, clients: number, isOver: (started: number) => boolean) =>
  loadAll([target], clients, isOver);

/** As `loadUntil`. Each client calls one target of one server after another, and begins with a target of its own. */
export async function loadAll(
  targets: readonly Target[],
  clients: number,
  isOver: (started: number) => boolean,
  perSecond = Infinity,
): Promise<LoadResult> {
  const pool = new Pool(targets[0]?.url ?? '', { connections: clients, pipelining: 1 });
  const times: number[] = [];
  let errors = 0;
  let started = 0;
  const startedAt = performance.now();

  async function client(_: unknown, first: number): Promise<void> {
    for (let at = first; !isOver(started); at += 1) {
      const { path, headers } = targets[at % targets.length] ?? { path: '', headers: {} };
      started += 1;
      const dueInMs = startedAt + ((started - 1) * 1_000) / perSecond - performance.now();
      if (dueInMs > 0) await sleep(dueInMs);
      const sentAt = performance.now();
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', ...headers },
        body: `{"input":{"text":"hello","n":${started}}}`,
      });
      const text = await body.text();
      if (statusCode === 200) {
        times.push(performance.now() - sentAt);
      } else {
        errors += 1;
        if (errors === 1) console.error(`first error: ${statusCode} ${text}`);
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  times.sort((a, b) => a - b);
  return {
    calls: times.length,
    errors,
    seconds,
    callsPerSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  };
}

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
