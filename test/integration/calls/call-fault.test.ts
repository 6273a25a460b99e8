/** The party at fault for a failed call: one table in TypeScript, one function in SQL. */
import { callFault } from '../../../src/domain/calls/call-fault';
import { refusesInput } from '../../../src/domain/calls/failure-facts';
import { ERROR_CODES } from '../../../src/domain/errors';
import { withClient } from '../../../src/runtime/postgres/database';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('is the same in the database as in the service, for every error code', async () => {
  const inDatabase = await withClient(database.appUrl, async (client) => {
    const { rows } = await client.query<{ code: string; fault: string }>(
      'SELECT code, call_fault(code) AS fault FROM unnest($1::text[]) AS code',
      [ERROR_CODES],
    );
    return rows;
  });
  expect(inDatabase).toEqual(ERROR_CODES.map((code) => ({ code, fault: callFault(code) })));
});

it('refuses an input by the same statuses of an agent in the database as in the service', async () => {
  const { rows } = await withClient(database.appUrl, (client) =>
    client.query<{ status: number; refuses: boolean }>(
      'SELECT status, refuses_input(status) AS refuses FROM generate_series(100, 999) AS status',
    ),
  );
  expect(rows).toEqual(rows.map(({ status }) => ({ status, refuses: refusesInput(status) })));
});

it('is null for a call without an error code', async () => {
  const { rows } = await withClient(database.appUrl, (client) =>
    client.query('SELECT call_fault(NULL) AS fault'),
  );
  expect(rows).toEqual([{ fault: null }]);
});
