import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { ensureDatabase, withClient } from '../../src/runtime/database';
import { checkLedger, formatReport } from '../../src/services/ledger-check';
import { testStack } from '../support/database';
import { addUser, holdRequest, startLedger, type TestLedger } from '../support/ledger';
import { superuserUrl } from '../support/stack';

/**
 * What `npm run ledger:check` finds when somebody with all rights has edited the ledger behind its triggers. Each
 * forgery is done on a copy of one good ledger.
 */
const run = promisify(execFile);
let good: TestLedger;
let port: number;
let copies = 0;

beforeAll(async () => {
  good = await startLedger(2);
  port = testStack().postgresPort;
  const buyer = await addUser(good, 'buyer', 100);
  const developer = await addUser(good, 'developer', 1_100);
  const requests = [10, 20, 30, 5, 8].map((credits) => holdRequest(buyer, developer, credits));
  const [open, charged, taken, failed, disputed] = requests.map((request) => request.invocationId) as [
    string,
    string,
    string,
    string,
    string,
  ];
  expect(open).toBeDefined();
  await good.ledger.hold(requests);
  await good.ledger.capture(
    [charged, taken].map((invocationId) => ({ invocationId, grossUnits: 2_000, maturesAt: new Date() })),
  );
  await good.ledger.rollUp();
  await good.ledger.clawback([taken]);
  await good.ledger.voidHold([
    { invocationId: failed, disputed: false },
    { invocationId: disputed, disputed: true },
  ]);
  await good.ledger.payRegistration(developer, 'trace');
  const late = holdRequest(buyer, developer, 4);
  await good.ledger.hold([late]);
  await good.ledger.capture([{ invocationId: late.invocationId, grossUnits: 400, maturesAt: new Date() }]);
});
afterAll(() => good.stop());

