import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { isAlive } from '../../src/runtime/base/alive.cjs';
import { withClient } from '../../src/runtime/postgres/database';
import { postgresIdentity } from '../../src/runtime/postgres/postgres-binaries';
import { postgresUrl } from '../../src/runtime/postgres/postgres';
import { spawnDetached, stopProcess, untilReady, waitUntil } from '../../src/runtime/processes/processes';
import type { Part, RunningPart, Supervisor } from '../../src/runtime/processes/supervisor';
import { logFile } from '../../src/runtime/stack';
import { type Cluster, TEMPORAL_DATABASES } from './layout';
import { CONSOLE, poolerConfig, poolerUsers, POOLS } from './pooler-config';
import { withTimeout } from '../../src/kit/with-timeout';

const READY_MS = 20_000;
const STOP_GRACE_MS = 2_000;
/** The pools whose clients wait while Postgres restarts. Those of sessions cannot wait: their clients connect again. */
const PAUSED = [POOLS.transactions, TEMPORAL_DATABASES.persistence, TEMPORAL_DATABASES.visibility];

/**
 * A pause that interrupts a login counts as a failed one, and the pooler then refuses clients until another one
 * succeeds (PgBouncer 1.18). So a pause waits this long for a moment without one.
 */
const LOGIN_MS = 2_000;
const PAUSE_MS = 1_500;
const BETWEEN_PAUSES_MS = 500;
const MOST_PAUSES = 10;
const MOST_TAKEOVERS = 3;
const BETWEEN_TAKEOVERS_MS = 1_000;

/** Clusters whose pooler ends by handing over. */
const handingOver = new WeakSet<Cluster>();
/** A pooler that took over from another one and is not supervised yet. */
const successors = new WeakMap<Cluster, RunningPart>();

/** PgBouncer. It refuses to run as root, so root runs it as the user of Postgres. */
export function poolerPart(cluster: Cluster): Part {
  return {
    name: 'pooler',
    async start(signal) {
      const successor = successors.get(cluster);
      successors.delete(cluster);
      return successor ?? startPooler(cluster, { signal });
    },
  };
}

interface PoolerStart {
  signal?: AbortSignal | undefined;
  /** Process id of the pooler whose sockets this one takes. */
  takesOverFrom?: number;
}

async function startPooler(cluster: Cluster, { signal, takesOverFrom }: PoolerStart): Promise<RunningPart> {
  const path = logFile(cluster.stack.settings.home, 'pooler');
  const { pid, child, logFrom } = spawnDetached({
    command: cluster.programs.pgbouncer,
    args: [...(takesOverFrom === undefined ? [] : ['-R']), writePoolerConfig(cluster)],
    env: process.env,
    logFile: path,
    cwd: '/',
    ...postgresIdentity(),
  });
  const stop = async () => {
    if (handingOver.delete(cluster)) successors.set(cluster, await takeOver(cluster, pid));
    // At this signal, PgBouncer closes its connections at once. One that handed over has ended.
    await stopProcess(pid, 'SIGTERM', STOP_GRACE_MS);
  };
  // The first pooler ends once the second one has its sockets. Until then it answers in place of the second.
  const isReady = async () =>
    (takesOverFrom === undefined || !isAlive(takesOverFrom)) && (await poolerAnswers(cluster));
  await untilReady(pid, {
    name: 'pooler',
    logFile: path,
    logFrom,
    timeoutMs: READY_MS,
    isReady,
    stop,
    signal,
  });
  return { pid, child, stop };
}

/** A pooler that cannot take over in time ends, and the first one goes on: another one tries again. */
async function takeOver(cluster: Cluster, fromPid: number): Promise<RunningPart> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startPooler(cluster, { takesOverFrom: fromPid });
    } catch (error) {
      if (attempt === MOST_TAKEOVERS || !isAlive(fromPid)) throw error;
      await sleep(BETWEEN_TAKEOVERS_MS);
    }
  }
}

function poolerAnswers(cluster: Cluster): Promise<boolean> {
  return commandPooler(cluster, 'SHOW VERSION').then(
    () => true,
    () => false,
  );
}

/**
 * Starts a second pooler that takes the sockets of the first one, with all connections of clients; the first one ends.
 * The supervisor gets the second one when it starts the part again.
 */
