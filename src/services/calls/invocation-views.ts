import { defaultMessage, type ErrorCode, isRetryable, MarketError } from '../../domain/errors';
import type { Evidence } from '../../domain/evidence/evidence';
import { type InvocationStatus, isFinal } from '../../domain/calls/invocation-state';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Cipher } from '../../kit/crypto/cipher';
import type { DbPool } from '../../stores/db';
import {
  type InvocationFilter,
  type InvocationRow,
  listInvocations,
  readInvocation,
  readSealedAnswer,
} from '../../stores/calls/invocation-reads';
import { unpackAnswer } from './agent/answer-format';
import type { EvidenceService } from '../evidence/evidence';
import { answerContext } from './invocation-steps';

/** A call as its buyer reads it (contract, "Invocation"). */
export interface InvocationView {
  invocation_id: string;
  agent_id: string;
  version: string;
  surface: string;
  status: InvocationStatus;
  usage: { tokens_in: number; tokens_out: number; duration_ms: number; credits_charged: number };
  error: { code: ErrorCode; message: string; retryable: boolean } | null;
  invoked_at: string;
  settled_at: string | null;
  trace_id: string;
  /** The signed receipt; null while the call runs. */
  evidence: Evidence | null;
}

/** The answer of a call with a key, while it is kept. */
export interface KeptOutput {
  output?: unknown;
  /** Of an answer that was not JSON: `output` is a string then. */
  content_type?: string;
  output_encoding?: 'base64';
}

/** A buyer's own calls; those of others are 404. */
export function createInvocationViews(deps: { pool: DbPool; cipher: Cipher; evidence: EvidenceService }) {
  async function toViews(rows: InvocationRow[]): Promise<InvocationView[]> {
    const ended = rows.filter((row) => isFinal(row.status)).map((row) => row.invocationId);
    const evidence = await deps.evidence.ofCalls(ended);
    return rows.map((row) => toView(row, evidence.get(row.invocationId) ?? null));
  }

  return {
    async get(buyerUserId: string, invocationId: string): Promise<InvocationView & KeptOutput> {
      const row = await readInvocation(deps.pool, invocationId);
      if (!row || row.buyerUserId !== buyerUserId) throw new MarketError('not_found');
      const sealed = row.status === 'succeeded' ? await readSealedAnswer(deps.pool, invocationId) : undefined;
      const [view] = await toViews([row]);
      if (!view) throw new Error('one row makes one view');
      if (!sealed) return view;
      const { json, plain } = unpackAnswer(await deps.cipher.open(sealed, answerContext(invocationId)));
      return {
        ...view,
        output: JSON.parse(json.toString()) as unknown,
        ...(plain && { content_type: plain.contentType }),
        ...(plain?.isBase64 && { output_encoding: 'base64' as const }),
      };
    },

    /** Newest first. */
    async list(filter: InvocationFilter): Promise<{ rows: InvocationView[]; total: number }> {
      const { rows, total } = await listInvocations(deps.pool, filter);
      return { rows: await toViews(rows), total };
    },
  };
}

export type InvocationViews = ReturnType<typeof createInvocationViews>;

function toView(row: InvocationRow, evidence: Evidence | null): InvocationView {
  const code = row.errorCode;
  return {
    invocation_id: row.invocationId,
    agent_id: row.agentId,
    version: row.version,
    surface: row.surface,
    status: row.status,
    usage: {
      tokens_in: row.tokensIn,
      tokens_out: row.tokensOut,
      duration_ms: row.durationMs,
      credits_charged: unitsToCredits(row.chargedUnits),
    },
    error: code ? { code, message: defaultMessage(code), retryable: isRetryable(code) } : null,
    invoked_at: row.invokedAt.toISOString(),
    settled_at: row.settledAt?.toISOString() ?? null,
    trace_id: row.traceId,
    evidence,
  };
}