/** A copy of the good ledger, edited by a superuser without triggers. */
async function forge(sql: string): Promise<{ url: string; drop: () => Promise<void> }> {
  copies += 1;
  const name = `${good.database.name}_forged_${copies}`;
  await withClient(superuserUrl(port), async (client) => {
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`,
      [good.database.name],
    );
  });
  await ensureDatabase(superuserUrl(port), name, good.database.name);
  const url = superuserUrl(port, name);
  await withClient(url, async (client) => {
    await client.query(`SET session_replication_role = replica; ${sql}`);
  });
  const drop = () =>
    withClient(superuserUrl(port), async (admin) => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    });
  return { url, drop };
}

const WALLET = `(SELECT a.account_id FROM accounts a JOIN users u USING (user_id) WHERE u.role = 'buyer' AND a.kind = 'wallet')`;
const CHARGE = `(SELECT transaction_id FROM transactions WHERE kind = 'invocation_charge' ORDER BY transaction_id LIMIT 1)`;
const CHARGED = `(SELECT invocation_id FROM holds WHERE state = 'captured' ORDER BY invocation_id LIMIT 1)`;
const NEW_TXN = `'txn_' || repeat('a', 32)`;

/** what was done, the edit, the proofs that must fail, and what a problem must name */
const FORGERIES: [what: string, sql: string, proofs: string[], names: RegExp][] = [
  [
    'a balance is raised',
    `UPDATE accounts SET balance_units = balance_units + 100 WHERE account_id = ${WALLET}`,
    ['balances'],
    /account \d+ \(wallet of usr_\w+\): holds \d+, its entries sum to \d+/,
  ],
  [
    'a roll-up is slipped in',
    `INSERT INTO pending_rollups (account_id, amount_units) VALUES (4, 77)`,
    ['balances'],
    /account 4 \(fees\): holds/,
  ],
  [
    'a waiting roll-up is lost',
    `DELETE FROM pending_rollups WHERE account_id <> 4`,
    ['balances', 'payable'],
    /\(payable of usr_/,
  ],
  [
    'a roll-up waits for an account that takes none',
    `INSERT INTO pending_rollups (account_id, amount_units) VALUES (${WALLET}, 5)`,
    ['entries'],
    /pending roll-up \d+: account \d+ takes no roll-ups/,
  ],
  [
    'an entry is changed',
    `ALTER TABLE entries DROP CONSTRAINT entries_chain; UPDATE entries SET amount_units = amount_units - 100 WHERE transaction_id = ${CHARGE} AND entry_type = 'invocation_charge'`,
    ['transactions', 'balances', 'chains', 'calls'],
    /txn_\w{32}: 5 entries sum to -100/,
  ],
  [
    'an entry is changed on both sides and the balances with it',
    `UPDATE entries SET amount_units = amount_units - 10 WHERE transaction_id = ${CHARGE} AND entry_type = 'platform_fee';
     UPDATE entries SET amount_units = amount_units + 10 WHERE transaction_id = ${CHARGE} AND entry_type = 'invocation_earning';
     UPDATE accounts SET balance_units = balance_units - 10 WHERE account_id = 4;
     UPDATE accounts SET balance_units = balance_units + 10 WHERE kind = 'payable' AND version > 0`,
    ['calls', 'payable'],
    /invocation\/inv_\w+\/capture: fees moved 50, the hold says 60/,
  ],
  [
    'an entry is removed',
    `DELETE FROM entries WHERE transaction_id = ${CHARGE} AND line = 5`,
    ['transactions', 'balances', 'calls'],
    /4 entries sum to/,
  ],
  [
    'a transaction is removed with its entries',
    `DELETE FROM entries WHERE transaction_id = ${CHARGE}; DELETE FROM transactions WHERE transaction_id = ${CHARGE}`,
    ['balances', 'chains', 'calls'],
    /invocation\/inv_\w+\/capture: payable of usr_\w+ moved 0, the hold says 1940/,
  ],
  [
    'the entries of no transaction appear',
    `DELETE FROM transactions WHERE transaction_id = ${CHARGE}`,
    ['entries', 'calls'],
    /line 1: its transaction is missing/,
  ],
  [
    'an account vanishes',
    `DELETE FROM accounts WHERE account_id = ${WALLET}`,
    ['entries', 'calls', 'clawbacks', 'top-ups'],
    /account \d+ is missing/,
  ],
  [
    'a link of the chain is rewritten',
    `ALTER TABLE entries DROP CONSTRAINT entries_chain; UPDATE entries SET balance_before_units = 1, balance_after_units = 1 + amount_units WHERE account_id = ${WALLET} AND account_version = 2`,
    ['chains'],
    /account \d+ entry 2 has version 2, runs from 1/,
  ],
  [
    'a version is skipped',
    `UPDATE accounts SET version = version + 1 WHERE account_id = ${WALLET}`,
    ['chains'],
    /is at version \d+ with \d+ entries/,
  ],
  [
    'a wallet is below zero',
    `ALTER TABLE accounts DROP CONSTRAINT accounts_not_negative; UPDATE accounts SET balance_units = -5 WHERE account_id = ${WALLET}`,
    ['balances', 'not negative'],
    /\(wallet of usr_\w+\): holds -5/,
  ],
  [
    'a hold is closed without moving its money',
    `UPDATE holds SET state = 'voided', resolved_at = now() WHERE state = 'open'`,
    ['escrow', 'calls'],
    /\(escrow of usr_\w+\): holds 1000, open holds sum to 0/,
  ],
  [
    'a charge is raised on the hold',
    `UPDATE holds SET captured_units = captured_units + 100 WHERE captured_units < amount_units`,
    ['calls', 'lots'],
    /charged 2100, the lot says 2000 = 1940 \+ 60/,
  ],
  [
    'a resolved hold is opened again',
    `UPDATE holds SET state = 'open', captured_units = NULL, resolved_at = NULL WHERE invocation_id = ${CHARGED}`,
    ['escrow', 'calls', 'lots'],
    /a lot without a charge/,
  ],
  [
    'a refunded call is shown as charged',
    `UPDATE holds SET state = 'captured', captured_units = 500 WHERE state = 'voided'`,
    ['calls', 'lots'],
    /charged 500 and made no lot/,
  ],
  [
    'the split of a lot is changed',
    `ALTER TABLE earnings DROP CONSTRAINT earnings_split; UPDATE earnings SET net_units = net_units + 10, fee_units = fee_units - 10 WHERE invocation_id = ${CHARGED}`,
    ['lots', 'payable'],
    /the lot says 2000 = 1950 \+ 50/,
  ],
  [
    'a lot goes to another developer',
    `UPDATE earnings SET developer_user_id = (SELECT user_id FROM users WHERE role = 'buyer') WHERE invocation_id = ${CHARGED}`,
    ['lots', 'payable'],
    /charged 2000, the lot says/,
  ],
  [
    'a lot is marked as paid without a payout',
    `UPDATE earnings SET payout_id = 'pay_1' WHERE invocation_id = ${CHARGED}`,
    ['payable', 'payouts'],
    /\(payable of usr_\w+\): holds \d+, its lots sum to \d+/,
  ],
  [
    'a lot is marked as taken back without a clawback',
    `UPDATE earnings SET clawed_back_at = now(), recovered_units = net_units WHERE invocation_id = ${CHARGED}`,
    ['payable', 'clawbacks'],
    /clawback: usr_\w+ moved 0, the lot says 2000/,
  ],
  [
    'a debt is invented',
    `INSERT INTO clawback_debts SELECT invocation_id, developer_user_id, 5 FROM earnings WHERE invocation_id = ${CHARGED}`,
    ['clawbacks'],
    /platform moved 0, the lot says -5/,
  ],
  [
    'money is minted with a transaction of its own',
    `INSERT INTO transactions (transaction_id, kind, reference, description) VALUES (${NEW_TXN}, 'topup', 'topup/top_' || repeat('b', 32), '');
     INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units) VALUES (${NEW_TXN}, 1, 1, 'topup', -900);
     INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, balance_before_units, balance_after_units, account_version)
       SELECT ${NEW_TXN}, 2, account_id, 'topup', 900, balance_units, balance_units + 900, version + 1 FROM accounts WHERE account_id = ${WALLET};
     UPDATE accounts SET balance_units = balance_units + 900, version = version + 1 WHERE account_id = ${WALLET};
     UPDATE accounts SET balance_units = balance_units - 900 WHERE account_id = 1`,
    ['top-ups'],
    /top_b{32}: credited 900 to usr_\w+, paid for 0 by nobody/,
  ],
  [
    'a transaction has a reference of no kind',
    `UPDATE transactions SET reference = 'gift/1' WHERE transaction_id = ${CHARGE}`,
    ['calls', 'reasons'],
    /invocation_charge with reference gift\/1/,
  ],
  [
    'a top-up says another amount',
    `UPDATE topups SET amount_units = amount_units + 1`,
    ['top-ups'],
    /its invoice is missing or says otherwise/,
  ],
  [
    'an invoice is removed',
    `DELETE FROM invoices WHERE series_no = 1`,
    ['top-ups', 'invoices'],
    /series SBX-\d{4}: 1 invoices up to number 2/,
  ],
  [
    'the fee was taken and is forgotten',
    `UPDATE users SET registration_paid_at = NULL`,
    ['reasons'],
    /registration\/usr_\w+ moved 100000 to the platform/,
  ],
  [
    'money is stuck in clearing',
    `INSERT INTO pending_rollups (account_id, amount_units) VALUES (2, 10)`,
    ['balances', 'clearing'],
    /\(topup_clearing\): holds 10/,
  ],
];

it('finds nothing wrong with a good ledger', async () => {
  const report = await checkLedger(good.app, { ledgerOnly: true });
  expect(report.proofs.filter((proof) => proof.total > 0)).toEqual([]);
  expect(report.ok).toBe(true);
});

it.each(FORGERIES)('finds it when %s', async (_what, sql, proofs, names) => {
  const forged = await forge(sql);
  const pool = new Pool({ connectionString: forged.url, max: 1 });
  try {
    const report = await checkLedger(pool, { ledgerOnly: true });
    expect(report.proofs.filter((proof) => proof.total > 0).map((proof) => proof.name)).toEqual(proofs);
    expect(formatReport(report)).toMatch(names);
    expect(report.ok).toBe(false);
  } finally {
    await pool.end();
    await forged.drop();
  }
});

describe('npm run ledger:check', () => {
  const check = (env: Record<string, string>) =>
    run(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'src/cli/market.ts', 'ledger', 'check'], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
    }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

  it('prints every proof and exits 0 when the ledger is whole', async () => {
    const empty = await startLedger(1);
    const { code, stdout } = await check({ DATABASE_URL: empty.database.appUrl });
    await empty.stop();
    expect(stdout).toMatch(/^ok {4}transactions .* every transaction has entries/);
    expect(stdout).toContain('The ledger is whole.');
    expect(code).toBe(0);
  }, 60_000);

  it('names the account and exits 1 when a balance was edited', async () => {
    const forged =
      await forge(`UPDATE accounts SET balance_units = balance_units + 100 WHERE account_id = ${WALLET};
      DELETE FROM holds WHERE state = 'disputed'`);
    const { code, stdout } = await check({ DATABASE_URL: forged.url });
    await forged.drop();
    expect(stdout).toMatch(/FAIL {2}balances .*\n {6}account \d+ \(wallet of usr_\w+\): holds/);
    expect(code).toBe(1);
  }, 60_000);

  it('says what is missing and exits 2 when there is nothing to check', async () => {
    const { code, stderr } = await check({ MARKET_HOME: '/nonexistent' });
    expect(stderr).toContain('set DATABASE_URL, or start the stack');
    expect(code).toBe(2);
  }, 60_000);
});
