import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';

/** How many threads of this process have a lower priority (Linux). */
export function lowThreads(): number {
  const niceOf = (thread: string) => {
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    } catch {
      return 0;
    }
  };
  return readdirSync('/proc/self/task').filter((thread) => niceOf(thread) >= 10).length;
}

/** Tests of priorities run where threads have some, unless the whole process has a low one. */
export const itOnLinux = process.platform === 'linux' && getPriority() < 10 ? it : it.skip;
