import { type ErrorCode, failureMessage, isRetryable } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import type { HeldJson } from '../../kit/json/held-json';
import type { KeptAnswer } from '../../services/calls/agent/answer-format';
import type { CallUsage } from '../../services/calls/agent/in-flight';
import type { CallBodies } from '../../services/calls/agent/kept-bodies';
import type {
  InvocationWithEvidence,
  InvocationWithOutput,
  JobReport,
  OpenQuestion,
} from '../../services/calls/invocation-views';
import type { JobPiece } from '../../services/jobs/job-pieces';

/** What a call used and cost, on every surface. */
export function usageView({ tokensIn, tokensOut, durationMs, chargedCredits }: CallUsage) {
  return {
    tokens_in: tokensIn,
    tokens_out: tokensOut,
    duration_ms: durationMs,
    credits_charged: chargedCredits,
  };
}

/** Why a call failed; null for a call that did not. A job that failed may be charged for its milestones. */
export function callErrorView(code: ErrorCode | null, chargedCredits = 0) {
  return code === null
    ? null
    : { code, message: failureMessage(code, chargedCredits), retryable: isRetryable(code) };
}

export function invocationView(call: InvocationWithEvidence) {
  return {
    invocation_id: call.invocationId,
    agent_id: call.agentId,
    agent_name: call.agentName,
    version: call.version,
    surface: call.surface,
    status: call.status,
    usage: usageView({ ...call, chargedCredits: unitsToCredits(call.chargedUnits) }),
    truncated_by: call.truncatedBy,
    error: callErrorView(call.errorCode, unitsToCredits(call.chargedUnits)),
    metadata: call.metadata,
    invoked_at: call.invokedAt.toISOString(),
    settled_at: call.settledAt?.toISOString() ?? null,
    trace_id: call.traceId,
    evidence: call.evidence,
  };
}

/** How the agent of a job reports its work. */
export function jobView({
  takenAt,
  endsAt,
  heardAt,
  progress,
  message,
}: Omit<JobReport, 'pieces' | 'milestones' | 'question'>) {
  return {
    accepted_at: takenAt.toISOString(),
    ends_at: endsAt.toISOString(),
    heard_at: heardAt.toISOString(),
    progress,
    message,
  };
}

/** A question that waits for the buyer. */
export function questionView({ questionId, prompt, schema, askedAt, expiresAt }: OpenQuestion) {
  return {
    question_id: questionId,
    prompt,
    schema,
    asked_at: askedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

/** Parsing an output of this size takes about 1 ms. */
const LARGE_BYTES = 64 * 1024;

/**
 * With the output, while it is kept. The output of an answer that was not JSON is a string. `hold` keeps a large
 * output as JSON text.
 */
export function invocationDetailView(detail: InvocationWithOutput, hold: HeldJson['hold']) {
  const { answer, dispute, refundedUnits, refundReceipt, forwardedAt, agentMessage, job, ...call } = detail;
  const shown = invocationView(call);
  return {
    ...shown,
    error: shown.error && { ...shown.error, ...(agentMessage !== null && { agent_message: agentMessage }) },
    refunded_credits: unitsToCredits(refundedUnits),
    refund_receipt: refundReceipt,
    forwarded_at: forwardedAt?.toISOString() ?? null,
    dispute: dispute && {
      dispute_id: dispute.disputeId,
      status: dispute.status,
      opened_at: dispute.openedAt.toISOString(),
      respond_by: dispute.respondBy?.toISOString() ?? null,
      resolved_at: dispute.resolvedAt?.toISOString() ?? null,
    },
    ...(job && {
      job: {
        ...jobView(job),
        pieces: job.pieces,
        milestones: job.milestones.map(({ name, at }) => ({ name, reached_at: at.toISOString() })),
        question: job.question && questionView(job.question),
      },
    }),
    ...(answer && {
      output: jsonOf(answer, hold),
      ...(answer.plain && { content_type: answer.plain.contentType }),
      ...(answer.plain?.isBase64 && { output_encoding: 'base64' as const }),
    }),
  };
}

const jsonOf = ({ json }: KeptAnswer, hold: HeldJson['hold']): unknown =>
  json.length > LARGE_BYTES ? hold(json) : JSON.parse(json.toString());

/** A piece of the answer of a job. It has at most 64 KiB. */
export function pieceView({ number, milestone, piece, sha256, at }: JobPiece) {
  return {
    number,
    milestone,
    piece: piece && (JSON.parse(piece.toString()) as unknown),
    sha256,
    at: at.toISOString(),
  };
}

/** What is kept of a call. `hold` keeps a large body as JSON text. */
export function bodiesView(invocationId: string, bodies: CallBodies, hold: HeldJson['hold']) {
  const body = (kept: KeptAnswer | null) =>
    kept && {
      value: jsonOf(kept, hold),
      ...(kept.plain && { content_type: kept.plain.contentType }),
      ...(kept.plain?.isBase64 && { encoding: 'base64' as const }),
    };
  return {
    invocation_id: invocationId,
    kept_until: bodies.keptUntil?.toISOString() ?? null,
    input: body(bodies.input),
    output: body(bodies.output),
    too_large: bodies.tooLarge,
  };
}
