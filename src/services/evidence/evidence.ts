import { type Evidence, type EvidenceTerms, evidenceTerms } from '../../domain/evidence/evidence';
import { canonicalJson } from '../../kit/json/canonical-json';
import { payloadOf, signJws } from '../../kit/crypto/jws';
import type { DbPool } from '../../stores/db';
import { insertSignatures, readEvidenceFacts, readSignatures } from '../../stores/evidence/evidence';
import type { SigningKeys } from './signing-keys';

/**
 * Signed receipts of finished calls (contract, "Evidence"). A receipt is signed when it is first read and kept as it
 * is: all that it says is fixed in rows when the call ends, so that signing later costs the call nothing. The JWS
 * names the call in its protected header, so that a receipt cannot be shown for another call.
 */
export function createEvidence(deps: { pool: DbPool; keys: Pick<SigningKeys, 'active'> }) {
  const { pool, keys } = deps;

  /** Signs the calls among these that are over and have no receipt yet. */
  async function sign(invocationIds: readonly string[]): Promise<void> {
    const facts = await readEvidenceFacts(pool, invocationIds);
    if (facts.length === 0) return;
    const key = await keys.active();
    const signatures = facts.map((call) => {
      const header = { invocation_id: call.invocationId };
      const signature = signJws(canonicalJson(evidenceTerms(call)), key, header);
      return { invocationId: call.invocationId, signature };
    });
    await insertSignatures(pool, key.kid, signatures);
  }

  return {
    /** By invocation id; a call in progress has none. Never decides who may see it. */
    async ofCalls(invocationIds: readonly string[]): Promise<Map<string, Evidence>> {
      let signatures = await readSignatures(pool, invocationIds);
      const missing = invocationIds.filter((id) => !signatures.has(id));
      if (missing.length > 0) {
        await sign(missing);
        signatures = await readSignatures(pool, invocationIds);
      }
      return new Map([...signatures].map(([id, signature]) => [id, toEvidence(signature)]));
    },
  };
}

export type EvidenceService = ReturnType<typeof createEvidence>;

/** What was signed is what is shown: the terms come out of the signature itself. */
function toEvidence(signature: string): Evidence {
  return { ...(JSON.parse(payloadOf(signature)) as EvidenceTerms), signature };
}
