/**
 * `npm run schema`: writes `migrations/schema.sql` from a fresh database, in an embedded Postgres of its own, and the
 * callers in the headers of functions from the calls of them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabase, ensureRoles, OWNER_ROLE, withClient } from '../../src/runtime/postgres/database';
import { migrate, MIGRATIONS_FOLDER } from '../../src/runtime/postgres/migrate';
import { postgresUrl, startPostgres } from '../../src/runtime/postgres/postgres';
import { freePort } from '../../src/runtime/processes/processes';
import { callersOf, withCallers } from './callers';
import { readCatalogue } from './catalogue';
import { schemaText } from './text';

void (async () => {
  const home = mkdtempSync(join(tmpdir(), 'market-schema-'));
  const password = 'schema';
  const postgres = await startPostgres({
    home,
    port: await freePort(),
    logFile: join(home, 'postgres.log'),
    superuserPassword: password,
    settings: { fsync: 'off' },
  });
  try {
    await ensureRoles(postgres.superuserUrl('postgres'), { owner: password, app: password });
    await ensureDatabase(postgres.superuserUrl('postgres'), 'market');
    const url = postgresUrl({ user: OWNER_ROLE, password, port: postgres.port, database: 'market' });
    await migrate(url);
    const text = schemaText(await withClient(url, readCatalogue), MIGRATIONS_FOLDER);
    writeFileSync(join(MIGRATIONS_FOLDER, 'schema.sql'), text);
    for (const { file, list } of callersOf(join(MIGRATIONS_FOLDER, '..'))) {
      const sql = withCallers(file.sql, list);
      if (sql !== file.sql) writeFileSync(join(MIGRATIONS_FOLDER, file.path), sql);
    }
  } finally {
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  }
})();
