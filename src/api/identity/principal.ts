import type { Role } from '../../contract/operation';
import type { ApiScope } from '../../domain/accounts/api-key';
import { type MemberRole, seesOwnKeysOnly } from '../../domain/accounts/roles';

/** The authenticated caller, by session cookie, by API key, or by the access token of an OAuth grant. */
export interface Principal {
  /** The owner for whom the request acts: wallet, keys, agents and calls are those of this account. */
  userId: string;
  /**
   * The person who acts: the same id for a personal account, the member for an organisation. Null for a key that
   * belongs to an organisation itself.
   */
  person: string | null;
  /** The role of that person in the organisation; null for a personal account, and for an organisation's own key. */
  memberRole: MemberRole | null;
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
  /** The identity provider that began the session; undefined for other logins, and for keys. */
  provider?: { providerId: string; orgId: string } | undefined;
  /** Set if the caller used an API key, or an access token: then it is the key of the grant. */
  key: { keyId: string; scopes: readonly ApiScope[] } | null;
}

/** Whether a request acts for an organisation. */
export const actsForOrganisation = ({ userId, person }: Pick<Principal, 'userId' | 'person'>): boolean =>
  person !== userId;

/** The person whose authenticator app and password decide about a change. */
export const personOf = ({ userId, person }: Pick<Principal, 'userId' | 'person'>): string =>
  person ?? userId;

/** The member who makes a key or grant for an organisation; undefined for a person, and for its own key. */
export const makerOf = (principal: Pick<Principal, 'userId' | 'person'>): string | undefined =>
  actsForOrganisation(principal) ? (principal.person ?? undefined) : undefined;

/** The member to whose keys and grants a request is limited by the member's role. */
export const ownMaker = ({
  memberRole,
  person,
}: Pick<Principal, 'memberRole' | 'person'>): string | undefined =>
  seesOwnKeysOnly(memberRole) ? (person ?? undefined) : undefined;
