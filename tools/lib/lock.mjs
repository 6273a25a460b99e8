import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `work` while holding a lock file; `onWait(pid)` is told once when another process holds it. */
export async function withLock(path, onWait, work) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
  let told = false;
  while (!take(path)) {
    const holder = readHolder(path);
    if (holder > 0 && !isAlive(holder)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) onWait(holder);
    told = true;
    await sleep(200);
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

/** A link, unlike a new file, appears with its content. */
function take(path) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
