import type { ErrorCode } from '../../domain/errors';
import type { AnsweredQuestion, EvidenceFacts } from '../../domain/evidence/evidence';
import type { Pricing, PublicPart } from '../../domain/catalogue/manifest';
import type { Truncation } from '../../domain/catalogue/truncation';
import { unitsFromDatabase, unitsToCredits } from '../../domain/ledger/money';
import type { Db } from '../db';
import { placeOfIds } from '../months';

/** Returns the existing signatures of these calls, by invocation id. */
export async function readSignatures(db: Db, invocationIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ invocation_id: string; signature: string }>({
    name: 'evidence-signatures',
    text: 'SELECT invocation_id, signature FROM invocation_evidence WHERE invocation_id = ANY($1)',
    values: [invocationIds],
  });
  return new Map(rows.map((row) => [row.invocation_id, row.signature]));
}

/** Stores signatures. If a call already has one, the first one is kept. */
export async function insertSignatures(
  db: Db,
  kid: string,
  signatures: readonly { invocationId: string; signature: string }[],
): Promise<void> {
  await db.query(
    `INSERT INTO invocation_evidence (invocation_id, kid, signature)
     SELECT invocation_id, $2, signature FROM unnest($1::text[], $3::text[]) AS s (invocation_id, signature)
     ON CONFLICT DO NOTHING`,
    [signatures.map((item) => item.invocationId), kid, signatures.map((item) => item.signature)],
  );
}

/** The answered questions of a call `i`, as JSON; null without any. */
export const ANSWERS_OF_CALL = `(SELECT jsonb_agg(jsonb_build_object('question_id', q.question_id, 'question_sha256', q.question_sha256,
      'answer_sha256', q.answer_sha256) ORDER BY q.answered_at) FROM job_questions q
      WHERE q.invocation_id = i.invocation_id AND q.answer_sha256 IS NOT NULL)`;

interface FactsRow {
  invocation_id: string;
  version: string;
  public_part: string;
  former_pricing: Pricing | null;
  quote_id: string | null;
  manifest_sha256: string;
  max_cost_credits: number | null;
  mandate_jti: string | null;
  accept_sha256: string | null;
  accept_passed: boolean | null;
  metadata: Readonly<Record<string, string>> | null;
  input_sha256: string;
  output_sha256: string | null;
  error_code: ErrorCode | null;
  captured_units: string | null;
  truncated_by: Truncation | null;
  has_schemas: boolean;
  transaction_ids: string[];
  answers: AnsweredQuestion[] | null;
}

/**
 * Reads the facts for the receipts of ended calls; calls in progress are left out. From the ledger, only the
 * transactions that ended the call are part of a receipt, not a later clawback.
 */
export async function readEvidenceFacts(
  db: Db,
  invocationIds: readonly string[],
): Promise<(EvidenceFacts & { invocationId: string })[]> {
  const all = placeOfIds(invocationIds);
  const { rows } = await db.query<FactsRow>({
    name: `evidence-facts${all}`,
    text: `SELECT i.invocation_id, i.version, v.public_part, q.quote_id,
                  CASE WHEN coalesce(q.is_former, i.invoked_at < v.price_effective_at) THEN v.former_price -> 'pricing' END AS former_pricing, v.manifest_sha256, i.max_cost_credits, i.input_sha256,
                  i.metadata, c.sha256 AS accept_sha256, c.passed AS accept_passed,
                  (SELECT m.root_jti FROM mandates m WHERE m.issuer_user_id = i.buyer_user_id
                    AND m.mandate_id = i.mandate_id) AS mandate_jti,
                  i.output_sha256, i.error_code, i.truncated_by, CASE WHEN i.is_task THEN ${ANSWERS_OF_CALL} END AS answers,
                  a.kind = 'manifest' OR strpos(v.manifest, '"output_schema":') > 0 AS has_schemas,
                  (SELECT h.captured_units FROM ${all}holds h WHERE h.invocation_id = i.invocation_id) AS captured_units,
                  ARRAY(SELECT t.transaction_id FROM ledger_step_transactions(i.invocation_id) t
                         ORDER BY t.transaction_id) AS transaction_ids
             FROM ${all}invocations i JOIN agent_versions v USING (version_id) JOIN agents a ON a.agent_id = v.agent_id
             LEFT JOIN quoted_calls q ON q.invocation_id = i.invocation_id
             LEFT JOIN call_acceptances c ON c.invocation_id = i.invocation_id
            WHERE i.invocation_id = ANY($1) AND i.status IN ('succeeded', 'failed', 'disputed')`,
    values: [invocationIds],
  });
  return rows.map((row) => ({
    invocationId: row.invocation_id,
    version: row.version,
    pricing: row.former_pricing ?? (JSON.parse(row.public_part) as PublicPart).pricing,
    manifestSha256: row.manifest_sha256,
    quoteId: row.quote_id,
    maxCostCredits: row.max_cost_credits,
    mandateJti: row.mandate_jti,
    acceptance: row.accept_sha256 === null ? null : { sha256: row.accept_sha256, passed: row.accept_passed },
    metadata: row.metadata,
    inputSha256: row.input_sha256,
    outputSha256: row.output_sha256,
    chargedCredits: unitsToCredits(unitsFromDatabase(row.captured_units ?? 0)),
    truncatedBy: row.truncated_by,
    errorCode: row.error_code,
    hasSchemas: row.has_schemas,
    transactionIds: row.transaction_ids,
    answers: row.answers,
  }));
}
