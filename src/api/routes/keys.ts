import { changeKey, createKey, deleteKey, listKeys, rotateKey } from '../../contract/keys';
import { NO_LIMITS } from '../../domain/accounts/oauth-grant';
import type { ApiKeys } from '../../services/accounts/api-keys';
import { limitsIn } from '../requests/key-limits';
import { idPosition, listPage } from '../requests/list-page';
import { issuedKeyView, keyView } from '../views/accounts';
import { makerOf, ownMaker } from '../identity/principal';
import type { RouteBinder } from '../binding/route';

export interface KeyRoutesDeps {
  apiKeys: ApiKeys;
}

const KEY_POSITION = idPosition('key');

/** POST|GET /v1/keys, PATCH|DELETE /v1/keys/{key_id}, POST /v1/keys/{key_id}/rotate. */
export function keyRoutes(binder: RouteBinder, { apiKeys }: KeyRoutesDeps): void {
  binder.bind(createKey, async ({ principal, body }) => {
    const wish = {
      name: body.name,
      scopes: body.scopes,
      limits: { ...NO_LIMITS, ...limitsIn(body) },
      expiresAt: body.expires_at ?? null,
    };
    return issuedKeyView(
      await apiKeys.create(principal.userId, wish, {
        parentId: principal.key?.keyId,
        createdBy: makerOf(principal),
      }),
    );
  });

  binder.bind(listKeys, ({ principal, query }) => {
    const { userId, key } = principal;
    const createdBy = ownMaker(principal);
    return listPage(
      { list: ['keys', userId, key?.keyId, createdBy], position: KEY_POSITION, query },
      ([beforeId], limit) => apiKeys.list(userId, { limit, beforeId, parentId: key?.keyId, createdBy }),
      { position: ({ keyId }) => [keyId], view: keyView },
    );
  });

  binder.bind(changeKey, async ({ principal, params, body }) => {
    const change = { name: body.name, ...limitsIn(body) };
    return keyView(await apiKeys.change(principal.userId, params.key_id, change, ownMaker(principal)));
  });

  binder.bind(deleteKey, async ({ principal, params }) => {
    await apiKeys.delete(principal.userId, params.key_id, {
      parentId: principal.key?.keyId,
      createdBy: ownMaker(principal),
    });
    return undefined;
  });

  binder.bind(rotateKey, async ({ principal, params, body }) =>
    issuedKeyView(
      await apiKeys.rotate(principal.userId, params.key_id, body.grace_seconds ?? 0, {
        createdBy: ownMaker(principal),
      }),
    ),
  );
}
