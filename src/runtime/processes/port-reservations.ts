import { homedir } from 'node:os';
import { join } from 'node:path';
import { releaseFileLock, tryFileLock } from '../base/file-lock.cjs';

const reserved = new Set<string>();

/**
 * Reserves a port for this process among all starts of the product by this user, until the process exits. A check
 * whether a port is free says nothing about a start that chose the same port a moment ago and does not listen yet.
 *
 * Returns false if another live process has reserved it.
 */
export function reservePort(port: number, env: NodeJS.ProcessEnv = process.env): boolean {
  const file = join(
    env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
    'agent-marketplace',
    'ports',
    String(port),
  );
  const holder = tryFileLock(file);
  if (holder !== undefined) return holder === process.pid;
  if (reserved.size === 0) process.once('exit', releaseAll);
  reserved.add(file);
  return true;
}

function releaseAll(): void {
  for (const file of reserved) releaseFileLock(file);
}
