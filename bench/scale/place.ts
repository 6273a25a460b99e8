/** An embedded Postgres of its own for the bench, with one migrated database per size. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { APP_ROLE, ensureDatabase, ensureRoles, OWNER_ROLE } from '../../src/runtime/postgres/database';
import { migrate } from '../../src/runtime/postgres/migrate';
import { postgresUrl, startPostgres } from '../../src/runtime/postgres/postgres';
import { freePort } from '../../src/runtime/processes/processes';

const PASSWORD = 'bench';

export interface Place {
  pid: number;
  /** Makes a migrated database; returns connection strings of its superuser and of the app role. */
  database(name: string): Promise<{ superuser: string; app: string }>;
  stop(): Promise<void>;
}

/**
 * Settings for filling: they cost nothing afterwards, because nothing is lost that a second run does not make again.
 */
const SETTINGS = {
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  full_page_writes: 'off',
  fsync: 'off',
  work_mem: '64MB',
};

export async function startPlace(): Promise<Place> {
  const home = process.env['BENCH_HOME'] ?? mkdtempSync(join(tmpdir(), 'market-scale-'));
  const port = await freePort();
  const postgres = await startPostgres({
    home,
    port,
    logFile: join(home, 'postgres.log'),
    superuserPassword: PASSWORD,
    settings: SETTINGS,
  });
  await ensureRoles(postgres.superuserUrl('postgres'), { owner: PASSWORD, app: PASSWORD });
  const url = (user: string, database: string) => postgresUrl({ user, password: PASSWORD, port, database });
  return {
    pid: postgres.pid,
    async database(name) {
      await ensureDatabase(postgres.superuserUrl('postgres'), name);
      await migrate(url(OWNER_ROLE, name));
      return { superuser: postgres.superuserUrl(name), app: url(APP_ROLE, name) };
    },
    async stop() {
      await postgres.stop();
      if (!process.env['BENCH_HOME']) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Runs statements one after the other on a connection of their own. */
export async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}
