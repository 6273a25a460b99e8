import type { Role } from '../../contract/operation';
import type { ApiScope } from '../../domain/accounts/api-key';

/** The authenticated caller, by session cookie, by API key, or by the access token of an OAuth grant. */
export interface Principal {
  userId: string;
  role: Role;
  /** `dev_<slug>` for developers, else null. */
  developerId: string | null;
  registrationPaid: boolean;
  emailConfirmed: boolean;
  /** True if the account has an authenticator app in use. */
  hasAuthenticator: boolean;
  /** True if the account keeps inputs and outputs of its calls. */
  keepsBodies: boolean;
  /** True if the session began with a code of the authenticator app. */
  secondFactor: boolean;
  /** Set if the caller used an API key, or an access token: then it is the key of the grant. */
  key: { keyId: string; scopes: readonly ApiScope[] } | null;
}
