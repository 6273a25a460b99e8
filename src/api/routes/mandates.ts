import {
  getMandate,
  getMandateJwks,
  listMandateKeys,
  listMandates,
  registerMandateKey,
  removeMandateKey,
  revokeMandate,
} from '../../contract/mandates';
import type { MandateKeys } from '../../services/mandates/mandate-keys';
import type { Mandates } from '../../services/mandates/mandates';
import { listPage } from '../requests/list-page';
import { mandateKeyView, mandateView, publishedKeyView } from '../views/mandates';
import { Answer } from '../answers/answer';
import type { RouteBinder } from '../binding/route';

export interface MandateRouteDeps {
  mandateKeys: MandateKeys;
  mandates: Mandates;
}

/** A removed key may verify at most this long in copies; calls are decided by the registered keys. */
const JWKS_CACHE = 'public, max-age=300';
const MANDATE_POSITION = [/^[1-9][0-9]{0,17}$/];
const KEY_POSITION = [/^[0-9]{1,15}$/, /^[A-Za-z0-9_-]{43}$/];

/** /v1/mandate-keys and /v1/mandates (docs/mandates.md). */
export function mandateRoutes(binder: RouteBinder, { mandateKeys, mandates }: MandateRouteDeps): void {
  binder.bind(registerMandateKey, async ({ body, principal }) =>
    mandateKeyView(await mandateKeys.register(principal.userId, body.jwk, body.name ?? null)),
  );

  binder.bind(listMandateKeys, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['mandate-keys', userId], position: KEY_POSITION, query },
      ([afterMs, afterKid], limit) => mandateKeys.list(userId, { afterMs, afterKid, limit }),
      { position: (key) => [String(key.createdAt.getTime()), key.kid], view: mandateKeyView },
    ),
  );

  binder.bind(getMandateJwks, async ({ params }) => {
    const keys = await mandateKeys.published(params.account_id);
    return new Answer({ keys: keys.map(publishedKeyView) }, { headers: { 'Cache-Control': JWKS_CACHE } });
  });

  binder.bind(removeMandateKey, async ({ params, principal }) => {
    await mandateKeys.remove(principal.userId, params.kid);
    return undefined;
  });

  binder.bind(listMandates, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['mandates', userId], position: MANDATE_POSITION, query },
      ([beforeSeq], limit) => mandates.list({ issuerUserId: userId, beforeSeq, limit }),
      { position: ({ seq }) => [seq], view: mandateView },
    ),
  );

  binder.bind(getMandate, async ({ params, principal }) =>
    mandateView(await mandates.get(principal.userId, params.mandate_id)),
  );

  binder.bind(revokeMandate, async ({ params, principal }) => {
    await mandates.revoke(principal.userId, params.mandate_id);
    return undefined;
  });
}
