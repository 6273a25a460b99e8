import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Db } from '../../stores/db';
import { readInvocation, readSealedAnswer } from '../../stores/calls/invocation-reads';
import { unpackAnswer, type PlainType } from './agent/answer-format';
import type { CallUsage } from './invocation-registry';
import { answerContext } from './invocation-steps';

export interface StoredAnswer {
  invocationId: string;
  traceId: string;
  /** JSON text; null when it is no longer kept. */
  output: Buffer | null;
  /** Set when the answer was not JSON and is still kept. */
  plain: PlainType | null;
  usage: CallUsage;
  /** The agent retains nothing: the answer goes when every caller has it. */
  isForgotten: boolean;
}

/** Answers of finished keyed calls, for replays and for callers attached in another process. */
export function createStoredAnswers(deps: { db: Db; cipher: Cipher }) {
  return {
    async read(invocationId: string): Promise<StoredAnswer> {
      const row = await readInvocation(deps.db, invocationId);
      if (!row) throw new MarketError('not_found');
      const sealed = await readSealedAnswer(deps.db, invocationId);
      const kept = sealed && unpackAnswer(await deps.cipher.open(sealed, answerContext(invocationId)));
      return {
        invocationId,
        traceId: row.traceId,
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
  };
}

export type StoredAnswers = ReturnType<typeof createStoredAnswers>;