export async function handOver(cluster: Cluster, supervisor: Supervisor): Promise<void> {
  handingOver.add(cluster);
  await supervisor.stop(['pooler']);
  await supervisor.start(poolerPart(cluster));
  // A pooler learns Postgres's greeting from its own logins. Without it, a pause would begin one for each new client.
  for (const pool of PAUSED) await commandPooler(cluster, `RECONNECT ${pool}`);
}

/** Writes pgbouncer.ini and userlist.txt for the present primary and replica. Returns the path of the first. */
export function writePoolerConfig(cluster: Cluster): string {
  const { stack, secrets, portOf } = cluster;
  const id = createHash('sha256').update(stack.settings.home).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `market-pooler-${id}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const usersFile = join(folder, 'userlist.txt');
  const files = {
    [join(folder, 'pgbouncer.ini')]: poolerConfig({
      port: portOf('pooler'),
      primaryPort: portOf(cluster.primary),
      readsPort: portOf(cluster.readsFrom),
      usersFile,
      socketFolder: folder,
      prepares: cluster.programs.poolerPrepares,
    }),
    [usersFile]: poolerUsers({
      ...stack.secrets.postgres,
      temporal: secrets.temporal,
      console: secrets.pooler,
    }),
  };
  const owner = postgresIdentity();
  for (const [path, text] of Object.entries(files)) {
    writeFileSync(path, text, { mode: 0o600 });
    chmodSync(path, 0o600);
    if (owner) chownSync(path, owner.uid, owner.gid);
  }
  if (owner) chownSync(folder, owner.uid, owner.gid);
  return join(folder, 'pgbouncer.ini');
}

/**
 * Pauses a pool. A transaction that needs a second connection cannot end while its pool is paused, so a pause that
 * takes too long is given up and tried again. Throws after ten of them.
 */
async function pause(cluster: Cluster, pool: string): Promise<void> {
  for (let attempt = 0; attempt < MOST_PAUSES; attempt += 1) {
    if (await tryPause(cluster, pool)) return;
    await resume(cluster, pool);
    await sleep(BETWEEN_PAUSES_MS);
  }
  throw new Error(`the transactions of ${pool} do not end`);
}

function tryPause(cluster: Cluster, pool: string): Promise<boolean> {
  return withConsole(cluster, async (console) => {
    const logsInNowhere = async () => {
      const { rows } = await console.query<{ database: string; sv_login: string }>('SHOW POOLS');
      return rows.every((row) => row.database !== pool || Number(row.sv_login) === 0);
    };
    await waitUntil(logsInNowhere, LOGIN_MS, 5);
    const paused = console.query(`PAUSE ${pool}`).then(
      () => true,
      () => false,
    );
    return withTimeout(PAUSE_MS, paused, () => false);
  });
}

/** Lets the transactions of a pool go on. A pool that is not paused stays as it is. */
async function resume(cluster: Cluster, pool: string): Promise<void> {
  await commandPooler(cluster, `RESUME ${pool}`).catch((error: Error) => {
    if (!error.message.includes('not paused')) throw error;
  });
}

/** Runs a command of the pooler's console. */
export async function commandPooler(cluster: Cluster, command: string): Promise<void> {
  await withConsole(cluster, (console) => console.query(command));
}

function withConsole<T>(cluster: Cluster, work: (console: Client) => Promise<T>): Promise<T> {
  const url = postgresUrl({
    user: CONSOLE.user,
    password: cluster.secrets.pooler,
    port: cluster.portOf('pooler'),
    database: CONSOLE.database,
  });
  return withClient(url, work);
}

/** Runs `work` while no transaction runs: new ones wait in the pooler, and go on after `work`. */
export async function whilePaused(cluster: Cluster, work: () => Promise<void>): Promise<void> {
  try {
    // The service last, so that its calls wait the shortest.
    for (const pool of [...PAUSED].reverse()) await pause(cluster, pool);
    await work();
  } finally {
    for (const pool of PAUSED) await resume(cluster, pool);
  }
}

/** Lets the pooler read its configuration again, for another primary or replica. */
export async function repoint(cluster: Cluster): Promise<void> {
  writePoolerConfig(cluster);
  await commandPooler(cluster, 'RELOAD');
}
