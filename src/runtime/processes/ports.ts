import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { commandLine, isPortFree } from './processes';
import type { StackPorts } from '../settings';

const LISTEN_STATE = '0A';

/** What people call the holders of the ports, in the order in which they choose. */
const NAMES = {
  postgres: 'Postgres',
  temporal: 'Temporal',
  temporalUi: 'the Temporal UI',
  api: 'the API',
  apiMetrics: "the API's metrics",
  workerMetrics: "the worker's metrics",
} as const satisfies Record<keyof StackPorts, string>;

/**
 * The wanted ports, or for each that is taken the next free one; `say` is told which, and by what it is taken.
 */
export async function choosePorts<Name extends keyof StackPorts>(
  wanted: Record<Name, number>,
  say: (line: string) => void,
): Promise<Record<Name, number>> {
  const chosen: Partial<Record<Name, number>> = {};
  for (const key of Object.keys(NAMES).filter((name): name is Name => name in wanted)) {
    let port = wanted[key];
    while (Object.values(chosen).includes(port) || !(await isPortFree(port))) {
      port += 1;
      if (port > 65_535) throw new Error(`no free port for ${NAMES[key]} from ${wanted[key]} on`);
    }
    chosen[key] = port;
    if (port !== wanted[key]) {
      const holder = portHolder(wanted[key]) ?? 'another part of this stack';
      say(`port ${wanted[key]} of ${NAMES[key]} is taken by ${holder}; using ${port}`);
    }
  }
  return chosen as Record<Name, number>;
}

/** What listens on a port, such as "process 4711 (node server.js)", or undefined when that cannot be seen. */
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
