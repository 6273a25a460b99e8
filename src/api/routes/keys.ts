import { createKey, deleteKey, listKeys, rotateKey } from '../../contract/keys';
import { unitsToCredits } from '../../domain/ledger/money';
import type { ApiKeys, IssuedKey } from '../../services/accounts/api-keys';
import type { RouteBinder } from '../binding/route';

export interface KeyRoutesDeps {
  apiKeys: ApiKeys;
}

/** POST|GET /v1/keys, DELETE /v1/keys/{key_id}, POST /v1/keys/{key_id}/rotate. */
export function keyRoutes(binder: RouteBinder, { apiKeys }: KeyRoutesDeps): void {
  binder.bind(createKey, async ({ principal, body }) => {
    const wish = {
      name: body.name,
      scopes: body.scopes,
      creditCap: body.credit_cap ?? null,
      expiresAt: body.expires_at ?? null,
    };
    return toIssued(await apiKeys.create(principal.userId, wish));
  });

  binder.bind(listKeys, async ({ principal, query }) => {
    const page = { limit: query.limit ?? 20, cursor: query.cursor };
    const { items, nextCursor, total } = await apiKeys.list(principal.userId, page);
    return { items: items.map(toKey), next_cursor: nextCursor, total };
  });

  binder.bind(deleteKey, async ({ principal, params }) => {
    await apiKeys.delete(principal.userId, params.key_id);
    return undefined;
  });

  binder.bind(rotateKey, async ({ principal, params, body }) =>
    toIssued(await apiKeys.rotate(principal.userId, params.key_id, body.grace_seconds ?? 0)),
  );
}

function toKey(key: Omit<IssuedKey, 'key'>) {
  return {
    key_id: key.keyId,
    name: key.name,
    key_hint: key.hint,
    scopes: key.scopes,
    credit_cap: key.creditCapUnits === null ? null : unitsToCredits(key.creditCapUnits),
    spent_credits: unitsToCredits(key.spentUnits),
    expires_at: key.expiresAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}

function toIssued(issued: IssuedKey) {
  return { ...toKey(issued), key: issued.key };
}
