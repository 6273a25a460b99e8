import { type Evidence, type EvidenceTerms, evidenceTerms } from '../../domain/evidence/evidence';
import type { RefundReceipt, RefundTerms } from '../../domain/evidence/refund-receipt';
import { unitsToCredits } from '../../domain/ledger/money';
import { canonicalJson } from '../../kit/json/canonical-json';
import { payloadOf, signJws } from '../../kit/crypto/jws';
import type { DbPool } from '../../stores/db';
import { insertSignatures, readEvidenceFacts, readSignatures } from '../../stores/evidence/evidence';
import {
  insertRefundSignature,
  readRefundFacts,
  readRefundSignature,
  type RefundFacts,
} from '../../stores/evidence/refund-evidence';
import type { SigningKeys } from './signing-keys';

/**
 * Signed receipts of ended calls (contract, "Evidence"). A receipt is signed when it is first read, and then stored.
 * Its contents are fixed in rows when the call ends, so signing later does not slow the call down. The protected
 * header of the JWS contains the call's id, so a receipt cannot be presented for another call.
 */
export function createEvidence(deps: { pool: DbPool; keys: Pick<SigningKeys, 'active'> }) {
  const { pool, keys } = deps;

  /** Signs receipts for those of the calls that have ended and have none. */
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
    /** Returns receipts by invocation id; calls in progress have none. Does not check who may read them. */
    async ofCalls(invocationIds: readonly string[]): Promise<Map<string, Evidence>> {
      let signatures = await readSignatures(pool, invocationIds);
      const missing = invocationIds.filter((id) => !signatures.has(id));
      if (missing.length > 0) {
        await sign(missing);
        signatures = await readSignatures(pool, invocationIds);
      }
      return new Map([...signatures].map(([id, signature]) => [id, toEvidence(signature)]));
    },

    /**
     * Returns the receipt of what a dispute returned of the charge of a call, and signs it when it is first read;
     * null for nothing. Does not check who may read it.
     */
    async ofRefund(invocationId: string): Promise<RefundReceipt | null> {
      let signature = await readRefundSignature(pool, invocationId);
      if (signature === undefined) {
        const facts = await readRefundFacts(pool, invocationId);
        if (!facts) return null;
        const key = await keys.active();
        const header = { invocation_id: invocationId };
        const signed = signJws(canonicalJson(refundTerms(facts)), key, header);
        await insertRefundSignature(pool, { invocationId, kid: key.kid, signature: signed });
        signature = await readRefundSignature(pool, invocationId);
      }
      return signature === undefined
        ? null
        : { ...(JSON.parse(payloadOf(signature)) as RefundTerms), signature };
    },
  };
}

export type EvidenceService = ReturnType<typeof createEvidence>;

/** Reads the terms from the signed payload, so that exactly what was signed is shown. */
function toEvidence(signature: string): Evidence {
  return { ...(JSON.parse(payloadOf(signature)) as EvidenceTerms), signature };
}

function refundTerms(facts: RefundFacts): RefundTerms {
  return {
    dispute_id: facts.disputeId,
    resolution: facts.resolution,
    credits_charged: unitsToCredits(facts.chargedUnits),
    credits_refunded: unitsToCredits(facts.refundedUnits),
    refunded_at: facts.refundedAt.toISOString(),
    ledger: [facts.transactionId],
  };
}
