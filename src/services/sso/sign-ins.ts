/**
 * Logins by the identity provider of an organisation (ADR 0380). A login is bound to the browser that began it, used
 * once, and ends in the account that was fixed for the subject at its first login. No login raises a role.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { domainOfEmail, returnPath } from '../../domain/accounts/single-sign-on';
import { MarketError } from '../../domain/errors';
import { isStorable } from '../../domain/json-value';
import type { LoginChecks, Openid, ProvenPerson } from '../../egress/openid/openid';
import { mailTokenSha256 } from '../../kit/crypto/mail-token';
import type { DbPool } from '../../stores/db';
import {
  findProviderInUse,
  findProviderOfDomain,
  findProviderOfOrganisation,
  hasDomain,
  type ProviderRow,
} from '../../stores/sso/identity-providers';
import { insertAttempt, consumeAttempt } from '../../stores/sso/identities';
import { type Account, normalizeEmail } from '../accounts/accounts';
import { shown } from '../organisations/guards';
import { atProvider, type ProviderAccess } from './provider-access';
import type { PersonFinder, PresentPerson } from './people';

export const ATTEMPT_VALID_MS = 10 * 60_000;
const MAX_EMAIL_LENGTH = 254;
const MAX_SUBJECT_LENGTH = 255;

export interface SignInWish {
  email?: string | undefined;
  orgId?: string | undefined;
  returnTo?: string | undefined;
}

export interface SignInEnd {
  providerId: string;
  /** The secret of the browser's cookie. */
  browser: string | undefined;
  /** Where the provider sent the browser: path and query. */
  query: URLSearchParams;
  /** The session that the browser has, if any. */
  present: PresentPerson | undefined;
  network: string;
  traceId: string;
}

export interface SignInsDeps {
  pool: DbPool;
  openid: Pick<Openid, 'authorizationUrl' | 'redeem'>;
  access: ProviderAccess;
  people: PersonFinder;
  /** Origin of the public addresses of the service. */
  origin: string;
}

export function createSignIns({ pool, openid, access, people, origin }: SignInsDeps) {
  /** An address of its own for each provider: a code of one provider never reaches another one (RFC 9700, 4.4). */
  const callbackOf = (providerId: string) => `${origin}/v1/auth/sso/callback/${providerId}`;
  return {
    callbackOf,

    /** Where a login would go. The names are untrusted text. Throws `not_found` as `begin` does. */
    async destination(wish: SignInWish): Promise<{ organisation: string; host: string }> {
      const { orgId, issuer } = await providerFor(pool, wish);
      const { name } = await shown(pool, orgId);
      return { organisation: name, host: new URL(issuer).host };
    },

    /**
     * Begins a login. Returns the address at the provider, and a secret for a cookie of the browser. Throws `not_found`
     * if no provider is set up for the address or the organisation, `forbidden` if the provider cannot be used.
     */
    async begin(wish: SignInWish): Promise<{ location: string; browser: string }> {
      const provider = await providerFor(pool, wish);
      const browser = randomBytes(32).toString('base64url');
      const checks = checksOf(browser, randomBytes(32).toString('base64url'));
      const location = await atProvider(provider, async () => {
        const opened = await access.open(provider);
        const more = { redirectUri: callbackOf(provider.providerId), loginHint: wish.email };
        return openid.authorizationUrl(opened, checks, more);
      });
      const hashes = { stateSha256: mailTokenSha256(checks.state), browserSha256: mailTokenSha256(browser) };
      const attempt = { ...hashes, providerId: provider.providerId, returnTo: returnPath(wish.returnTo) };
      await insertAttempt(pool, attempt, ATTEMPT_VALID_MS);
      return { location, browser };
    },

    /**
     * Ends a login with what the provider answered. Throws `invalid_state` for a login that another browser began, that
     * was used, or that is older than ten minutes, and for a browser with a session of another account; and `forbidden`
     * with the reason for everything else.
     */
    async finish(end: SignInEnd): Promise<{ account: Account; orgId: string; returnTo: string }> {
      const { providerId, browser, query } = end;
      const state = query.get('state') ?? '';
      const hashes = { stateSha256: mailTokenSha256(state), browserSha256: mailTokenSha256(browser ?? '') };
      const attempt =
        browser === undefined ? undefined : await consumeAttempt(pool, { ...hashes, providerId });
      const provider = attempt && (await findProviderInUse(pool, providerId));
      if (browser === undefined || !attempt || !provider)
        throw new MarketError('invalid_state', { message: EXPIRED });
      const address = new URL(callbackOf(providerId));
      address.search = query.toString();
      const person = await atProvider(provider, async () =>
        openid.redeem(await access.open(provider), checksOf(browser, state), address),
      );
      const email = await provenEmail(pool, provider, person);
      const account = await people.accountOf(provider, { ...person, email }, end);
      return { account, orgId: provider.orgId, returnTo: attempt.returnTo };
    },
  };
}

export type SignIns = ReturnType<typeof createSignIns>;

const NO_PROVIDER =
  'No company sign-in is set up for this address. Log in with your password, or ask an admin of your organisation.';
const EXPIRED =
  'This sign-in has expired, was used already, or began in another browser. Begin it again on the login page.';

async function providerFor(pool: DbPool, wish: SignInWish): Promise<ProviderRow> {
  const provider = await findProvider(pool, wish);
  if (!provider) throw new MarketError('not_found', { message: NO_PROVIDER });
  return provider;
}

async function findProvider(pool: DbPool, { email, orgId }: SignInWish): Promise<ProviderRow | undefined> {
  if (orgId !== undefined) return findProviderOfOrganisation(pool, orgId);
  const domain = email === undefined ? undefined : domainOfEmail(normalizeEmail(email));
  return domain === undefined ? undefined : findProviderOfDomain(pool, domain);
}

/** Nonce and PKCE verifier follow from the secret of the browser, so the service stores hashes alone. */
function checksOf(browser: string, state: string): LoginChecks {
  const derive = (purpose: string) =>
    createHmac('sha256', browser).update(`${purpose} ${state}`).digest('base64url');
  return { state, nonce: derive('nonce'), verifier: derive('verifier') };
}

/** The address of the person: verified by the provider, of a domain that the provider has proven. */
async function provenEmail(
  pool: DbPool,
  provider: ProviderRow,
  { email: given, emailVerified, subject }: ProvenPerson,
): Promise<string> {
  const email = given === undefined ? undefined : normalizeEmail(given);
  if (subject.length > MAX_SUBJECT_LENGTH || !isStorable(subject))
    throw refused(provider, 'the subject is too long');
  if (
    email === undefined ||
    email.length > MAX_EMAIL_LENGTH ||
    !isStorable(email) ||
    !/^[^\s@]+@[^\s@]+$/.test(email)
  )
    throw refused(provider, 'it names no mail address. Permit the scope “email” there');
  if (!emailVerified)
    throw refused(provider, 'it does not say that the mail address is verified (email_verified)');
  if (!(await hasDomain(pool, provider.providerId, domainOfEmail(email) ?? '')))
    throw refused(provider, 'the domain of the mail address is none that your organisation has proven');
  return email;
}

/** The refusal of what a provider says about a person. */
export function refused({ name }: Pick<ProviderRow, 'name'>, reason: string): MarketError {
  return new MarketError('forbidden', { message: `The sign-in at “${name}” was refused: ${reason}.` });
}
