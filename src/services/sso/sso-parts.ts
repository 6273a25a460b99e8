import type { Config } from '../../config';
import type { Egress } from '../../egress/agent-call';
import { createOpenid } from '../../egress/openid/openid';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Passwords } from '../../kit/crypto/passwords';
import type { DbPool } from '../../stores/db';
import { createSsoEscape } from './escape';
import { createIdentityProviders } from './identity-providers';
import { createPersonFinder } from './people';
import { createProviderAccess } from './provider-access';
import { createSignIns } from './sign-ins';

/** Services of logins by identity providers of organisations. */
export function createSsoParts(deps: {
  pool: DbPool;
  cipher: Cipher;
  egress: Egress;
  passwords: Passwords;
  config: Config;
}) {
  const openid = createOpenid(deps.egress);
  const access = createProviderAccess({ cipher: deps.cipher, openid });
  const people = createPersonFinder(deps);
  return {
    identityProviders: createIdentityProviders({ ...deps, openid, access }),
    ssoEscape: createSsoEscape(deps),
    signIns: createSignIns({
      ...deps,
      origin: new URL(deps.config.PUBLIC_ORIGIN).origin,
      openid,
      access,
      people,
    }),
  };
}
