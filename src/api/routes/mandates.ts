import {
  getMandate,
  listMandateKeys,
  listMandates,
  registerMandateKey,
  removeMandateKey,
  revokeMandate,
} from '../../contract/mandates';
import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import type { MandateKey, MandateKeys } from '../../services/mandates/mandate-keys';
import type { Mandate, Mandates } from '../../services/mandates/mandates';
import type { RouteBinder } from '../binding/route';

export interface MandateRouteDeps {
  mandateKeys: MandateKeys;
  mandates: Mandates;
}

const SEQ = /^[1-9][0-9]{0,17}$/;
const KEY_POSITION = [/^[0-9]{1,15}$/, /^[A-Za-z0-9_-]{43}$/];
const DEFAULT_LIMIT = 20;

/** /v1/mandate-keys and /v1/mandates (docs/mandates.md). */
export function mandateRoutes(binder: RouteBinder, { mandateKeys, mandates }: MandateRouteDeps): void {
  binder.bind(registerMandateKey, async ({ body, principal }) =>
    toKey(await mandateKeys.register(principal.userId, body.jwk, body.name ?? null)),
  );

  binder.bind(listMandateKeys, async ({ query, principal: { userId } }) =>
    pageOfKeys(userId, query, await mandateKeys.list(userId)),
  );

  binder.bind(removeMandateKey, async ({ params, principal }) => {
    await mandateKeys.remove(principal.userId, params.kid);
    return undefined;
  });

  binder.bind(listMandates, async ({ query, principal: { userId } }) => {
    const scope = `mandates/${userId}`;
    const limit = query.limit ?? DEFAULT_LIMIT;
    const [beforeSeq] = positionOf(scope, query.cursor, [SEQ]) ?? [];
    const { rows, total } = await mandates.list({ issuerUserId: userId, beforeSeq, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next_cursor = rows.length > limit && last ? encodeCursor(scope, [last.seq]) : null;
    return { items: shown.map(toMandate), next_cursor, total };
  });

  binder.bind(getMandate, async ({ params, principal }) =>
    toMandate(await mandates.get(principal.userId, params.mandate_id)),
  );

  binder.bind(revokeMandate, async ({ params, principal }) => {
    await mandates.revoke(principal.userId, params.mandate_id);
    return undefined;
  });
}

/** An account has few keys: they are read whole. A key that was removed meanwhile still tells where its page ended. */
function pageOfKeys(userId: string, query: { limit?: number; cursor?: string }, keys: readonly MandateKey[]) {
  const scope = `mandate-keys/${userId}`;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const [time = '', kid = ''] = positionOf(scope, query.cursor, KEY_POSITION) ?? [];
  const isBelow = (key: MandateKey) => {
    const ms = key.createdAt.getTime();
    return time === '' || ms < Number(time) || (ms === Number(time) && key.kid > kid);
  };
  const rest = keys.filter(isBelow);
  const shown = rest.slice(0, limit);
  const last = rest.length > limit ? shown.at(-1) : undefined;
  const next_cursor = last ? encodeCursor(scope, [String(last.createdAt.getTime()), last.kid]) : null;
  return { items: shown.map(toKey), next_cursor, total: keys.length };
}

function positionOf(
  scope: string,
  cursor: string | undefined,
  patterns: readonly RegExp[],
): string[] | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(scope, cursor, patterns);
  if (position) return position;
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

function toKey(key: MandateKey) {
  return { kid: key.kid, jwk: key.publicJwk, name: key.name, created_at: key.createdAt.toISOString() };
}

function toMandate(mandate: Mandate) {
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
