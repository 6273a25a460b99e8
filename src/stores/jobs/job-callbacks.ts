/** What agents call back about their jobs. */
import type { Db } from '../db';
import { placeOfIds } from '../months';

/** Whose call an agent calls back about, and the secrets that sign it. */
export interface CalledBack {
  versionId: string;
  agentId: string;
  developerUserId: string;
  /** Sealed; the context is `signingSecretContext(agentId)`. */
  sealedSigningSecret: Buffer;
}

/** Reads what checks a callback; undefined if there is no such call. */
export async function readCalledBack(db: Db, invocationId: string): Promise<CalledBack | undefined> {
  const all = placeOfIds([invocationId]);
  const { rows } = await db.query<CalledBack>({
    name: `job-called-back${all}`,
    text: `SELECT i.version_id AS "versionId", a.agent_id AS "agentId", a.developer_user_id AS "developerUserId",
                  a.signing_secret AS "sealedSigningSecret"
             FROM ${all}invocations i JOIN agents a USING (agent_id) WHERE i.invocation_id = $1`,
    values: [invocationId],
  });
  return rows[0];
}

/** A call about whose task an agent notifies. `early`: the call runs, and is not a job yet. */
export interface Notified {
  developerUserId: string;
  state: 'job' | 'early' | 'over';
}

/** Reads what a notification is about; undefined if there is no such call. */
export async function readNotified(db: Db, invocationId: string): Promise<Notified | undefined> {
  const all = placeOfIds([invocationId]);
  const { rows } = await db.query<Notified>({
    name: `job-notified${all}`,
    text: `SELECT a.developer_user_id AS "developerUserId",
                  CASE WHEN i.status NOT IN ('pending', 'running') OR j.ended_at IS NOT NULL THEN 'over'
                    WHEN j.invocation_id IS NULL THEN 'early' ELSE 'job' END AS state
             FROM ${all}invocations i JOIN agents a USING (agent_id) LEFT JOIN jobs j USING (invocation_id)
            WHERE i.invocation_id = $1`,
    values: [invocationId],
  });
  return rows[0];
}

/** `repeated`: the message was counted before. `early`: the call is not a job yet. */
export type Heard = 'heard' | 'repeated' | 'early' | 'over' | 'unknown';

export interface Report {
  webhookId: string;
  /** 0 to 1. */
  progress: number;
  sealedMessage: Buffer | null;
}

/** Notes the progress that the agent of a job reports. Progress never goes back. */
export async function noteHeard(db: Db, invocationId: string, report: Report): Promise<Heard> {
  const { rows } = await db.query<{ outcome: Heard }>({
    name: 'job-heard',
    text: 'SELECT job_heard($1, $2, $3, $4) AS outcome',
    values: [invocationId, report.webhookId, report.progress, report.sealedMessage],
  });
  return must(rows[0]).outcome;
}

/** `repeated`: the same message was added before. `full`: too much of its agent waits for settlement. */
export type Added = 'added' | 'repeated' | 'over' | 'full' | 'unknown';

export interface JobEnd {
  webhookId: string;
  kind: 'answer' | 'failure';
  sealedBody: Buffer;
}

/** Keeps the answer or the failure of a job. Only the first one counts. */
export async function addEnd(db: Db, invocationId: string, end: JobEnd): Promise<Added> {
  const { rows } = await db.query<{ outcome: Added }>({
    name: 'job-end-add',
    text: 'SELECT job_end_add($1, $2, $3, $4) AS outcome',
    values: [invocationId, end.webhookId, end.kind, end.sealedBody],
  });
  return must(rows[0]).outcome;
}

/** Whether the agent has called back the end of the call, or a question that is open. */
export async function hasCalledBack(db: Db, invocationId: string): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>({
    name: 'job-has-called-back',
    text: `SELECT EXISTS (SELECT FROM job_ends WHERE invocation_id = $1)
               OR EXISTS (SELECT FROM job_questions WHERE invocation_id = $1 AND is_open) AS has`,
    values: [invocationId],
  });
  return must(rows[0]).has;
}

function must<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('a function returned no row');
  return row;
}
