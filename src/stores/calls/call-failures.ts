import type { FailureFacts, FailurePhase } from '../../domain/calls/failure-facts';

export interface FailureRecord extends Omit<FailureFacts, 'words'> {
  invocationId: string;
  /** The agent's own words, sealed like an answer, and how long they are kept. */
  words: { sealed: Buffer; ttlMs: number } | null;
}

/** The arguments of the SQL function `call_failure_record`. */
export function failureValues(record: FailureRecord): unknown[] {
  const { invocationId, phase, status, schemaPath, problem, words } = record;
  return [invocationId, phase, status, schemaPath, problem, words?.sealed ?? null, words?.ttlMs ?? 0];
}

/** The columns of `toFailure`, of a call `i`. */
export const FAILURE_COLUMNS = 'f.phase, f.http_status, f.schema_path, f.problem';
export const WITH_FAILURES = 'LEFT JOIN call_failures f ON f.invocation_id = i.invocation_id';

export interface FailureRow {
  phase: FailurePhase | null;
  http_status: number | null;
  schema_path: string | null;
  problem: string | null;
}

export function toFailure(row: FailureRow): Omit<FailureFacts, 'words'> | null {
  if (row.phase === null) return null;
  return { phase: row.phase, status: row.http_status, schemaPath: row.schema_path, problem: row.problem };
}
