import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './processes/processes';

/**
 * Takes a lock file that names this process; a file whose process has ended is taken over.
 * @returns the id of the process that holds it, or undefined when it is ours now.
 */
export function tryFileLock(path: string): number | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    for (;;) {
      if (linked(draft, path)) return undefined;
      const holder = readHolder(path);
      if (holder > 0 && isAlive(holder)) return holder;
      removeAbandoned(path, holder);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link, unlike a new file, appears with its content. */
function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the file of an ended process, but not one that a third process put there in the meantime. */
function removeAbandoned(path: string, holder: number): void {
  const aside = `${path}.${process.pid}.old`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readHolder(aside) !== holder) linked(aside, path);
  rmSync(aside, { force: true });
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
    if (!told) {
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

/** 0 when the file has just gone. */
function readHolder(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8')) || 0;
  } catch {
    return 0;
  }
}
