import { chown, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { escapeLiteral } from 'pg';
import { join } from 'node:path';
import { withClient } from '../../src/runtime/postgres/database';
import { startPostgres, type RunningPostgres } from '../../src/runtime/postgres/postgres';
import { preparePlace } from '../../src/runtime/postgres/postgres-binaries';
import { waitUntil } from '../../src/runtime/processes/processes';
import type { Part } from '../../src/runtime/processes/supervisor';
import { logFile, type Stack } from '../../src/runtime/stack';
import type { PostgresName } from './layout';

/** The name of the replica in `synchronous_standby_names`, and of the slot that keeps the log for it. */
const REPLICA = 'replica';
const PROMOTION_MS = 30_000;
/** Not copied: the log arrives by streaming, and these belong to the running primary. */
const LEFT_OUT = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'pg_wal',
  'pg_replslot',
  'postgresql.auto.conf',
]);

/** Settings of both servers, because a failover makes the replica the primary. */
const SETTINGS = {
  wal_level: 'replica',
  max_wal_senders: 8,
  max_replication_slots: 8,
  // The primary keeps the log of this many bytes for a replica that is away.
  max_slot_wal_keep_size: '4GB',
  hot_standby: 'on',
  hot_standby_feedback: 'on',
  // Statements of readers end before the replay waits longer than the reads may be old.
  max_standby_streaming_delay: '4s',
  wal_receiver_status_interval: '1s',
  // Commits wait for the replica, so it must be back as soon as the primary is.
  wal_retrieve_retry_interval: '100ms',
  synchronous_commit: 'on',
};

/** A server of Postgres. It is a replica if its folder says so. */
export function postgresServer(stack: Stack, name: PostgresName, port: number): Part {
  const { home } = stack.settings;
  return {
    name,
    start: (signal) =>
      startPostgres({
        home: join(home, name),
        port,
        logFile: logFile(home, name),
        superuserPassword: stack.secrets.postgres.superuser,
        settings: SETTINGS,
        signal,
      }) satisfies Promise<RunningPostgres>,
  };
}

interface Source {
  /** Connection of the primary's superuser. */
  url: string;
  port: number;
  password: string;
  /** Home of the primary. */
  home: string;
}

/**
 * Makes the folder of a stopped server a copy of the running primary that follows it. The earlier content of the folder
 * is removed.
 */
export async function copyPrimary(from: Source, toHome: string): Promise<void> {
  const source = preparePlace(from.home);
  const target = preparePlace(toHome);
  await rm(target.dataFolder, { recursive: true, force: true });
  await withClient(from.url, async (client) => {
    await client.query(
      `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1`,
      [REPLICA],
    );
    await client.query('SELECT pg_create_physical_replication_slot($1, true)', [REPLICA]);
    await client.query('SELECT pg_backup_start($1, true)', [REPLICA]);
    await copyTree(source.dataFolder, target.dataFolder, target.identity);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    const connection = `host=127.0.0.1 port=${from.port} user=postgres password=${from.password} application_name=${REPLICA}`;
    const files = {
      backup_label: rows[0]?.labelfile ?? '',
      'standby.signal': '',
      'postgresql.auto.conf': `primary_conninfo = ${escapeLiteral(connection)}\nprimary_slot_name = '${REPLICA}'\n`,
    };
    for (const folder of ['pg_wal', 'pg_replslot'])
      await made(join(target.dataFolder, folder), target.identity);
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(target.dataFolder, name), text, { mode: 0o600 });
      if (target.identity)
        await chown(join(target.dataFolder, name), target.identity.uid, target.identity.gid);
    }
  });
}

type Owner = { uid: number; gid: number } | undefined;

async function made(folder: string, owner: Owner): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (owner) await chown(folder, owner.uid, owner.gid);
}

/** Copies a folder whose files may change or vanish meanwhile; the log repairs what was read half. */
async function copyTree(from: string, to: string, owner: Owner, leftOut = LEFT_OUT): Promise<void> {
  await made(to, owner);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (leftOut.has(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target, owner, new Set());
    else if (entry.isFile()) await copyOne(source, target, owner);
  }
}

async function copyOne(source: string, target: string, owner: Owner): Promise<void> {
  try {
    await copyFile(source, target);
    if (owner) await chown(target, owner.uid, owner.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/**
 * Says whether a commit waits for the replica. With `true`, a commit is acknowledged when both servers have it on disk;
 * while the replica is away, commits wait. With `false`, the primary's disk suffices.
 */
export async function waitForReplica(primaryUrl: string, waits: boolean): Promise<void> {
  await withClient(primaryUrl, async (client) => {
    await client.query(`ALTER SYSTEM SET synchronous_standby_names = ${waits ? `'${REPLICA}'` : `''`}`);
    await client.query('SELECT pg_reload_conf()');
  });
}

/** Resolves with true when the replica streams from the primary. */
export function replicaStreams(primaryUrl: string, timeoutMs: number): Promise<boolean> {
  return waitUntil(
    () =>
      withClient(primaryUrl, async (client) => {
        const { rowCount } = await client.query(
          `SELECT FROM pg_stat_replication WHERE application_name = $1 AND state = 'streaming'`,
          [REPLICA],
        );
        return rowCount === 1;
      }).catch(() => false),
    timeoutMs,
    50,
  );
}

/** Makes the replica a primary. Throws if it is none after 30 s. */
export async function promote(replicaUrl: string): Promise<void> {
  await withClient(replicaUrl, async (client) => {
    const { rows } = await client.query<{ promoted: boolean }>('SELECT pg_promote(true, $1) AS promoted', [
      PROMOTION_MS / 1_000,
    ]);
    if (!rows[0]?.promoted) throw new Error('the replica was not promoted');
  });
}
