/**
 * Each rule of the rows that a call writes, with triggers switched off as a restore does
 * (docs/internals/statements.md#checks).
 */
import { withClient } from '../../../src/runtime/postgres/database';
import { testStack } from '../../support/stack/database';
import {
  addUser,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';
import { superuserUrl } from '../../support/stack/stack';

let t: TestLedger;

beforeAll(async () => {
  t = await startLedger(2);
  const buyer = await addUser(t, 'buyer', 100);
  const request = holdRequest(buyer, await addUser(t, 'developer'), 10);
  await t.ledger.hold([request]);
  await t.ledger.capture([{ invocationId: request.invocationId, grossUnits: 1_000, maturesAt: new Date() }]);
  await t.ledger.hold([holdRequest(buyer, await addUser(t, 'developer'), 10)]);
  await topUp(t.app, buyer, 1_000);
});
afterAll(async () => {
  await expectWhole(t.app);
  await t.stop();
});

const CALL = `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface,
    status, price_units, input_sha256, owner, trace_id)
  VALUES ('inv_0190f3f1d4e87000800000000000abcd', 'b', 'd', 'a', 'v', '1.0.0', 'invoke', 'running', 100, 'sha', 'o', 't')`;

/** Runs SQL with triggers off, and takes it back. Resolves to the number of rows of the last statement. */
const attempt = (sql: string) =>
  withClient(superuserUrl(testStack().postgresPort, t.database.name), async (client) => {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(CALL);
    const { rowCount } = await client.query(sql);
    await client.query('ROLLBACK');
    return rowCount ?? 0;
  });

const BROKEN: [table: string, change: string, rule: string][] = [
  ['accounts', `balance_units = -1 WHERE kind = 'escrow'`, 'accounts_not_negative'],
  ['accounts', `balance_units = -1 WHERE kind = 'fees'`, 'accounts_not_negative'],
  ['transactions', `kind = 'gift'`, 'transactions_kind_check'],
  ['entries', 'amount_units = 0', 'entries_amount_units_check'],
  ['entries', `account_version = NULL WHERE account_version = 1`, 'entries_chain'],
  ['entries', `balance_after_units = balance_after_units + 1 WHERE account_version = 1`, 'entries_chain'],
  [
    'entries',
    `balance_before_units = -5, balance_after_units = amount_units - 5 WHERE account_version = 1`,
    'entries_chain',
  ],
  [
    'entries',
    `balance_after_units = -5, balance_before_units = -5 - amount_units WHERE account_version = 1`,
    'entries_chain',
  ],
  ['holds', `invocation_id = 'inv_1'`, 'holds_invocation_id_check'],
  ['holds', 'amount_units = -100', 'holds_whole_credits'],
  ['holds', 'amount_units = 1050', 'holds_whole_credits'],
  ['holds', `state = 'lost'`, 'holds_state'],
  ['holds', `resolved_at = NULL WHERE state <> 'open'`, 'holds_one_resolution'],
  ['holds', `resolved_at = now() WHERE state = 'open'`, 'holds_one_resolution'],
  ['holds', `captured_units = NULL WHERE state = 'captured'`, 'holds_capture'],
  ['holds', `captured_units = 0 WHERE state = 'open'`, 'holds_capture'],
  ['holds', `captured_units = -100 WHERE state = 'captured'`, 'holds_capture'],
  ['holds', `captured_units = amount_units + 100 WHERE state = 'captured'`, 'holds_capture'],
  ['holds', `captured_units = 50 WHERE state = 'captured'`, 'holds_capture'],
  ['earnings', 'gross_units = 0, net_units = 0, fee_units = 0', 'earnings_split'],
  ['earnings', 'net_units = net_units + 1', 'earnings_split'],
  ['earnings', 'net_units = net_units - 1, fee_units = fee_units + 1', 'earnings_split'],
  ['earnings', 'fee_percent = 4', 'earnings_split'],
  ['earnings', 'recovered_units = -1', 'earnings_recovered'],
  ['earnings', 'recovered_units = net_units + 1', 'earnings_recovered'],
  [
    'invocations',
    `invocation_id = 'inv_0190f3f1d4e87000800000000000ABCD'`,
    'invocations_invocation_id_check',
  ],
  ['invocations', `surface = 'fax'`, 'invocations_surface_check'],
  ['invocations', `status = 'lost'`, 'invocations_status_check'],
  ['invocations', 'price_units = -1', 'invocations_price_units_check'],
  ['invocations', 'free = true', 'invocations_free_month_check'],
  ['invocations', 'free_month = now()', 'invocations_free_month_check'],
  ['invocations', `idempotency_key = repeat('k', 401)`, 'invocations_idempotency_key_check'],
  ['invocations', 'input_bytes = -1', 'invocations_input_bytes_check'],
  ['invocations', 'output_bytes = -1', 'invocations_output_bytes_check'],
  ['invocations', `truncated_by = 'weather'`, 'invocations_truncated_by_check'],
  ['invocations', `status = 'succeeded', settled_at = now()`, 'invocations_charged_units_check'],
  ['invocations', `status = 'succeeded', charged_units = 100`, 'invocations_settled_at_check'],
  ['invocations', `status = 'failed'`, 'invocations_settled_at_check'],
  ['invocations', `status = 'disputed'`, 'invocations_settled_at_check'],
];

it.each(BROKEN)('refuses %s with %s', async (table, change, rule) => {
  await expect(attempt(`UPDATE ${table} SET ${change}`)).rejects.toThrow(rule);
});

const KEPT: [table: string, change: string][] = [
  ['accounts', `balance_units = -1 WHERE kind IN ('cash', 'platform')`],
  ['transactions', `kind = 'payout'`],
  ['entries', 'balance_before_units = NULL, balance_after_units = NULL, account_version = NULL'],
  ['holds', `captured_units = 0 WHERE state = 'captured'`],
  ['holds', `state = 'voided', resolved_at = now(), captured_units = NULL`],
  ['earnings', 'recovered_units = net_units'],
  ['invocations', 'free = true, free_month = now(), idempotency_key = NULL, input_bytes = 0'],
  ['invocations', `status = 'succeeded', settled_at = now(), charged_units = 0, truncated_by = 'ceiling'`],
  ['invocations', `status = 'failed', settled_at = now()`],
];

it.each(KEPT)('keeps %s with %s', async (table, change) => {
  expect(await attempt(`UPDATE ${table} SET ${change}`)).toBeGreaterThan(0);
});

/** Postgres parses it for each statement. */
const MOST_CHARACTERS = 2_600;

it('keeps the text of the CHECKs of each table short', async () => {
  const { rows } = await t.owner.query<{ table: string; characters: string }>(
    `SELECT conrelid::regclass::text AS table, sum(length(conbin::text)) AS characters FROM pg_constraint
     WHERE contype = 'c' AND conrelid = ANY ($1::regclass[]) GROUP BY 1`,
    [['accounts', 'transactions', 'entries', 'holds', 'earnings', 'invocations', 'pending_rollups']],
  );
  expect(rows).toHaveLength(7);
  expect(rows.filter(({ characters }) => Number(characters) > MOST_CHARACTERS)).toEqual([]);
});
