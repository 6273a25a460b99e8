/**
 * Where the processor time of a phase went: for each process and kind of thread, how long it ran, and how long it was
 * ready but waited.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Nanoseconds by thread, and the name under which the thread is reported. */
type Snapshot = Map<string, { name: string; ranNs: number; waitedNs: number }>;

export interface Share {
  /** Milliseconds of each second. */
  ran: number;
  waited: number;
}

/** Reads the threads of processes and of their children (Linux; nothing elsewhere). `roots`: process ids by name. */
function snapshot(roots: Readonly<Record<string, number>>): Snapshot {
  const threads: Snapshot = new Map();
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]));
  for (const { pid, parent } of processes()) {
    const own = names.get(pid);
    const name = own ?? names.get(parent);
    if (name === undefined) continue;
    for (const tid of list(`/proc/${pid}/task`)) {
      const [ranNs = 0, waitedNs = 0] = read(`/proc/${pid}/task/${tid}/schedstat`).split(' ').map(Number);
      const nice = fieldsOf(read(`/proc/${pid}/task/${tid}/stat`))[16] ?? '?';
      const isMain = Number(tid) === pid;
      const comm = read(`/proc/${pid}/task/${tid}/comm`).trim();
      const each = process.env['BENCH_WHERE'] === 'threads' ? ` (${Number(tid) - pid})` : '';
      const kind = isMain ? 'main thread' : `${comm} of nice ${nice}${each}`;
      const isService = name === 'API' && own !== undefined;
      threads.set(`${pid}/${tid}`, { name: isService ? `API ${kind}` : name, ranNs, waitedNs });
    }
  }
  return threads;
}

/** Adds up the shares of threads while some work is performed, once or several times. */
export function createWatch(roots: Readonly<Record<string, number>>) {
  const sums: Record<string, Share> = {};
  let totalMs = 0;
  return {
    async during<T>(work: () => Promise<T>): Promise<T> {
      const before = snapshot(roots);
      const beganAt = performance.now();
      const result = await work();
      totalMs += performance.now() - beganAt;
      for (const [thread, { name, ranNs, waitedNs }] of snapshot(roots)) {
        const from = before.get(thread) ?? { ranNs: 0, waitedNs: 0 };
        const sum = (sums[name] ??= { ran: 0, waited: 0 });
        sum.ran += (ranNs - from.ranNs) / 1_000;
        sum.waited += (waitedNs - from.waitedNs) / 1_000;
      }
      return result;
    },
    /** The shares so far, largest first. */
    shares(): Record<string, Share> {
      const shares = Object.entries(sums).map(
        ([name, { ran, waited }]) => [name, { ran: ran / totalMs, waited: waited / totalMs }] as const,
      );
      return Object.fromEntries(shares.sort(([, a], [, b]) => b.ran - a.ran));
    },
  };
}

/** The lines of a report: milliseconds of each second that ran, and that waited for a processor, alone→under attack. */
export function shareLines(alone: Record<string, Share>, under: Record<string, Share>): string[] {
  const text = (share: Share = { ran: 0, waited: 0 }) => [share.ran, share.waited].map(Math.round);
  return Object.entries(under)
    .filter(([, { ran, waited }]) => ran + waited >= 3)
    .map(([name, share]) => {
      const [[ranAlone, waitedAlone], [ran, waited]] = [text(alone[name]), text(share)];
      return `    ${name.padEnd(38)} ran ${ranAlone}→${ran}, waited ${waitedAlone}→${waited} ms/s`;
    });
}

function processes(): { pid: number; parent: number }[] {
  return list('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => ({ pid: Number(pid), parent: Number(fieldsOf(read(`/proc/${pid}/stat`))[1]) }));
}

/** The fields of a `stat` file after the name of the program, which may contain spaces. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
