import { getJwks, getRequestKeys } from '../../contract/evidence';
import { DIRECTORY_CACHED_SECONDS, type RequestKeys } from '../../services/evidence/request-keys';
import type { SigningKeys } from '../../services/evidence/signing-keys';
import { Answer, HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';

export interface EvidenceRouteDeps {
  signingKeys: Pick<SigningKeys, 'published'>;
  requestKeys: Pick<RequestKeys, 'directory'>;
}

/** Keys may be cached for five minutes. A verifier that sees an unknown `kid` fetches them again. */
const CACHE_CONTROL = 'public, max-age=300';

/** GET /.well-known/jwks.json and the key directory of Web Bot Auth. */
export function evidenceRoutes(binder: RouteBinder, { signingKeys, requestKeys }: EvidenceRouteDeps): void {
  binder.bind(getJwks, async () => {
    const keys = await signingKeys.published();
    return new Answer({ keys }, { headers: { 'Cache-Control': CACHE_CONTROL } });
  });

  // The signatures are over the bytes of the body.
  binder.bind(getRequestKeys, async ({ res }) => {
    const { body, headers } = await requestKeys.directory();
    res.set({
      ...headers,
      'Content-Type': 'application/http-message-signatures-directory+json',
      'Cache-Control': `public, max-age=${DIRECTORY_CACHED_SECONDS}`,
    });
    res.end(body);
    return HANDLED;
  });
}
