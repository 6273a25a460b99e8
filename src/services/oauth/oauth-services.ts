import { createOauthClients, type OauthClientsDeps } from './oauth-clients';
import { createOauthDevices } from './oauth-devices';
import { createOauthGrants } from './oauth-grants';
import { createOauthPrograms } from './oauth-programs';
import { createOauthTokens } from './oauth-tokens';
import type { KeyUses } from '../accounts/api-key-uses';

export interface OauthServicesDeps extends OauthClientsDeps {
  uses: KeyUses;
  /** The public origin of the service. */
  origin: string;
}

/** Services of OAuth clients, grants, tokens and logins of devices. */
export function createOauthServices(deps: OauthServicesDeps) {
  const { pool, uses, origin, registrationsPerAddress: loginsPerAddress } = deps;
  const oauthClients = createOauthClients(deps);
  const oauthGrants = createOauthGrants({ pool, uses });
  const { rateLimits } = deps;
  const oauthPrograms = createOauthPrograms({ pool, rateLimits, origin });
  const oauthTokens = createOauthTokens({
    pool,
    grants: oauthGrants,
    clients: oauthClients,
    programs: oauthPrograms,
    origin,
  });
  const oauthDevices = createOauthDevices({ pool, rateLimits, loginsPerAddress, origin });
  return { oauthClients, oauthDevices, oauthGrants, oauthPrograms, oauthTokens };
}
