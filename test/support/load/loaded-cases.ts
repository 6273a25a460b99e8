/**
 * Cases, payouts, tasks, mails and verification of a market with a long history: most of them ended long ago, many
 * open, all of them with a workflow that was confirmed lately. So a loop finds little to do, and much that it could
 * read.
 */
import type { Client } from 'pg';

const HEX = (n: string) => `lpad(to_hex(${n}), 32, '0')`;
const USER = `'usr_' || ${HEX('101 + n % 100')}`;
const BUYER = `'usr_' || ${HEX('1 + n % 100')}`;
const AGENT = `'agt_loaded_' || (1 + n % 20) || '_v1'`;
const VERSION = `'agv_' || ${HEX('1 + n % 20')}`;
/** Half of the cases are decided. */
const DECIDED = 'n % 2 = 0';

/** Inserts `count` rows of each kind. Needs the users and agents of `loadRows`. */
export async function loadCases(owner: Client, count: number): Promise<void> {
  const rows = `generate_series(1, ${count}) n`;
  for (const statement of [...CASES, ...PAYOUTS, ...OTHERS]) {
    await owner.query(statement.replace('<rows>', rows));
  }
  await owner.query('ANALYZE');
}

const CASES = [
  `INSERT INTO disputes (dispute_id, invocation_id, buyer_user_id, developer_user_id, agent_id, reason, description, status,
     resolution, opened_at, respond_by, resolved_at, trace_id, workflow_started_at)
   SELECT 'dsp_' || ${HEX('n')}, 'inv_' || ${HEX('n')}, ${BUYER}, ${USER}, ${AGENT}, 'other', 'x',
     CASE WHEN ${DECIDED} THEN 'accepted' ELSE 'open' END, CASE WHEN ${DECIDED} THEN 'developer_silent' END,
     now() - interval '1 day', now() + interval '1 day', CASE WHEN ${DECIDED} THEN now() END, 'x', now() + interval '1 hour'
   FROM <rows>`,
  `INSERT INTO slashes (slash_id, developer_user_id, agent_id, status, resolution, requested_units, amount_units,
     explanation, evidence, applied_by, applied_at, counter_by, top_up_ms, resolved_at, trace_id, workflow_started_at)
   SELECT 'slh_' || ${HEX('n')}, ${USER}, ${AGENT}, CASE WHEN ${DECIDED} THEN 'final' ELSE 'applied' END,
     CASE WHEN ${DECIDED} THEN 'developer_silent' END, 100, 100, 'x', '{}', ${USER}, now(), now() + interval '1 day', 1,
     CASE WHEN ${DECIDED} THEN now() END, 'x', now() + interval '1 hour' FROM <rows>`,
  `INSERT INTO slash_calls (slash_id, invocation_id, buyer_user_id, weight_units)
   SELECT 'slh_' || ${HEX('n')}, 'inv_' || ${HEX('n')}, ${BUYER}, 100 FROM <rows>`,
  `INSERT INTO bond_withdrawals (withdrawal_id, developer_user_id, requested_units, status, completed_at, paid_units,
     requested_at, due_at, trace_id, workflow_started_at)
   SELECT 'bwd_' || ${HEX('n')}, ${USER}, 100, CASE WHEN ${DECIDED} THEN 'paid' ELSE 'noticed' END,
     CASE WHEN ${DECIDED} THEN now() END, CASE WHEN ${DECIDED} THEN 100 END, now(), now() + interval '1 day', 'x',
     now() + interval '1 hour' FROM <rows>`,
];

/** Mondays of years, and their payouts. */
const PAYOUTS = [
  `INSERT INTO payout_runs (as_of, attempt, workflow_id, begun_at, ended_at)
   SELECT date_trunc('week', now()) - n * interval '1 week', 0, 'x', now() - n * interval '1 week',
     now() - n * interval '1 week' FROM generate_series(0, 500) n`,
  `INSERT INTO payouts (payout_id, developer_user_id, as_of, period_start, status, reason, lots_units, carried_units,
     amount_units, remainder_units, initiated_at, completed_at, lots, lots_from, lots_until, steps)
   SELECT 'pay_' || ${HEX('n')}, ${USER}, date_trunc('week', now()) - (n / 100) * interval '1 week', now(), 'failed',
     'bank_returned', 100, 0, 100, 0, now(), now(), 1, now(), now(), 1 FROM <rows>`,
];

