import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createApiClient } from '../demonstration/api-client';
import { commandLine, isPortFree } from './processes';
import { reservePort } from './port-reservations';
import type { StackPorts } from '../settings';

const LISTEN_STATE = '0A';

/** Names of the ports' users in messages. The order is the order of choosing. */
const NAMES = {
  postgres: 'Postgres',
  temporal: 'Temporal',
  temporalUi: 'the Temporal UI',
  api: 'the API',
  apiMetrics: "the API's metrics",
  workerMetrics: "the worker's metrics",
} as const satisfies Record<keyof StackPorts, string>;

/**
 * Returns the wanted ports, replacing each port that is in use, or that another start has reserved, by the next free
 * one. Calls `say` with each replacement and the process that uses the port. Throws when no port is free.
 */
export async function choosePorts<Name extends keyof StackPorts>(
  wanted: Record<Name, number>,
  say: (line: string) => void,
): Promise<Record<Name, number>> {
  const chosen: Partial<Record<Name, number>> = {};
  for (const key of Object.keys(NAMES).filter((name): name is Name => name in wanted)) {
    let port = wanted[key];
    while (Object.values(chosen).includes(port) || !(await isUsable(port))) {
      port += 1;
      if (port > 65_535) throw new Error(`no free port for ${NAMES[key]} at or above ${wanted[key]}`);
    }
    chosen[key] = port;
    if (port !== wanted[key]) {
      say(`port ${wanted[key]} of ${NAMES[key]} ${await reasonAgainst(wanted[key])}; using ${port} instead`);
    }
  }
  return chosen as Record<Name, number>;
}

async function isUsable(port: number): Promise<boolean> {
  return (await isPortFree(port)) && !(await isBlocked(port)) && reservePort(port);
}

async function reasonAgainst(port: number): Promise<string> {
  if ((await isPortFree(port)) && (await isBlocked(port))) return 'is one that browsers refuse to open';
  return `is used by ${portHolder(port) ?? 'another part of this stack or another start'}`;
}

/** Browsers and `fetch` refuse some ports, such as 4190, before they connect: a part there would never seem ready. */
async function isBlocked(port: number): Promise<boolean> {
  try {
    await createApiClient(`http://127.0.0.1:${port}`).attempt('HEAD', '/');
    return false;
  } catch (error) {
    return (error as { cause?: { message?: string } }).cause?.message === 'bad port';
  }
}

/** Describes the process that listens on a port, such as "process 4711 (node server.js)"; undefined if unknown. */
export function portHolder(port: number): string | undefined {
  const pid = process.platform === 'linux' ? pidByProc(port) : pidByLsof(port);
  if (pid === undefined) return isListening(port) ? 'a process of another user' : undefined;
  const command = commandLine(pid);
  return `process ${pid}${command ? ` (${command.slice(0, 80)})` : ''}`;
}

function isListening(port: number): boolean {
  return process.platform !== 'linux' || listeningInodes(port).size > 0;
}

function pidByProc(port: number): number | undefined {
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (openSockets(pid).some((inode) => inodes.has(inode))) return Number(pid);
  }
  return undefined;
}

function listeningInodes(port: number): Set<string> {
  const inodes = new Set<string>();
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readQuietly(table).split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local.endsWith(suffix) && state === LISTEN_STATE && inode) inodes.add(inode);
    }
  }
  return inodes;
}

function openSockets(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const target = linkQuietly(`/proc/${pid}/fd/${fd}`);
      return target.startsWith('socket:[') ? [target.slice(8, -1)] : [];
    });
  } catch {
    return [];
  }
}

function pidByLsof(port: number): number | undefined {
  try {
    const args = ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'];
    return (
      Number(execFileSync('lsof', args, { encoding: 'utf8', stdio: 'pipe' }).split('\n')[0]) || undefined
    );
  } catch {
    return undefined;
  }
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function linkQuietly(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
