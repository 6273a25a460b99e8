import type { Client } from 'pg';
import { withClient } from '../../../src/runtime/postgres/database';
import { migrate, rollback } from '../../../src/runtime/postgres/migrate';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';
import { createTestTemporal } from '../../support/stack/temporal';

describe('the test stack', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('gives a migrated database with uuidv7(), whose commits survive a killed server', async () => {
    const rows = await withClient(database.appUrl, async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(
        `SELECT uuidv7() AS id, current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
                (SELECT count(*)::int FROM users) AS users`,
      );
      return rows;
    });
    expect(rows).toEqual([{ id: expect.any(String), fsync: 'off', commit: 'on', users: 0 }]);
  });

  it('does not let the app role create or own tables', async () => {
    const attempt = withClient(database.appUrl, (client: Client) => client.query('CREATE TABLE x (id int)'));
    await expect(attempt).rejects.toMatchObject({ code: '42501' });
    const owned = await withClient(database.ownerUrl, (client) =>
      client.query(`SELECT relname FROM pg_class WHERE relowner = 'market_app'::regrole`),
    );
    expect(owned.rows).toEqual([]);
  });

  it('takes every migration down and up again', async () => {
    const own = await createTestDatabase();
    try {
      const down = await rollback(own.ownerUrl);
      expect(down.length).toBeGreaterThan(2);
      const up = await migrate(own.ownerUrl);
      expect([...up.migrations].sort()).toEqual([...down].sort());
    } finally {
      await own.drop();
    }
  });

  it('stores deliveries of processes of the earlier version, which set no account', async () => {
    const account = await withClient(database.ownerUrl, async (client) => {
      const { rows } = await client.query<{ account: string }>(
        `INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id)
           SELECT 'whd_' || id, 'evt_' || id, 'webhook', 'whk_' || id, 'x'
             FROM (SELECT replace(uuidv7()::text, '-', '') AS id) i RETURNING account`,
      );
      return rows[0]?.account;
    });
    // An account that the claims of waiting deliveries reach: they begin behind the empty one.
    expect(account).toBe('unknown');
  });

  it('gives a Temporal namespace of its own', async () => {
    const temporal = await createTestTemporal();
    expect(temporal.namespace).toMatch(/^test-[0-9a-f]{12}$/);
    expect(temporal.address).toMatch(/^127\.0\.0\.1:\d+$/);
  });
});
