/**
 * What refers to an account either ends with it when its address is freed (unconfirmed_account_delete), or shows that
 * the account is in use and keeps it. A new table that refers to accounts fails here until one of them is said, so that
 * rows which a sign-up or a login writes by itself keep no address.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MIGRATIONS = join(__dirname, '../../migrations');

/** Tables whose rows keep an account. */
const KEEPS: Record<string, readonly string[]> = {
  'it sells': ['slugs', 'agents', 'bonds', 'bond_withdrawals', 'slashes', 'finding_contests'],
  'it pays': [
    ...['topups', 'invoices', 'invoice_notes', 'payment_reversals', 'frozen_wallets', 'saved_methods'],
    ...['auto_topups', 'x402_payments', 'x402_refunds', 'account_months', 'owner_circles', 'reviews'],
  ],
  'it belongs to a company, or is one': [
    ...['organisations', 'organisation_members', 'organisation_invitations', 'sso_identities'],
  ],
  'it may see private agents': ['agent_audience', 'agent_access_requests'],
  'it asked for its data, or leaves': ['account_exports', 'account_deletions', 'retained_records'],
  'it is an operator': ['operator_actions', 'finding_waivers'],
};

it('says of each table that refers to accounts whether it keeps them', () => {
  const schema = readFileSync(join(MIGRATIONS, 'schema.sql'), 'utf8');
  const tables = [...schema.matchAll(/^CREATE TABLE (\w+) \(\n([\s\S]*?)\n\)/gm)];
  const referring = tables.filter(([, , body = '']) => /\) REFERENCES users\b/.test(body));
  const text = readFileSync(join(MIGRATIONS, 'functions/accounts/unconfirmed_account_delete.sql'), 'utf8');
  const deleted = new Set([...text.matchAll(/DELETE FROM (\w+)/g)].map(([, table]) => table));
  const kept = referring.flatMap(([, table = '']) => (deleted.has(table) ? [] : [table]));
  expect(kept.sort()).toEqual(Object.values(KEEPS).flat().sort());
  expect(referring.length).toBeGreaterThan(kept.length);
});
