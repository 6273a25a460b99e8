/** Quotes: signed offers for one call, at the price and by the version of now (ADR 0263). */
import { chats, SAMPLE_SESSION } from '../../domain/catalogue/chat-input';
import { MarketError } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';
import { offeredCredits, type QuoteTerms } from '../../domain/prices/quote';
import { signJws } from '../../kit/crypto/jws';
import { newId } from '../../kit/ids/ids';
import { canonicalJson } from '../../kit/json/canonical-json';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { DbPool } from '../../stores/db';
import { insertQuote, purgeQuotes } from '../../stores/prices/quotes';
import { type PreparedInput, requireInput } from '../calls/agent/input-check';
import type { ServingVersion, ServingVersions } from '../catalogue/serving-version-cache';
import type { SigningKeys } from '../evidence/signing-keys';

const PURGED = 1_000;

export interface QuotesDeps {
  pool: DbPool;
  servingVersions: Pick<ServingVersions, 'ofAgent'>;
  schemas: Pick<SchemaPool, 'validate' | 'exceeded'>;
  keys: Pick<SigningKeys, 'active'>;
}

export function createQuotes({ pool, servingVersions, schemas, keys }: QuotesDeps) {
  return {
    /**
     * Offers a call of an agent for ten minutes. Nothing is held or forwarded. Throws `not_found` and `invalid_state`
     * as `ServingVersions.ofAgent` does, `payload_too_large` and `input_schema_mismatch`.
     */
    async offer(
      userId: string,
      agentId: string,
      input: PreparedInput,
    ): Promise<QuoteTerms & { signature: string }> {
      const version = await servingVersions.ofAgent(agentId, userId);
      await requireQuotable(schemas, version, input);
      const { versionId } = version;
      const quote = { quoteId: newId('quo'), userId, versionId, inputSha256: input.sha256 };
      const offer = await insertQuote(pool, { ...quote, isJob: version.jobs !== null });
      const terms: QuoteTerms = {
        quote_id: quote.quoteId,
        agent_id: version.agentId,
        version: version.version,
        manifest_sha256: offer.manifestSha256,
        input_sha256: input.sha256,
        pricing: offer.pricing,
        ...offeredCredits(offer.pricing),
        expected_duration_ms: offer.expectedMs,
        expires_at: offer.expiresAt.toISOString(),
      };
      const signature = signJws(canonicalJson(terms), await keys.active(), { typ: 'quote+jws' });
      return { ...terms, signature };
    },

    /** Deletes quotes that expired long ago. */
    purge: () => purgeQuotes(pool, PURGED),
  };
}

/** The market gives each turn of a chat a session, so the input that is quoted need not have one. */
async function requireQuotable(
  schemas: QuotesDeps['schemas'],
  version: ServingVersion,
  input: PreparedInput,
): Promise<void> {
  try {
    await requireInput(schemas, version, input);
  } catch (error) {
    const isMismatch = error instanceof MarketError && error.code === 'input_schema_mismatch';
    const turn = isMismatch && chats(version.inputSchema) ? turnWithoutSession(input.body) : undefined;
    if (turn === undefined) throw error;
    // What was checked is the input without a session.
    const { checked: _checked, ...rest } = input;
    const body = Buffer.from(JSON.stringify({ ...turn, session_id: SAMPLE_SESSION }));
    await requireInput(schemas, version, { ...rest, body });
  }
}

/** The fields of a turn that names no session; undefined for every other input. */
function turnWithoutSession(body: Buffer): Record<string, unknown> | undefined {
  const value: unknown = JSON.parse(body.toString());
  return isRecord(value) && 'messages' in value && !('session_id' in value) ? value : undefined;
}

export type Quotes = ReturnType<typeof createQuotes>;
