import { type ErrorCode, MarketError } from '../../domain/errors';
import type { Truncation } from '../../domain/catalogue/truncation';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Db } from '../../stores/db';
import { readInvocation, readSealedAnswer } from '../../stores/calls/invocation-reads';
import { unpackAnswer, type PlainType } from './agent/answer-format';
import type { CallUsage } from './agent/in-flight';
import { answerContext } from './invocation-steps';

export interface StoredAnswer {
  invocationId: string;
  traceId: string;
  /** JSON text; null if it is no longer stored. */
  output: Buffer | null;
  /** Set if the answer was not JSON and is still stored. */
  plain: PlainType | null;
  usage: CallUsage;
  truncatedBy: Truncation | null;
  /** True if the agent has zero retention: the answer is deleted once every caller has received it. */
  isForgotten: boolean;
}

/** Answers of ended calls with an idempotency key, for replays and for callers attached in other processes. */
export function createStoredAnswers(deps: { db: Db; cipher: Cipher }) {
  return {
    async read(invocationId: string): Promise<StoredAnswer> {
      const row = await readInvocation(deps.db, invocationId);
      if (!row) throw new MarketError('not_found');
      const sealed = await readSealedAnswer(deps.db, invocationId);
      const kept = sealed && unpackAnswer(await deps.cipher.unseal(sealed, answerContext(invocationId)));
      return {
        invocationId,
        traceId: row.traceId,
        truncatedBy: row.truncatedBy,
        isForgotten: row.retentionDays === 0,
        output: kept?.json ?? null,
        plain: kept?.plain ?? null,
        usage: {
          tokensIn: row.tokensIn,
          tokensOut: row.tokensOut,
          durationMs: row.durationMs,
          chargedCredits: unitsToCredits(row.chargedUnits),
        },
      };
    },

    /** The error of a failed call, with the words for its buyer while they are stored. */
    async failureOf(invocationId: string, code: ErrorCode | null): Promise<MarketError> {
      const sealed = code === 'agent_error' ? await readSealedAnswer(deps.db, invocationId) : undefined;
      const words = sealed && (await deps.cipher.unseal(sealed, answerContext(invocationId))).toString();
      return new MarketError(code ?? 'internal_error', { invocationId, agentMessage: words });
    },
  };
}

export type StoredAnswers = ReturnType<typeof createStoredAnswers>;
