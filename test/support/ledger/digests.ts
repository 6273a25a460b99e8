/** A ledger with past days, for tests of its digests. Only a superuser without triggers can make them. */
import type { Client } from 'pg';
import { withClient } from '../../../src/runtime/postgres/database';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { createLogger } from '../../../src/logger';
import { createLedgerDigests } from '../../../src/services/ledger/ledger-digests';
import { createSigningKeys } from '../../../src/services/evidence/signing-keys';
import { testStack } from '../stack/database';
import { addUser, holdRequest, type TestLedger } from './ledger';
import { superuserUrl } from '../stack/stack';

export const MASTER_KEYS = 'dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk=';
export const cipher = createCipher(parseMasterKeys(MASTER_KEYS));

export const signingKeysOf = ({ app }: Pick<TestLedger, 'app'>, sealing = cipher) =>
  createSigningKeys({ pool: app, cipher: sealing });

/** One turn of the worker's loop. */
export const sealerOf = (t: Pick<TestLedger, 'app'>, { patienceMs = 30_000, sealing = cipher } = {}) =>
  createLedgerDigests({
    pool: t.app,
    keys: signingKeysOf(t, sealing),
    logger: createLogger('test', 'silent'),
    patienceMs,
  });

/** Works as a superuser whom no trigger stops. */
export function asIntruder<T>(
  { database }: Pick<TestLedger, 'database'>,
  work: (client: Client) => Promise<T>,
) {
  return withClient(superuserUrl(testStack().postgresPort, database.name), async (client) => {
    await client.query('SET session_replication_role = replica');
    return work(client);
  });
}

/** The same in a transaction that is rolled back afterwards. */
export function tryAsIntruder<T>(
  t: Pick<TestLedger, 'database'>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return asIntruder(t, async (client) => {
    await client.query('BEGIN');
    try {
      return await work(client);
    } finally {
      await client.query('ROLLBACK');
    }
  });
}

/** Makes the movements of the last hour movements of so many days ago. */
export async function moveBack(t: Pick<TestLedger, 'database'>, days: number): Promise<void> {
  const recent = `'txn_' || lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - 3600000), 12, '0')`;
  const earlierOf = (id: string) => `'txn_' || lpad(to_hex(('x' || substr(${id}, 5, 12))::bit(48)::bigint
    - ${days}::bigint * 86400000), 12, '0') || substr(${id}, 17)`;
  const earlier = earlierOf('transaction_id');
  await asIntruder(t, async (client) => {
    for (const table of ['entries', 'transactions']) {
      await client.query(
        `UPDATE ${table} SET transaction_id = ${earlier}, created_at = created_at - $1 * interval '1 day'
          WHERE transaction_id > ${recent}`,
        [days],
      );
    }
    await client.query(
      `UPDATE transaction_references SET transaction_id = ${earlier} WHERE transaction_id > ${recent}`,
    );
    for (const id of ['hold_transaction_id', 'end_transaction_id'])
      await client.query(`UPDATE holds SET ${id} = ${earlierOf(id)} WHERE ${id} > ${recent}`);
  });
}

/** A buyer with money who has made some calls, of which one runs. */
export async function trade(t: TestLedger, calls = 4): Promise<void> {
  const buyer = await addUser(t, 'buyer', 100);
  const developer = await addUser(t, 'developer');
  const requests = Array.from({ length: calls }, (_, n) => holdRequest(buyer, developer, n + 1));
  await t.ledger.hold(requests);
  await t.ledger.capture(
    requests.slice(1).map(({ invocationId, amountUnits }) => ({
      invocationId,
      grossUnits: amountUnits,
      maturesAt: new Date(),
    })),
  );
}

/** Makes the calls of the last hour, with their holds, lots and movements, calls of so many days ago. */
export async function moveCallsBack(t: Pick<TestLedger, 'database' | 'owner'>, days: number): Promise<void> {
  const hex = (text: string) => `lpad(to_hex(('x' || ${text})::bit(48)::bigint
    - CASE WHEN ('x' || ${text})::bit(48)::bigint > extract(epoch FROM now()) * 1000 - 3600000
           THEN ${days}::bigint * 86400000 ELSE 0 END), 12, '0')`;
  const earlier = (id: string) =>
    `substr(${id}, 1, 4) || ${hex(`substr(${id}, 5, 12)`)} || substr(${id}, 17)`;
  const reference = `CASE WHEN reference LIKE 'invocation/%' THEN 'invocation/' || ${earlier(`split_part(reference, '/', 2)`)}
    || '/' || split_part(reference, '/', 3) ELSE reference END`;
  await t.owner.query(
    `SELECT partition_make(p.parent, (now() - $1 * interval '1 day')::date) FROM partitioned_tables() p`,
    [days],
  );
  await asIntruder(t, async (client) => {
    await client.query(
      `UPDATE transactions SET reference = ${reference}, invocation_id = ${earlier('invocation_id')}`,
    );
    await client.query(`UPDATE transaction_references SET reference = ${reference}`);
    await client.query(
      `UPDATE earnings SET invocation_id = ${earlier('invocation_id')}, matures_at = matures_at - $1 * interval '1 day'`,
      [days],
    );
    await client.query(`UPDATE holds SET invocation_id = ${earlier('invocation_id')}`);
    await client.query('SELECT earning_days_recount()');
  });
  await moveBack(t, days);
}
