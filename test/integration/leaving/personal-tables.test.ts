/** Every table with an owner is erased and exported, or says why not: a new table is found here. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPORTED_LISTS } from '../../../src/stores/leaving/exported-lists';
import { useMarket } from '../../support/use-market';

const market = useMarket();

/** Columns that name an owner, in any table. */
const OWNERS = [
  'user_id',
  'buyer_user_id',
  'developer_user_id',
  'issuer_user_id',
  'caller_user_id',
  'author_user_id',
  'recipient',
  'owner_id',
  'org_id',
];

/** Tables with an owner of which nothing is erased, and why. */
const KEPT: Record<string, string> = {
  accounts: 'the ledger',
  agents: 'ids, slugs and states of retired agents',
  account_deletions: 'the deletion itself: ids, states and times',
  account_months: 'sums of the ledger',
  buyer_days: 'counts of calls',
  buyer_day_disputes: 'counts of calls',
  bond_withdrawals: 'amounts of the ledger',
  bonds: 'amounts of the ledger',
  call_acceptances: 'digests of calls',
  clawback_debts: 'the ledger',
  earning_days: 'sums of the ledger',
  earning_deltas: 'sums of the ledger',
  earning_totals: 'sums of the ledger',
  earnings: 'the ledger',
  free_calls: 'counts of calls',
  frozen_wallets: 'a state of the ledger',
  holds: 'the ledger',
  invoice_notes: 'amounts, and the number of the invoice',
  long_calls: 'calls in flight: there are none',
  money_flows: 'sums of calls',
  owner_changes: 'ids of accounts, for seconds',
  payment_reversals: 'amounts and references of payments',
  payout_carries: 'the ledger',
  payout_cursors: 'positions of payouts',
  payout_runs: 'times of payouts',
  payouts: 'the ledger',
  pending_calls: 'calls in flight: there are none',
  retained_records: 'sealed for tax authorities (ADR 0389)',
  slash_buyers: 'shares of a remedy',
  slash_calls: 'shares of a refund',
  slugs: 'names of agents stay taken, so that nobody poses as the developer',
  spend_days: 'sums of calls',
  spend_waiting: 'ids of calls',
  x402_payments: 'payments on a public chain',
  x402_refunds: 'payments on a public chain',
};

/** Tables with an owner of which nothing is exported, and why. */
const NOT_EXPORTED: Record<string, string> = {
  account_months: 'sums of what is exported',
  authenticators: 'a secret',
  buyer_days: 'counts of what is exported',
  buyer_day_disputes: 'counts of what is exported',
  call_acceptances: 'with the receipts of calls',
  clawback_debts: 'in the ledger',
  earning_days: 'sums of what is exported',
  earning_deltas: 'sums of what is exported',
  earning_totals: 'sums of what is exported',
  event_followers: 'positions of open streams',
  event_inbox: 'events of the last hours, about what is exported',
  first_runs: 'a limit of verification',
  free_calls: 'counts of what is exported',
  frozen_wallets: 'a decision of operators, in the audit log',
  holds: 'in the ledger',
  invocation_keys: 'with the calls',
  job_questions: 'about calls that run; a question is shown by its call',
  jobs: 'about calls that run',
  long_calls: 'calls that run',
  mail_tokens: 'secrets',
  mails: 'mails that were sent',
  mandate_proofs: 'with the mandates',
  money_flows: 'sums of what is exported',
  owner_changes: 'ids of accounts, for seconds',
  owner_groups: 'follow from the signs, and would name other accounts',
  notice_mails: 'mails about notices, which are exported',
  oauth_devices: 'logins of devices of the last minutes',
  payout_carries: 'in the ledger',
  payout_cursors: 'positions of payouts',
  payout_runs: 'times of payouts',
  pending_calls: 'calls that run',
  price_quotes: 'offers of the last minutes',
  recovery_codes: 'secrets',
  retained_records: 'made by a deletion',
  security_mails: 'mails that were sent',
  slash_buyers: 'the buyers of a broken warranty',
  slash_calls: 'the buyers of a slash',
  slugs: 'with the agents',
  account_deletions: 'shown by GET /v1/account/delete',
  spend_days: 'sums of what is exported',
  spend_tag_days: 'sums of what is exported',
  spend_waiting: 'ids of calls',
  stored_bytes: 'counts of bytes',
  call_tags: 'with the calls',
  x402_refunds: 'sent back on a public chain',
};

it('erases and exports every table with an owner, or says why not', async () => {
  const { rows } = await market.owner.query<{ name: string }>(
    `SELECT DISTINCT c.table_name AS name FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.column_name = ANY ($1) ORDER BY 1`,
    [OWNERS],
  );
  const folder = join(__dirname, '../../../migrations/functions/leaving');
  const erasing = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8')).join('\n'); // prettier-ignore
  const exporting = EXPORTED_LISTS.map(({ sql }) => sql).join('\n');
  const names = (text: string, table: string) => new RegExp(`\\b(all_)?${table}\\b`).test(text);
  const tables = rows.map(({ name }) => name);
  expect(tables.length).toBeGreaterThan(60);
  const changes = (table: string) => new RegExp(`(DELETE FROM|UPDATE) ${table}\\b`).test(erasing);
  expect(tables.filter((table) => !changes(table) && !(table in KEPT))).toEqual([]);
  expect(tables.filter((table) => !names(exporting, table) && !(table in NOT_EXPORTED))).toEqual([]);
});
