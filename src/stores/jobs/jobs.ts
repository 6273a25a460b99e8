/** Jobs (`migrations/0067_jobs.sql`, ADR 0304). */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

export interface NewJob {
  invocationId: string;
  /** How long the agent took to accept it. */
  tookMs: number;
  /** Sealed; the context is `jobContext(invocationId)`. Null if the agent calls back. */
  sealedLocation: Buffer | null;
  /** How long it may run. */
  mostMs: number;
  /** It may run so long because it would cost more than the buyer's ceiling then. */
  isBudgeted: boolean;
  /** How long the agent may be silent. */
  heartbeatMs: number;
}

/** Writes that an agent has accepted a call as a job. `resolved`: the call has ended. */
export async function acceptJob(db: Db, job: NewJob): Promise<'taken' | 'resolved'> {
  const { rows } = await db.query<{ outcome: 'taken' | 'resolved' }>({
    name: 'job-take',
    text: 'SELECT job_take($1, $2, $3, $4, $5, $6) AS outcome',
    values: [job.invocationId, job.tookMs, job.sealedLocation, job.mostMs, job.isBudgeted, job.heartbeatMs],
  });
  return rows[0]?.outcome ?? 'resolved';
}

export interface JobRow {
  /** How far the clock of the database, which decides, is ahead of this process, in ms. */
  aheadMs: number;
  takenAt: Date;
  tookMs: number;
  endsAt: Date;
  isBudgeted: boolean;
  /** How long it waited for answers of the buyer, which is no time of the agent. */
  pausedMs: number;
  /** Set while a question is open: since when, and until when it waits for the buyer. */
  pause: { since: Date; until: Date } | null;
  /** An answer to a question was not accepted by the agent yet. */
  hasAnswer: boolean;
  /** When the agent counts as silent. */
  silentAt: Date;
  sealedLocation: Buffer | null;
  /** The agent has called something back: progress, a piece or a question. */
  hasReported: boolean;
  /** The call has ended. */
  isOver: boolean;
  /** The answer or the failure that the agent has called back. */
  end: { kind: 'answer' | 'failure'; sealedBody: Buffer; at: Date } | null;
}

export async function readJob(db: Db, invocationId: string): Promise<JobRow | undefined> {
  const { rows } = await db.query<{
    read_at: Date;
    taken_at: Date;
    took_ms: number;
    ends_at: Date;
    is_budgeted: boolean;
    paused_ms: string;
    paused_at: Date | null;
    expires_at: Date | null;
    has_answer: boolean;
    silent_at: Date;
    location: Buffer | null;
    has_reported: boolean;
    is_over: boolean;
    kind: 'answer' | 'failure' | null;
    body: Buffer | null;
    at: Date | null;
  }>({
    name: 'job-read',
    text: `SELECT clock_timestamp() AS read_at, j.taken_at, j.took_ms, j.ends_at, j.is_budgeted, j.location, j.ended_at IS NOT NULL AS is_over,
                  j.paused_ms, j.paused_at, q.expires_at, EXISTS (SELECT FROM job_questions u
                    WHERE u.invocation_id = j.invocation_id AND u.answer IS NOT NULL) AS has_answer,
                  j.heard_webhook IS NOT NULL OR j.piece_count > 0 OR EXISTS (SELECT FROM job_questions u
                    WHERE u.invocation_id = j.invocation_id) AS has_reported,
                  j.heard_at + j.heartbeat_ms * interval '1 millisecond' AS silent_at, e.kind, e.body, e.at
             FROM jobs j LEFT JOIN job_ends e USING (invocation_id)
             LEFT JOIN job_questions q ON q.invocation_id = j.invocation_id AND q.is_open WHERE j.invocation_id = $1`,
    values: [invocationId],
  });
  const row = rows[0];
  if (!row) return undefined;
  const { kind, body, at, paused_at: since, expires_at: until } = row;
  return {
    aheadMs: row.read_at.getTime() - Date.now(),
    takenAt: row.taken_at,
    tookMs: row.took_ms,
    endsAt: row.ends_at,
    isBudgeted: row.is_budgeted,
    pausedMs: Number(row.paused_ms),
    pause: since && until && { since, until },
    hasAnswer: row.has_answer,
    silentAt: row.silent_at,
    sealedLocation: row.location,
    hasReported: row.has_reported,
    isOver: row.is_over,
    end: kind && body && at ? { kind, sealedBody: body, at } : null,
  };
}

/** Notes that the agent of a job has said that it goes on. `sealedMessage`: what it said of the work. */
export async function noteReport(
  db: Db,
  invocationId: string,
  sealedMessage: Buffer | null = null,
): Promise<void> {
  await db.query({
    name: 'job-report',
    text: 'SELECT job_heard($1, NULL, NULL, $2)',
    values: [invocationId, sealedMessage],
  });
}

/**
 * Decides that a job fails whose time is over. False if its agent has called its end back before, or it is not over any
 * more; after true, nothing is accepted from it.
 */
export async function giveUpJob(db: Db, invocationId: string): Promise<boolean> {
  const { rows } = await db.query<{ decided: boolean }>({
    name: 'job-give-up',
    text: 'SELECT job_give_up($1) AS decided',
    values: [invocationId],
  });
  return rows[0]?.decided ?? false;
}

/** Forgets where the agent of a job was asked. */
export async function forgetLocation(db: Db, invocationId: string): Promise<void> {
  await db.query({
    name: 'job-forget',
    text: 'UPDATE jobs SET location = NULL, look_at = NULL WHERE invocation_id = $1 AND ended_at IS NOT NULL',
    values: [invocationId],
  });
}

/** What the buyer of a job may know of it. */
export interface JobProgress {
  takenAt: Date;
  endsAt: Date;
  heardAt: Date;
  /** From 0 to 1; null if the agent has not said. */
  progress: number | null;
  sealedMessage: Buffer | null;
}

/** With how many pieces of the answer the agent has called back. */
export type JobProgressOfCall = JobProgress & { pieces: number };

export async function readJobProgress(db: Db, invocationId: string): Promise<JobProgressOfCall | undefined> {
  const { rows } = await db.query<JobProgressOfCall>({
    name: 'job-progress',
    text: `SELECT taken_at AS "takenAt", ends_at + coalesce(now() - paused_at, interval '0') AS "endsAt", heard_at AS "heardAt", progress, message AS "sealedMessage",
                  piece_count AS pieces
             FROM jobs WHERE invocation_id = $1`,
    values: [invocationId],
  });
  return rows[0];
}

/** A job whose workflow must be woken, or started again: it is open, or its agent was not notified of its end. */
export interface DueJob {
  invocationId: string;
  agentId: string;
  buyerUserId: string;
  traceId: string;
  priceUnits: number;
}

/** The jobs whose workflows must be woken, at most `most`. Each is returned again after a minute. */
export async function claimDueJobs(db: Db, most: number): Promise<DueJob[]> {
  const { rows } = await db.query<Omit<DueJob, 'priceUnits'> & { price_units: string }>({
    name: 'jobs-due',
    text: `SELECT i.invocation_id AS "invocationId", i.agent_id AS "agentId", i.buyer_user_id AS "buyerUserId",
                  i.trace_id AS "traceId", i.price_units
             FROM jobs_due($1) AS d(id) JOIN invocations i ON i.invocation_id = d.id`,
    values: [most],
  });
  return rows.map(({ price_units, ...due }) => ({ ...due, priceUnits: unitsFromDatabase(price_units) }));
}
