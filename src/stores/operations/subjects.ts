/** What operators look up by an id, an address or a trace id. Every read is by an index. */
import type { Db } from '../db';

type SubjectKind = 'account' | 'agent' | 'call' | 'dispute' | 'payout' | 'slash' | 'top_up';

export interface Subject {
  kind: SubjectKind;
  id: string;
  userId: string | null;
  invocationId: string | null;
  title: string;
}

/** A query by primary key for each prefix of an id. */
const BY_PREFIX: Record<string, [SubjectKind, string]> = {
  usr: [
    'account',
    'user_id AS id, user_id AS owner, NULL AS call, email AS title FROM users WHERE user_id = $1',
  ],
  agt: [
    'agent',
    'agent_id AS id, developer_user_id AS owner, NULL AS call, status AS title FROM agents WHERE agent_id = $1',
  ],
  inv: [
    'call',
    'invocation_id AS id, buyer_user_id AS owner, invocation_id AS call, status AS title FROM all_invocations WHERE invocation_id = $1',
  ],
  dev: [
    'account',
    'user_id AS id, user_id AS owner, NULL AS call, email AS title FROM users WHERE developer_id = $1',
  ],
  dsp: [
    'dispute',
    'dispute_id AS id, buyer_user_id AS owner, invocation_id AS call, status AS title FROM disputes WHERE dispute_id = $1',
  ],
  pay: [
    'payout',
    'payout_id AS id, developer_user_id AS owner, NULL AS call, status AS title FROM payouts WHERE payout_id = $1',
  ],
  slh: [
    'slash',
    'slash_id AS id, developer_user_id AS owner, NULL AS call, status AS title FROM slashes WHERE slash_id = $1',
  ],
  top: [
    'top_up',
    'topup_id AS id, user_id AS owner, NULL AS call, provider AS title FROM topups WHERE topup_id = $1',
  ],
};

const ACCOUNT = 'u.user_id AS id, u.user_id AS owner, NULL AS call, email AS title FROM users u';
const AGENT = 'a.agent_id AS id, developer_user_id AS owner, NULL AS call, a.status AS title FROM agents a';
const ofAccount = (table: string, key: string, owner = 'user_id'): [SubjectKind, string] => [
  'account',
  `${ACCOUNT} JOIN ${table} o ON o.${owner} = u.user_id WHERE o.${key} = $1`,
];
const ofAgent = (table: string, key: string): [SubjectKind, string] => [
  'agent',
  `${AGENT} WHERE a.agent_id = (SELECT o.agent_id FROM ${table} o WHERE o.${key} = $1)`,
];

/**
 * For the id of a part, the queries for the account, agent or call that it belongs to; the first that finds one counts.
 */
const OWNERS: Record<string, readonly [SubjectKind, string][]> = {
  txn: [
    [
      'call',
      `i.invocation_id AS id, i.buyer_user_id AS owner, i.invocation_id AS call, i.status AS title
         FROM all_transactions t JOIN all_invocations i ON i.invocation_id = t.invocation_id WHERE t.transaction_id = $1`,
    ],
    [
      'account',
      `DISTINCT ${ACCOUNT} JOIN accounts a ON a.user_id = u.user_id
         WHERE a.account_id IN (SELECT account_id FROM ledger_lines($1))`,
    ],
  ],
  // Payments have the ids of their provider, some of which begin like those of payouts.
  pay: [
    [
      'account',
      `${ACCOUNT} JOIN topups o ON o.user_id = u.user_id JOIN payments p ON p.topup_id = o.topup_id
        WHERE p.payment_id = $1`,
    ],
  ],
  pmt: [ofAccount('payout_methods', 'method_id', 'developer_user_id')],
  ivc: [ofAccount('invoices', 'invoice_id')],
  nte: [ofAccount('invoice_notes', 'note_id')],
  xpm: [ofAccount('x402_payments', 'payment_id')],
  xrf: [ofAccount('x402_refunds', 'refund_id')],
  key: [ofAccount('api_keys', 'key_id')],
  whk: [ofAccount('webhooks', 'webhook_id')],
  tax: [ofAccount('tax_forms', 'form_id', 'developer_user_id')],
  bwd: [ofAccount('bond_withdrawals', 'withdrawal_id', 'developer_user_id')],
  fnd: [ofAgent('findings', 'finding_id')],
  rev: [ofAgent('reviews', 'review_id')],
  fct: [ofAgent('finding_contests', 'contest_id')],
  fwv: [ofAgent('finding_waivers', 'waiver_id')],
  ver: [ofAgent('verification_runs', 'run_id')],
};

/** A row of a lookup before it has its kind. */
export interface SubjectRow {
  id: string;
  owner: string | null;
  call: string | null;
  title: string;
}

/** Gives rows of a lookup their kind. */
export const toSubject = (kind: SubjectKind) => (row: SubjectRow) => ({
  kind,
  id: row.id,
  userId: row.owner,
  invocationId: row.call,
  title: row.title,
});

/**
 * Finds the subject of an id with a known prefix; for the id of a part, such as a key or a finding, what it belongs to.
 */
export async function findSubject(db: Db, id: string): Promise<Subject[]> {
  const prefix = id.split('_', 1)[0] ?? '';
  const own = BY_PREFIX[prefix];
  for (const [kind, query] of [...(own ? [own] : []), ...(OWNERS[prefix] ?? [])]) {
    const { rows } = await db.query<SubjectRow>(`SELECT ${query} LIMIT ${MOST_ACCOUNTS}`, [id]);
    if (rows.length > 0) return rows.map(toSubject(kind));
  }
  return [];
}

const MOST_ACCOUNTS = 10;

/** Finds the accounts of an address, ignoring case, the confirmed one first. */
export async function findAccountsByEmail(db: Db, email: string): Promise<Subject[]> {
  const { rows } = await db.query<SubjectRow>(
    `(SELECT user_id AS id, user_id AS owner, NULL AS call, email AS title FROM users
       WHERE lower(email) = lower($1) AND email_confirmed_at IS NOT NULL)
     UNION ALL
     (SELECT user_id, user_id, NULL, email FROM users
       WHERE lower(email) = lower($1) AND email_confirmed_at IS NULL ORDER BY user_id DESC LIMIT ${MOST_ACCOUNTS})`,
    [email],
  );
  return rows.map(toSubject('account'));
}

const MOST_COMPARED = 10_000;

/**
 * Finds calls of a trace id among those whose ids are in a range, at most 10,000 of them: no index names trace ids, and
 * the service makes the id of a call right after its trace id.
 */
export async function findCallsByTrace(
  db: Db,
  traceId: string,
  fromId: string,
  toId: string,
): Promise<Subject[]> {
  const { rows } = await db.query<SubjectRow>(
    `SELECT invocation_id AS id, buyer_user_id AS owner, invocation_id AS call, status AS title
       FROM (SELECT invocation_id, buyer_user_id, status, trace_id FROM all_invocations
              WHERE invocation_id >= $2 AND invocation_id < $3 ORDER BY invocation_id LIMIT ${MOST_COMPARED}) near
      WHERE trace_id = $1 LIMIT ${MOST_ACCOUNTS}`,
    [traceId, fromId, toId],
  );
  return rows.map(toSubject('call'));
}