/** A payout that a developer can read, with the figures of the others. */
export async function loadPayout(owner: Client, payoutId: string, developerId: string): Promise<void> {
  await owner.query(
    `INSERT INTO payouts (payout_id, developer_user_id, as_of, period_start, status, reason, lots_units, carried_units,
       amount_units, remainder_units, initiated_at, completed_at, lots, lots_from, lots_until, steps)
     SELECT $1, $2, as_of, period_start, status, reason, lots_units, carried_units, amount_units, remainder_units,
       initiated_at, completed_at, lots, lots_from, lots_until, steps FROM payouts LIMIT 1`,
    [payoutId, developerId],
  );
}

const OTHERS = [
  `INSERT INTO a2a_tasks (task_id, agent_id, buyer_user_id, caller_user_id, context_id, trace_id, state, started_at,
     expires_at)
   SELECT 'inv_' || ${HEX('n')}, ${AGENT}, ${BUYER}, ${BUYER}, 'x', 'x',
     CASE WHEN ${DECIDED} THEN 'COMPLETED' ELSE 'SUBMITTED' END, now() + interval '1 hour', now() + interval '1 hour'
   FROM <rows>`,
  `INSERT INTO mails (recipient, kind, due_at, sent_at)
   SELECT ${BUYER}, 'x' || n, CASE WHEN ${DECIDED} THEN NULL ELSE now() + interval '1 hour' END,
     CASE WHEN ${DECIDED} THEN now() END FROM <rows>`,
  `INSERT INTO security_mails (recipient, kind, subject, requested_at, due_at, sent_at)
   SELECT ${BUYER}, 'x' || n, '', now(), CASE WHEN ${DECIDED} THEN NULL ELSE now() + interval '1 hour' END,
     CASE WHEN ${DECIDED} THEN now() END FROM <rows>`,
  `INSERT INTO mail_tokens SELECT sha256(n::text::bytea), ${BUYER}, 'log_in', now() + interval '1 hour' FROM <rows>`,
  `INSERT INTO oauth_clients SELECT 'ocl_' || ${HEX('n')}, 'x', '{https://a.test}', now(), now() FROM <rows>`,
  `INSERT INTO oauth_devices (device_sha256, user_code, client_id, scopes, network, poll_seconds, expires_at)
   SELECT sha256(n::text::bytea), translate(lpad(n::text, 8, '0'), '0123456789', 'BCDFGHJKLM'), 'x', '{x}', 'x', 5,
     now() + interval '1 hour' FROM <rows>`,
  `INSERT INTO verification_runs (run_id, agent_id, version_id, reason, state, finished_at)
   SELECT 'ver_' || ${HEX('n')}, ${AGENT}, ${VERSION}, 'x', 'passed', now() FROM <rows>`,
  `INSERT INTO verification_reprobes (reprobe_id, agent_id, version_id, code, reached, run_id)
   SELECT 'x' || n, ${AGENT}, ${VERSION}, 'x', true, 'ver_' || ${HEX('n')} FROM <rows>`,
  `INSERT INTO findings (finding_id, agent_id, line, fingerprint, stage, severity, category, description, risk,
     remediation, mark, points_lost, status, first_run_id, last_run_id)
   SELECT 'fnd_' || ${HEX('n')}, ${AGENT}, 'serving', 'x' || n, 'red_team', 'low', 'x', 'x', 'x', 'x', 'x', 1, 'resolved',
     'ver_' || ${HEX('n')}, 'ver_' || ${HEX('n')} FROM <rows>`,
  `INSERT INTO finding_waivers (waiver_id, agent_id, finding_id, fingerprint, mark, reason, granted_by, expires_at,
     asked_at)
   SELECT 'fwv_' || ${HEX('n')}, ${AGENT}, 'fnd_' || ${HEX('n')}, 'x' || n, 'x', 'x', ${USER}, now() + interval '1 day',
     now() FROM <rows>`,
  `INSERT INTO finding_contests (contest_id, agent_id, finding_id, developer_user_id, statement)
   SELECT 'fct_' || ${HEX('n')}, ${AGENT}, 'fnd_' || ${HEX('n')}, ${USER}, 'x' FROM <rows>`,
  `INSERT INTO advisory_hits (version_id, advisory_id, ecosystem, package, version, asked_at)
   SELECT ${VERSION}, 'GHSA-' || n, 'npm', 'x', '1', now() FROM <rows>`,
];
