import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';

/** The threads of a process that have a lower priority (Linux). */
export function lowThreads(pid: number | 'self' = 'self'): string[] {
  const niceOf = (thread: string) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    } catch {
      return 0;
    }
  };
  return readdirSync(`/proc/${pid}/task`).filter((thread) => niceOf(thread) >= 10);
}

/** The threads that a process began first, without its main thread (Linux): V8's helpers. */
export function firstThreads(pid: number, count: number): string[] {
  const ids = readdirSync(`/proc/${pid}/task`).map(Number);
  return ids
    .sort((a, b) => a - b)
    .filter((id) => id !== pid)
    .slice(0, count)
    .map(String);
}

/** Counts the threads with a lower priority that began after this call; other files of the process have left some. */
export function countLowThreads(): () => number {
  const before = new Set(lowThreads());
  return () => lowThreads().filter((thread) => !before.has(thread)).length;
}

/** Tests of priorities run where threads have some, unless the whole process has a low one. */
export function itOnLinux(name: string, test: () => void | Promise<void>): void {
  const has = process.platform === 'linux' && getPriority() < 10;
  (has ? it : it.skip)(name, async () => {
    await test();
  });
}
