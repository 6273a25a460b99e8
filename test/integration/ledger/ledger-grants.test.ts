import {
  addUser,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';

/** Rights on the ledger: the service writes through functions only, and not even the owner can rewrite it. */
let t: TestLedger;
let invocationId: string;
let userId: string;

beforeAll(async () => {
  t = await startLedger(2);
  userId = await addUser(t, 'buyer', 100);
  const developer = await addUser(t, 'developer');
  const request = holdRequest(userId, developer, 10);
  invocationId = request.invocationId;
  await t.ledger.hold([request]);
  await t.ledger.capture([{ invocationId, grossUnits: 1_000, maturesAt: new Date() }]);
  await t.ledger.clawback([invocationId]);
});
afterAll(async () => {
  await expectWhole(t.app);
  await t.stop();
});

const TABLES: [table: string, column: string][] = [
  ['accounts', 'balance_units'],
  ['transactions', 'description'],
  ['entries', 'amount_units'],
  ['holds', 'state'],
  ['earnings', 'recovered_units'],
  ['pending_rollups', 'amount_units'],
  ['clawback_debts', 'owed_units'],
  ['invoices', 'number'],
  ['invoice_series', 'last_number'],
  ['invoice_notes', 'number'],
];

describe.each(TABLES)('the app role on %s', (table, column) => {
  it.each([
    ['insert', `INSERT INTO ${table} DEFAULT VALUES`],
    ['update', `UPDATE ${table} SET ${column} = ${column}`],
    ['delete', `DELETE FROM ${table}`],
    ['truncate', `TRUNCATE ${table}`],
  ])('may not %s', async (_what, sql) => {
    await expect(t.app.query(sql)).rejects.toThrow(`permission denied for table ${table}`);
  });

  it('may read', async () => {
    await expect(t.app.query(`SELECT * FROM ${table} LIMIT 1`)).resolves.toBeDefined();
  });
});

it('keeps the inner functions from the app role', async () => {
  const { rows } = await t.app.query<{ name: string; allowed: boolean }>(
    `SELECT p.proname AS name, has_function_privilege('market_app', p.oid, 'EXECUTE') AS allowed
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public' AND (p.proname LIKE 'ledger\\_%' OR p.proname LIKE 'billing\\_%')
       AND p.prorettype <> 'trigger'::regtype`,
  );
  const allowed = rows.filter((row) => row.allowed).map((row) => row.name);
  expect(allowed.sort()).toEqual([
    'billing_billed_to',
    'billing_complete_topups',
    'ledger_capture',
    'ledger_clawback',
    'ledger_entries_of',
    'ledger_hold',
    'ledger_lines',
    'ledger_pay_registration',
    'ledger_prove',
    'ledger_registration_fee_units',
    'ledger_roll_up',
    'ledger_step_transactions',
    'ledger_summarize_entries',
    'ledger_void',
  ]);
  await expect(
    t.app.query(`SELECT ledger_post('topup', 'x', NULL, NULL, '', NULL, '{}', '{}', '{}')`),
  ).rejects.toThrow('permission denied for function ledger_post');
});

it('runs every function that has the rights of the owner with a fixed search path', async () => {
  const { rows } = await t.app.query<{ proname: string }>(
    `SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public' AND prosecdef
       AND NOT coalesce('search_path=pg_catalog, public, pg_temp' = ANY (proconfig), false)`,
  );
  expect(rows).toEqual([]);
});

it('lets the app role open a top-up only as pending, and end none by itself', async () => {
  await expect(t.app.query(`UPDATE topups SET status = 'succeeded'`)).rejects.toThrow('permission denied');
  await expect(
    t.app.query(
      `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, status)
                 VALUES ('top_1', $1, 1, 'INR', 1, 'sandbox', 'succeeded')`,
      [userId],
    ),
  ).rejects.toThrow('permission denied');
  await expect(t.app.query('UPDATE topups SET amount_units = 1000000')).rejects.toThrow('permission denied');
});

describe('the owner of the tables', () => {
  it.each([
    'UPDATE entries SET amount_units = amount_units',
    'DELETE FROM entries',
    'TRUNCATE entries',
    "UPDATE transactions SET description = 'x'",
    'DELETE FROM transactions',
    'DELETE FROM holds',
    'DELETE FROM earnings',
    'DELETE FROM accounts',
    'DELETE FROM invoices',
    'UPDATE invoices SET amount_units = 1',
  ])('is refused: %s', async (sql) => {
    await expect(t.owner.query(sql)).rejects.toThrow(/the ledger is written once|cannot truncate/);
  });

  it('cannot write entries that do not sum to zero', async () => {
    await expect(
      t.owner.query(`INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units)
                     VALUES ('txn_x', 1, 1, 'topup', 5), ('txn_x', 2, 2, 'topup', -4)`),
    ).rejects.toThrow('the entries of txn_x do not sum to zero, or a line comes twice');
  });

  it('cannot write an entry that does not continue the chain of its account', async () => {
    const chain = 'balance_before_units, balance_after_units, account_version';
    const entries = (version: number, after: number) => `
      INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units, ${chain})
      SELECT 'txn_x', 1, 1, 'topup', -5, NULL, NULL, NULL
      UNION ALL SELECT 'txn_x', 2, account_id, 'topup', 5, ${after} - 5, ${after}, ${version} FROM accounts
        WHERE user_id = '${userId}' AND kind = 'wallet'`;
    const { rows } = await t.owner.query<{ balance_units: string; version: string }>(
      `SELECT balance_units, version FROM accounts WHERE user_id = $1 AND kind = 'wallet'`,
      [userId],
    );
    const [units, version] = [Number(rows[0]?.balance_units), Number(rows[0]?.version)];
    for (const wrong of [entries(version + 1, units + 5), entries(version, units + 5)])
      await expect(t.owner.query(wrong)).rejects.toThrow('do not continue its chain');
  });

  it('cannot write a line twice', async () => {
    await expect(
      t.owner.query(`INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units)
                     VALUES ('txn_x', 1, 1, 'topup', 5), ('txn_x', 1, 2, 'topup', -5)`),
    ).rejects.toThrow('or a line comes twice');
  });

  it('cannot open an account for a user who does not exist, nor delete a user who has accounts', async () => {
    await expect(
      t.owner.query(
        `INSERT INTO accounts (account_id, user_id, kind) VALUES (9999999, 'usr_nobody', 'wallet')`,
      ),
    ).rejects.toThrow('no user usr_nobody');
    await expect(t.owner.query('DELETE FROM users WHERE user_id = $1', [userId])).rejects.toThrow(
      'has accounts',
    );
  });

  it.each(['wallet', 'escrow', 'payable', 'bond', 'slash_hold'])(
    'cannot bring a %s below zero',
    async (kind) => {
      await expect(
        t.owner.query(
          `UPDATE accounts SET balance_units = -1, version = version + 1 WHERE user_id = $1 AND kind = $2`,
          [userId, kind],
        ),
      ).rejects.toThrow('accounts_not_negative');
    },
  );

  it.each(['fees', 'topup_clearing', 'payout_clearing'])('cannot bring %s below zero', async (kind) => {
    await expect(
      t.owner.query(`UPDATE accounts SET balance_units = -1, version = version + 1 WHERE kind = $1`, [kind]),
    ).rejects.toThrow('accounts_not_negative');
  });

  it('cannot resolve a hold twice, change its terms, or charge more than it holds', async () => {
    const set = (what: string) =>
      t.owner.query(`UPDATE holds SET ${what} WHERE invocation_id = $1`, [invocationId]);
    await expect(set("state = 'voided', captured_units = NULL")).rejects.toThrow('was resolved as captured');
    const request = holdRequest(userId, userId, 1);
    await t.ledger.hold([request]);
    invocationId = request.invocationId;
    await expect(set('amount_units = 200')).rejects.toThrow('are fixed');
    await expect(set("state = 'captured', resolved_at = now(), captured_units = 200")).rejects.toThrow(
      'holds_capture',
    );
    await expect(set("state = 'captured', resolved_at = now()")).rejects.toThrow('holds_capture');
    await expect(set("state = 'voided'")).rejects.toThrow('holds_one_resolution');
    await expect(set("state = 'lost', resolved_at = now()")).rejects.toThrow('holds_state');
    await t.ledger.voidHold([{ invocationId, disputed: false }]);
  });

  it('cannot open an account of a kind that the ledger does not know', async () => {
    await expect(
      t.owner.query(`INSERT INTO accounts (account_id, user_id, kind) VALUES (7, $1, 'pocket')`, [userId]),
    ).rejects.toThrow('not a new account');
    await expect(
      t.owner.query(`INSERT INTO accounts (account_id, kind, balance_units) VALUES (7, 'fees', 5)`),
    ).rejects.toThrow('not a new account');
  });
});

it('refuses a second transaction with the same business reference', async () => {
  const topupId = await topUp(t.app, userId, 100);
  await expect(
    t.owner.query(
      `SELECT ledger_post('topup', 'topup/' || $1, NULL, NULL, '', NULL, ARRAY[1, 5], ARRAY['a', 'a'], ARRAY[-1, 1])`,
      [topupId],
    ),
  ).rejects.toThrow('transactions_reference');
});
