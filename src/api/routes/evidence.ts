import { getJwks } from '../../contract/evidence';
import type { SigningKeys } from '../../services/evidence/signing-keys';
import { Answer } from '../answers/answer';
import type { RouteBinder } from '../binding/route';

export interface EvidenceRouteDeps {
  signingKeys: Pick<SigningKeys, 'published'>;
}

/** Keys may be cached for five minutes. A verifier that sees an unknown `kid` fetches them again. */
const CACHE_CONTROL = 'public, max-age=300';

/** GET /.well-known/jwks.json. */
export function evidenceRoutes(binder: RouteBinder, { signingKeys }: EvidenceRouteDeps): void {
  binder.bind(getJwks, async () => {
    const keys = await signingKeys.published();
    return new Answer({ keys }, { headers: { 'Cache-Control': CACHE_CONTROL } });
  });
}
