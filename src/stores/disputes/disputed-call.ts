import type { Truncation } from '../../domain/catalogue/truncation';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { AnsweredQuestion } from '../../domain/evidence/evidence';
import { ANSWERS_OF_CALL } from '../evidence/evidence';
import { type Db, onlyRow } from '../db';

/** The facts about a disputed call that both sides see. They contain no input and no output. */
export interface DisputedCall {
  version: string;
  surface: string;
  invokedAt: Date;
  settledAt: Date | null;
  durationMs: number | null;
  tokensIn: number | null;
  tokensOut: number | null;
  inputSha256: string;
  outputSha256: string | null;
  /** Null for calls from before sizes were recorded. */
  inputBytes: number | null;
  outputBytes: number | null;
  truncatedBy: Truncation | null;
  chargedUnits: number;
  /** What the agent asked during the job, and what was answered; null without answers. */
  answers: AnsweredQuestion[] | null;
  /** False for agents without schemas. */
  hasSchemas: boolean;
}

/** The columns of `toDisputedCall`, of a call `i`, its agent `a` and its version `v`. */
export const CALL_FACTS = `i.version, i.surface, i.invoked_at, i.settled_at, i.duration_ms, i.tokens_in, i.tokens_out,
  i.input_sha256, i.output_sha256, i.input_bytes, i.output_bytes, i.truncated_by, i.charged_units,
  CASE WHEN i.is_task THEN ${ANSWERS_OF_CALL} END AS answers,
  a.kind = 'manifest' OR strpos(v.manifest, '"output_schema":') > 0 AS has_schemas`;

export interface CallFactsRow {
  version: string;
  surface: string;
  invoked_at: Date;
  settled_at: Date | null;
  duration_ms: number | null;
  tokens_in: number | null;
  tokens_out: number | null;
  input_sha256: string;
  output_sha256: string | null;
  input_bytes: number | null;
  output_bytes: number | null;
  truncated_by: Truncation | null;
  charged_units: string | null;
  answers: AnsweredQuestion[] | null;
  has_schemas: boolean;
}

export async function readDisputedCall(db: Db, invocationId: string): Promise<DisputedCall> {
  const result = await db.query<CallFactsRow>({
    name: 'dispute-call',
    text: `SELECT ${CALL_FACTS}
             FROM all_invocations i JOIN agents a USING (agent_id) JOIN agent_versions v USING (version_id)
            WHERE i.invocation_id = $1`,
    values: [invocationId],
  });
  return toDisputedCall(onlyRow(result));
}

export function toDisputedCall(row: CallFactsRow): DisputedCall {
  return {
    version: row.version,
    surface: row.surface,
    invokedAt: row.invoked_at,
    settledAt: row.settled_at,
    durationMs: row.duration_ms,
    tokensIn: row.tokens_in,
    tokensOut: row.tokens_out,
    inputSha256: row.input_sha256,
    outputSha256: row.output_sha256,
    inputBytes: row.input_bytes,
    outputBytes: row.output_bytes,
    truncatedBy: row.truncated_by,
    chargedUnits: unitsFromDatabase(row.charged_units ?? 0),
    answers: row.answers,
    hasSchemas: row.has_schemas,
  };
}
