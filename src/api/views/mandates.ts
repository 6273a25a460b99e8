import { unitsToCredits } from '../../domain/ledger/money';
import type { MandateKey } from '../../services/mandates/mandate-keys';
import type { Mandate } from '../../services/mandates/mandates';

export function mandateView(mandate: Mandate) {
  const { maxUnits, reservedUnits, spentUnits, maxCallUnits } = mandate;
  return {
    mandate_id: mandate.mandateId,
    jti: mandate.jti,
    parent_mandate_id: mandate.parentId,
    depth: mandate.depth,
    kid: mandate.kid,
    subject: mandate.subject,
    status: statusOf(mandate),
    max_credits: unitsToCredits(maxUnits),
    spent_credits: unitsToCredits(spentUnits),
    reserved_credits: unitsToCredits(reservedUnits),
    remaining_credits: unitsToCredits(maxUnits - spentUnits - reservedUnits),
    max_credits_per_call: maxCallUnits === null ? null : unitsToCredits(maxCallUnits),
    occurrences: mandate.occurrences,
    max_occurrences: mandate.maxOccurrences,
    allowed_payees: mandate.payees,
    not_before: mandate.notBefore?.toISOString() ?? null,
    expires_at: mandate.expiresAt.toISOString(),
    first_used_at: mandate.firstUsedAt.toISOString(),
    revoked_at: mandate.revokedAt?.toISOString() ?? null,
  };
}

function statusOf({ revokedAt, expiresAt }: Mandate): 'active' | 'expired' | 'revoked' {
  if (revokedAt) return 'revoked';
  return expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
}

/** A key as a JWKS shows it. */
export function publishedKeyView({ kid, publicJwk }: MandateKey) {
  const { kty, crv, x, y } = publicJwk;
  return { kty, crv, x, y, kid, use: 'sig' as const, alg: 'ES256' as const };
}

export function mandateKeyView(key: MandateKey) {
  return { kid: key.kid, jwk: key.publicJwk, name: key.name, created_at: key.createdAt.toISOString() };
}
