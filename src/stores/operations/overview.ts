/** What operators look up: one id, the money of one call, and the state of the platform. Every read is by an index. */
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';

export type SubjectKind = 'account' | 'agent' | 'call' | 'dispute' | 'payout' | 'slash' | 'top_up';

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
  key: [ofAccount('api_keys', 'key_id')],
  whk: [ofAccount('webhooks', 'webhook_id')],
  tax: [ofAccount('tax_forms', 'form_id', 'developer_user_id')],
  bwd: [ofAccount('bond_withdrawals', 'withdrawal_id', 'developer_user_id')],
  fnd: [ofAgent('findings', 'finding_id')],
  fct: [ofAgent('finding_contests', 'contest_id')],
  fwv: [ofAgent('finding_waivers', 'waiver_id')],
  ver: [ofAgent('verification_runs', 'run_id')],
};

interface SubjectRow {
  id: string;
  owner: string | null;
  call: string | null;
  title: string;
}

const toSubject = (kind: SubjectKind) => (row: SubjectRow) => ({
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

export interface OperatorCallRow {
  invocation_id: string;
  buyer_user_id: string;
  developer_user_id: string;
  agent_id: string;
  version: string;
  surface: string;
  status: string;
  error_code: string | null;
  trace_id: string;
  invoked_at: Date;
  settled_at: Date | null;
  hold: {
    state: string;
    amount_units: number;
    created_at: string;
    forwarded_at: string | null;
    forward_count: number;
    lease_until: string;
  } | null;
}

export async function readOperatorCall(db: Db, invocationId: string): Promise<OperatorCallRow | undefined> {
  const { rows } = await db.query<OperatorCallRow>(
    `SELECT invocation_id, i.buyer_user_id, i.developer_user_id, i.agent_id, version, surface, status, error_code,
            i.trace_id, invoked_at, settled_at,
            (SELECT to_jsonb(h) FROM (SELECT state, amount_units, created_at, forwarded_at, forward_count, lease_until
               FROM all_holds WHERE invocation_id = $1) h) AS hold
       FROM all_invocations i WHERE invocation_id = $1`,
    [invocationId],
  );
  return rows[0];
}

export interface Movement {
  transactionId: string;
  account: string;
  userId: string | null;
  entryType: string;
  amountUnits: number;
  description: string;
  invocationId: string | null;
  createdAt: Date;
}

interface MovementRow {
  transaction_id: string;
  account: string;
  user_id: string | null;
  entry_type: string;
  amount_units: string;
  description: string;
  invocation_id: string | null;
  created_at: Date;
}

/** Lists both sides of some transactions, oldest first. */
export async function listMovements(db: Db, transactionIds: readonly string[]): Promise<Movement[]> {
  const { rows } = await db.query<MovementRow>(
    `SELECT e.transaction_id, a.kind AS account, a.user_id, e.entry_type, e.amount_units, t.description,
            t.invocation_id, e.created_at
       FROM unnest($1::text[]) wanted (id)
       CROSS JOIN LATERAL ledger_lines(wanted.id) e
       JOIN all_transactions t ON t.transaction_id = wanted.id
       JOIN accounts a USING (account_id)
      ORDER BY e.entry_id`,
    [transactionIds],
  );
  return rows.map((row) => ({
    transactionId: row.transaction_id,
    account: row.account,
    userId: row.user_id,
    entryType: row.entry_type,
    amountUnits: unitsFromDatabase(row.amount_units),
    description: row.description,
    invocationId: row.invocation_id,
    createdAt: row.created_at,
  }));
}

export interface OpenHold {
  invocation_id: string;
  agent_id: string;
  amount_units: number;
  created_at: string;
  lease_until: string;
}

export interface PlatformState {
  holds: OpenHold[];
  schema: { migrations: number; latest: string | null };
  ledger: { sealed: string | null; proven: string | null; provenAt: string | null };
}

const MOST_HOLDS = 20;

/** Reads the open holds whose lease ends first, what migrations were applied, and how far the ledger is proven. */
export async function readPlatformState(db: Db): Promise<PlatformState> {
  return onlyRow(
    await db.query<PlatformState>(
      `SELECT coalesce((SELECT jsonb_agg(h) FROM (
                SELECT invocation_id, agent_id, amount_units, created_at, lease_until FROM holds
                 WHERE state = 'open' ORDER BY lease_until LIMIT ${MOST_HOLDS}) h), '[]') AS holds,
              (SELECT jsonb_build_object('migrations', count(*), 'latest', max(name)) FROM schema_migrations) AS schema,
              jsonb_build_object('sealed', (SELECT max(day) FROM ledger_digests), 'proven', p.day,
                'provenAt', p.proven_at) AS ledger
         FROM (SELECT) one LEFT JOIN LATERAL (
           SELECT day, proven_at FROM ledger_proven_days ORDER BY day DESC LIMIT 1) p ON true`,
    ),
  );
}
