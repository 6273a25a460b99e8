import { readFileSync } from 'node:fs';
import { ensureDatabase, APP_ROLE, OWNER_ROLE, withClient } from '../../../src/runtime/postgres/database';
import { postgresUrl } from '../../../src/runtime/postgres/postgres';
import { superuserUrl, TEST_PASSWORD, type TestStack } from './stack';

export interface TestDatabase {
  name: string;
  /** Connection of the role that owns the tables; for looking behind the curtain and for migrations. */
  ownerUrl: string;
  /** Connection of the role that the service uses. */
  appUrl: string;
  drop: () => Promise<void>;
}

let counter = 0;

/** The stack that jest's global setup started; fails in projects that do not start it (unit, arch). */
export function testStack(): TestStack {
  const json = process.env['MARKET_TEST_STACK'];
  if (!json) throw new Error('no test stack: this test belongs to the project integration, workflow or e2e');
  return JSON.parse(json) as TestStack;
}

/**
 * A new, migrated, empty database for the caller alone (about 0.1 s). Make one per test file in `beforeAll`, drop it in
 * `afterAll`; connections that are still open are closed by the drop.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  return create(testStack().template);
}

/** The same without tables, for tests of migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return create(undefined);
}

/** The changed function of `npm run mutants:sql`. */
async function applyMutant(port: number, database: string): Promise<void> {
  const file = process.env['TEST_DATABASE_SQL'];
  if (file === undefined) return;
  await withClient(superuserUrl(port, database), async (client) => {
    await client.query(`SET ROLE ${OWNER_ROLE}`);
    await client.query(readFileSync(file, 'utf8')).catch((error: unknown) => {
      throw new Error(`TEST_DATABASE_SQL cannot be applied: ${String(error)}`);
    });
  });
}

async function create(template: string | undefined): Promise<TestDatabase> {
  const { postgresPort: port } = testStack();
  counter += 1;
  const name = `t_${process.pid}_${process.env['JEST_WORKER_ID'] ?? '0'}_${Date.now().toString(36)}_${counter}`;
  await ensureDatabase(superuserUrl(port), name, template);
  await applyMutant(port, name);
  const url = (user: string) => postgresUrl({ user, password: TEST_PASSWORD, port, database: name });
  return {
    name,
    ownerUrl: url(OWNER_ROLE),
    appUrl: url(APP_ROLE),
    drop: () =>
      withClient(superuserUrl(port), async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}
