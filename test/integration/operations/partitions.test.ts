import { newId } from '../../../src/kit/ids/ids';
import {
  dropEmptyPartitions,
  makePartitionsAhead,
  readPartitionStatus,
} from '../../../src/stores/operations/partitions';
import {
  addUser,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';

/** The large tables lie in one partition per month, and nothing is refused for want of one. */
let t: TestLedger;

beforeAll(async () => {
  t = await startLedger(3);
});
afterAll(async () => {
  await expectWhole(t.app);
  await t.stop();
});

/** An id of the first day of a month, as UUIDv7 has it. */
async function idOf(prefix: string, monthsFromNow: number): Promise<string> {
  const { rows } = await t.owner.query<{ bound: string }>(
    `SELECT partition_bound($1, (date_trunc('month', now()) + $2 * interval '1 month')::date) AS bound`,
    [prefix, monthsFromNow],
  );
  return (rows[0]?.bound ?? '') + newId('inv').slice(-20);
}

const placeOf = async (table: string, key: string, id: string) =>
  (
    await t.owner.query<{ place: string }>(
      `SELECT tableoid::regclass::text AS place FROM ${table} WHERE ${key} = $1`,
      [id],
    )
  ).rows[0]?.place;

it('has this month and the next two from the first day on, and puts a call into this one', async () => {
  expect(await readPartitionStatus(t.app)).toEqual({ ahead: 2, strays: 0 });
  const buyer = await addUser(t, 'buyer', 10);
  const request = holdRequest(buyer, await addUser(t, 'developer'), 1);
  await t.ledger.hold([request]);
  const month = new Date().toISOString().slice(0, 7).replace('-', '_');
  expect(await placeOf('holds', 'invocation_id', request.invocationId)).toBe(`months.holds_${month}`);
});

it('takes an id of any time, and moves what the default partition caught when the month is made', async () => {
  const id = await idOf('inv', 4);
  const buyer = await addUser(t, 'buyer', 10);
  const request = holdRequest(buyer, await addUser(t, 'developer'), 1, id);
  await t.ledger.hold([request]);
  await t.ledger.hold([holdRequest(buyer, request.developerUserId, 1, `inv_${'f'.repeat(32)}`)]);
  expect(await placeOf('holds', 'invocation_id', id)).toBe('months.holds_default');
  expect(await readPartitionStatus(t.app)).toEqual({ ahead: 2, strays: 1 });

  expect(await makePartitionsAhead(t.app, 4)).toBe(14);
  expect(await makePartitionsAhead(t.app, 4)).toBe(0);
  expect(await placeOf('holds', 'invocation_id', id)).toMatch(/^months\.holds_\d{4}_\d\d$/);
  expect(await readPartitionStatus(t.app)).toEqual({ ahead: 4, strays: 1 });
  const [captured] = await t.ledger.capture([{ invocationId: id, grossUnits: 100, maturesAt: new Date() }]);
  expect(captured?.outcome).toBe('captured');
});

it('lets the app role make the partitions ahead only, and neither read, write, detach nor drop one', async () => {
  const month = `holds_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
  for (const sql of [
    `SELECT * FROM months.${month}`,
    `DELETE FROM months.${month}`,
    `DROP TABLE months.${month}`,
    `ALTER TABLE holds DETACH PARTITION months.${month}`,
    `SELECT partition_make('holds', '2090-01-01')`,
    `CREATE TABLE months.holds_2090_01 (LIKE holds)`,
  ])
    await expect(t.app.query(sql)).rejects.toThrow(/permission denied|must be owner/);
  await expect(makePartitionsAhead(t.app, 1_000)).rejects.toThrow('cannot make partitions');
});

it('protects a partition like its table from the owner', async () => {
  await topUp(t.app, await addUser(t, 'buyer'), 500);
  const { rows } = await t.owner.query<{ place: string }>(`
    SELECT DISTINCT tableoid::regclass::text AS place FROM entries UNION SELECT DISTINCT tableoid::regclass::text FROM transactions
    UNION SELECT DISTINCT tableoid::regclass::text FROM holds UNION SELECT DISTINCT tableoid::regclass::text FROM earnings`);
  expect(rows.length).toBeGreaterThanOrEqual(4);
  for (const { place } of rows) {
    await expect(t.owner.query(`DELETE FROM ${place}`)).rejects.toThrow('the ledger is written once');
    await expect(t.owner.query(`TRUNCATE ${place}`)).rejects.toThrow(
      /the ledger is written once|cannot truncate/,
    );
  }
  const entries = rows.find(({ place }) => place.startsWith('months.entries_2'))?.place ?? '';
  await expect(
    t.owner.query(`INSERT INTO ${entries} (transaction_id, line, account_id, entry_type, amount_units)
                   SELECT max(transaction_id), 9, 1, 'topup', 5 FROM ${entries}`),
  ).rejects.toThrow('do not sum to zero, or a line comes twice');
});

it('keeps a business reference unique over all months', async () => {
  const client = await t.owner.connect();
  try {
    await client.query('BEGIN');
    const write = async (months: number) =>
      client.query(
        `INSERT INTO transactions (transaction_id, kind, reference, description) VALUES ($1, 'topup', 'topup/once', 'x')`,
        [await idOf('txn', months)],
      );
    await write(0);
    await expect(write(1)).rejects.toThrow('transactions_reference');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

it('drops months of events and deliveries once they are empty, and no month of money', async () => {
  const monthOf = (ago: number) =>
    t.owner.query(
      `SELECT partition_make(p.parent, (date_trunc('month', now()) - $1 * interval '1 month')::date) FROM partitioned_tables() p`,
      [ago],
    );
  await monthOf(4);
  await monthOf(3);
  const places = async () =>
    (
      await t.owner.query<{ place: string }>(
        `SELECT inhrelid::regclass::text AS place FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
          WHERE c.relkind = 'r' AND inhparent::regclass::text IN (SELECT parent FROM partitioned_tables()) ORDER BY 1`,
      )
    ).rows.map(({ place }) => place);
  const before = await places();
  const event = await idOf('evt', -3);
  const delivery = await idOf('whd', -3);
  await t.owner.query(`INSERT INTO events (event_id, type, data) VALUES ($1, 'invocation.succeeded', '{}')`, [
    event,
  ]);
  await t.owner.query(
    `INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, account)
     VALUES ($1, $2, 'webhook', 'whk_1', 'x', 'usr_1')`,
    [delivery, event],
  );
  await t.owner.query('INSERT INTO webhook_attempts (delivery_id, attempt, duration_ms) VALUES ($1, 1, 1)', [
    delivery,
  ]);
  const busy = await t.owner.connect();
  try {
    await busy.query('BEGIN; LOCK TABLE webhook_deliveries IN ACCESS SHARE MODE');
    expect(await dropEmptyPartitions(t.app, 31)).toBe(0);
  } finally {
    await busy.query('ROLLBACK');
    busy.release();
  }
  expect(await dropEmptyPartitions(t.app, 31)).toBe(2);
  const left = await places();
  const dropped = before.filter((place) => !left.includes(place));
  expect(dropped.map((place) => place.replace(/\d{4}_\d\d$/, ''))).toEqual([
    'months.events_',
    'months.webhook_deliveries_',
  ]);
  await t.owner.query('DELETE FROM webhook_deliveries');
  await t.owner.query('DELETE FROM events');
  expect(await dropEmptyPartitions(t.app, 31)).toBe(2);
  await expect(dropEmptyPartitions(t.app, 0)).rejects.toThrow('cannot drop partitions');
});
