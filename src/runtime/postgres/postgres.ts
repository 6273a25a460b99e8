import { spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from './database';
import { preparePlace, type Place } from './postgres-binaries';
import { isAlive } from '../base/alive.cjs';
import { commandLine, spawnDetached, stopProcess, untilReady } from '../processes/processes';

/**
 * Embedded Postgres 18 for development and tests. It runs detached, in its own session, so that Ctrl-C in the terminal
 * does not stop it before the processes that still settle calls; the process that started it stops it last. fsync stays
 * on unless `settings` turn it off: committed data survives a loss of power.
 */
export interface PostgresOptions {
  /** Folder of the stack; the data folder is `<home>/postgres`. */
  home: string;
  port: number;
  /** Address that it listens on; default: 127.0.0.1. */
  host?: string;
  logFile: string;
  superuserPassword: string;
  maxConnections?: number;
  /** Further settings of the server, e.g. those of clusters that tests throw away. */
  settings?: Readonly<Record<string, string | number>>;
  signal?: AbortSignal;
}

export interface RunningPostgres {
  pid: number;
  port: number;
  /** Connection of the superuser, for creating roles and databases. */
  superuserUrl: (database: string) => string;
  child: ChildProcess;
  stop: () => Promise<void>;
}

const STOP_GRACE_MS = 5_000;
const LOOPBACK = '127.0.0.1';

/** Starts the cluster of `home`, creating it on first use, and resolves once it answers a query. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const place = preparePlace(options.home);
  if (!existsSync(join(place.dataFolder, 'PG_VERSION'))) initialise(place, options.superuserPassword);
  await stopLeftover(place.dataFolder);
  const { pid, child, logFrom } = spawnDetached({
    command: join(place.binFolder, 'postgres'),
    args: ['-D', place.dataFolder, ...flags(options)],
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    logFile: options.logFile,
    cwd: '/',
    ...place.identity,
  });
  const superuserUrl = (database: string) =>
    postgresUrl({ user: 'postgres', password: options.superuserPassword, ...options, database });
  const stop = () => stopProcess(pid, 'SIGINT', STOP_GRACE_MS);
  const isReady = () => answers(superuserUrl('postgres'));
  await untilReady(pid, { name: 'Postgres', timeoutMs: 60_000, isReady, stop, logFrom, ...options });
  return { pid, port: options.port, superuserUrl, child, stop };
}

function flags(options: PostgresOptions): string[] {
  const settings = {
    port: options.port,
    listen_addresses: options.host ?? LOOPBACK,
    unix_socket_directories: '',
    max_connections: options.maxConnections ?? 200,
    shared_buffers: '128MB',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_wal_size: '1GB',
    max_parallel_workers_per_gather: 0,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_line_prefix: '%m [%p] %q%u@%d %a ',
    ...options.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function initialise(place: Place, password: string): void {
  rmSync(place.dataFolder, { recursive: true, force: true });
  mkdirSync(place.dataFolder, { recursive: true, mode: 0o700 });
  const passwordFile = join(tmpdir(), `market-pg-${process.pid}-${Date.now()}`);
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (place.identity) {
    chownSync(place.dataFolder, place.identity.uid, place.identity.gid);
    chownSync(passwordFile, place.identity.uid, place.identity.gid);
  }
  const result = spawnSync(
    join(place.binFolder, 'initdb'),
    [
      `--pgdata=${place.dataFolder}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--data-checksums',
    ],
    { ...place.identity, cwd: '/', encoding: 'utf8', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } },
  );
  rmSync(passwordFile, { force: true });
  if (result.status !== 0) {
    rmSync(place.dataFolder, { recursive: true, force: true });
    throw new Error(`initdb failed: ${result.error?.message ?? result.stderr.trim()}`);
  }
}

/** Stops a Postgres server that an earlier, killed stack left running on this data folder. */
async function stopLeftover(dataFolder: string): Promise<void> {
  const pid = postmasterPid(dataFolder);
  if (pid === undefined || !isAlive(pid)) return;
  const command = commandLine(pid);
  if (command && !command.includes(dataFolder)) return;
  await stopProcess(pid, 'SIGINT', STOP_GRACE_MS);
}

function postmasterPid(dataFolder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'), { connectionTimeoutMillis: 2_000 });
    return true;
  } catch {
    return false;
  }
}

/** Returns a connection string for a server of this machine, on 127.0.0.1 unless `host` names another address. */
export function postgresUrl(at: {
  user: string;
  password: string;
  host?: string;
  port: number;
  database: string;
}): string {
  const { user, password, host = LOOPBACK, port, database } = at;
  return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}
