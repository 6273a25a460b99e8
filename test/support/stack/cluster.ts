/**
 * Making a cluster and its tables takes longer than starting it. Process stacks begin with a copy of one that was
 * stopped in order; it is made once for each state of the migrations, by the first process that needs it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDatabase, ensureRoles, OWNER_ROLE } from '../../../src/runtime/postgres/database';
import { withFileLock } from '../../../src/runtime/base/file-lock.cjs';
import { migrate } from '../../../src/runtime/postgres/migrate';
import { postgresUrl, startPostgres } from '../../../src/runtime/postgres/postgres';
import { preparePlace } from '../../../src/runtime/postgres/postgres-binaries';
import { freePort } from '../../../src/runtime/processes/processes';
import { CLUSTERS, migrationsHash, WITHOUT_FSYNC } from './stack';

export const PASSWORD = 'process-stack';
export const DATABASE = 'market';

/** Puts a cluster with roles, the database `market` and all tables at `home/postgres`. */
export async function copyCluster(home: string): Promise<void> {
  const master = join(CLUSTERS, migrationsHash());
  mkdirSync(master, { recursive: true, mode: 0o755 });
  const made = join(master, 'made');
  await withFileLock(
    join(CLUSTERS, 'lock'),
    () => undefined,
    async () => {
      if (existsSync(made)) return;
      await make(master);
      writeFileSync(made, '');
    },
  );
  const { dataFolder } = preparePlace(home);
  execFileSync('cp', ['-a', `${realpathSync(join(master, 'postgres'))}/.`, dataFolder]);
}

async function make(home: string): Promise<void> {
  const port = await freePort();
  const logFile = join(home, 'postgres.log');
  const postgres = await startPostgres({
    home,
    port,
    logFile,
    superuserPassword: PASSWORD,
    settings: WITHOUT_FSYNC,
  });
  await ensureRoles(postgres.superuserUrl('postgres'), { owner: PASSWORD, app: PASSWORD });
  await ensureDatabase(postgres.superuserUrl('postgres'), DATABASE);
  await migrate(postgresUrl({ user: OWNER_ROLE, password: PASSWORD, port, database: DATABASE }));
  await postgres.stop();
}
