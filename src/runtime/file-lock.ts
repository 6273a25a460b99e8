import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './processes';

/**
 * Takes a lock file that names this process; a file whose process has ended is taken over.
 * @returns the id of the process that holds it, or undefined when it is ours now.
 */
export function tryFileLock(path: string): number | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
  for (;;) {
    try {
      const handle = openSync(path, 'wx');
      writeFileSync(handle, String(process.pid));
      closeSync(handle);
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readHolder(path);
    if (holder === 0 || isAlive(holder)) return holder;
    rmSync(path, { force: true });
  }
}

export function releaseFileLock(path: string): void {
  rmSync(path, { force: true });
}

/** Runs `work` while holding the lock; `onWait` is told once when it has to wait for another process. */
export async function withFileLock<T>(
  path: string,
  onWait: (pid: number) => void,
  work: () => Promise<T>,
): Promise<T> {
  let told = false;
  for (;;) {
    const holder = tryFileLock(path);
    if (holder === undefined) break;
    if (!told && holder > 0) {
      onWait(holder);
      told = true;
    }
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    releaseFileLock(path);
  }
}

/** 0 when the file is just being written or has just gone. */
function readHolder(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8')) || 0;
  } catch {
    return 0;
  }
}
