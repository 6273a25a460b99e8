/**
 * Identity providers of organisations, as owners and admins set them up: the registration at the provider, and the
 * domains whose addresses it may assert, which a TXT record proves (ADR 0381).
 */
import { type DefaultRole, proofOfDomain } from '../../domain/accounts/single-sign-on';
import { MarketError } from '../../domain/errors';
import type { Egress } from '../../egress/agent-call';
import { type Openid, ProviderError } from '../../egress/openid/openid';
import { newMailToken } from '../../kit/crypto/mail-token';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId } from '../../kit/ids/ids';
import { type Db, type DbPool, uniqueViolation, withTransaction } from '../../stores/db';
import {
  deleteDomain,
  deleteProvider,
  deleteSessionsOfProvider,
  type DomainRow,
  insertDomain,
  insertProvider,
  listDomains,
  listProviders,
  type ProviderRow,
  readProvider,
  readRequireSso,
  setDomainVerified,
  setRequireSso,
  updateProvider,
} from '../../stores/sso/identity-providers';
import { lockedRole, requireRole } from '../organisations/guards';
import type { ProviderAccess } from './provider-access';
import { providerContext } from './provider-context';

const MOST_PROVIDERS = 10;
const MOST_DOMAINS = 20;

/** A member who changes settings. */
export interface Actor {
  personId: string;
  /** The provider that began the session; undefined for a login by password. */
  provider: { providerId: string; orgId: string } | undefined;
}

export type Provider = Omit<ProviderRow, 'sealedSecret'> & { domains: DomainRow[] };

export interface NewProvider {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  defaultRole: DefaultRole;
}
export type ProviderWish = Partial<Omit<NewProvider, 'issuer'>> & { enabled?: boolean };

export interface ProviderTest {
  ok: boolean;
  /** Why it cannot be used; null if it can. */
  problem: string | null;
  keys: number;
}

export interface IdentityProvidersDeps {
  pool: DbPool;
  cipher: Cipher;
  egress: Pick<Egress, 'texts' | 'checkUrl'>;
  openid: Pick<Openid, 'keys'>;
  access: ProviderAccess;
}

export function createIdentityProviders(deps: IdentityProvidersDeps) {
  const { pool, cipher } = deps;
  return {
    /** The providers of an organisation, and whether its members need them. Throws `not_found`. */
    async list(orgId: string, person: string): Promise<{ providers: Provider[]; requireSso: boolean }> {
      await requireRole(pool, orgId, person, 'members');
      return { providers: await shown(pool, orgId), requireSso: await readRequireSso(pool, orgId) };
    },

    /** Adds a provider. Throws `unsafe_url` for an issuer that egress refuses, `invalid_state` for too many. */
    async add(orgId: string, by: Actor, wish: NewProvider): Promise<Provider> {
      const verdict = deps.egress.checkUrl(wish.issuer);
      if (!verdict.ok)
        throw new MarketError('unsafe_url', { message: 'The issuer is not an allowed https address.' });
      const providerId = newId('idp');
      const sealedSecret = await cipher.seal(Buffer.from(wish.clientSecret), providerContext(providerId));
      return withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by.personId, 'members');
        if ((await listProviders(tx, orgId)).length >= MOST_PROVIDERS)
          throw tooMany('identity providers', MOST_PROVIDERS);
        const { clientSecret: _clientSecret, ...rest } = wish;
        await insertProvider(tx, { ...rest, providerId, orgId, sealedSecret });
        return one(tx, orgId, providerId);
      });
    },

    /** Changes a provider. One that is switched off, or gets another client, ends the sessions that it began. */
    async change(orgId: string, by: Actor, providerId: string, wish: ProviderWish): Promise<Provider> {
      const sealed =
        wish.clientSecret === undefined
          ? undefined
          : await cipher.seal(Buffer.from(wish.clientSecret), providerContext(providerId));
      return withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by.personId, 'members');
        const before = await found(tx, orgId, providerId);
        const { clientSecret: _clientSecret, ...rest } = wish;
        const after = { ...before, ...rest, sealedSecret: sealed ?? before.sealedSecret };
        if (before.enabled && !after.enabled) await requireAnother(tx, orgId, providerId);
        await updateProvider(tx, after);
        if (!after.enabled || after.clientId !== before.clientId)
          await deleteSessionsOfProvider(tx, providerId);
        return one(tx, orgId, providerId);
      });
    },

    /** Deletes a provider with its domains and links to accounts, and ends the sessions that it began. */
    remove: (orgId: string, by: Actor, providerId: string): Promise<void> =>
      withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by.personId, 'members');
        await found(tx, orgId, providerId);
        await requireAnother(tx, orgId, providerId);
        await deleteSessionsOfProvider(tx, providerId);
        await deleteProvider(tx, providerId);
      }),

    ...createUse(deps),
    ...createDomains(deps),
  };
}

export type IdentityProviders = ReturnType<typeof createIdentityProviders>;

/** Tests of providers, and the demand for them. */
function createUse({ pool, access, openid }: IdentityProvidersDeps) {
  return {
    /** Reads the discovery document and the keys of a provider, as a login does. */
    async test(orgId: string, person: string, providerId: string): Promise<ProviderTest> {
      await requireRole(pool, orgId, person, 'members');
      const provider = await found(pool, orgId, providerId);
      try {
        const { server } = await access.openAnew(provider);
        return { ok: true, problem: null, keys: await openid.keys(server) };
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        return { ok: false, problem: `The provider cannot be used: ${error.message}.`, keys: 0 };
      }
    },

    /**
     * Switches logins by password off or on for what members do for the organisation. To switch them off, the owner
     * acts in a session of the organisation's provider, which proves that the provider works.
     */
    requireSso: (orgId: string, by: Actor, isRequired: boolean): Promise<void> =>
      withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by.personId, 'own');
        if (isRequired) await requireOwnSession(tx, orgId, by);
        await setRequireSso(tx, orgId, isRequired);
      }),
  };
}

function createDomains({ pool, egress }: IdentityProvidersDeps) {
  return {
    /** Adds a domain, which is used once it is proven. Throws `invalid_state` for too many. */
    addDomain: (orgId: string, by: Actor, providerId: string, domain: string): Promise<Provider> =>
      withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by.personId, 'members');
        await found(tx, orgId, providerId);
        if ((await listDomains(tx, [providerId])).length >= MOST_DOMAINS)
          throw tooMany('domains of a provider', MOST_DOMAINS);
        await insertDomain(tx, { providerId, domain, token: newMailToken() });
        return one(tx, orgId, providerId);
      }),

    /** Looks for the TXT record of a domain. Throws `invalid_state` without it, or if another provider proved it. */
    async verifyDomain(orgId: string, by: Actor, providerId: string, domain: string): Promise<Provider> {
      await requireRole(pool, orgId, by.personId, 'members');
      await found(pool, orgId, providerId);
      const row = (await listDomains(pool, [providerId])).find((each) => each.domain === domain);
      if (!row) throw new MarketError('not_found');
      const { name, value } = proofOfDomain(domain, row.token);
      if (!(await egress.texts(name)).some((text) => text.trim() === value)) {
        const message = `No TXT record of ${name} is “${value}”. New records may take an hour until they are seen.`;
        throw new MarketError('invalid_state', { message });
      }
      try {
        return await withTransaction(pool, async (tx) => {
          await lockedRole(tx, orgId, by.personId, 'members');
          await setDomainVerified(tx, providerId, domain);
          return one(tx, orgId, providerId);
        });
      } catch (error) {
        if (uniqueViolation(error) !== 'identity_provider_domains_verified') throw error;
        const message = `Another identity provider uses ${domain}. Remove the domain there first.`;
        throw new MarketError('invalid_state', { message, cause: error });
      }
    },

    removeDomain: (orgId: string, by: Actor, providerId: string, domain: string): Promise<void> =>
      withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by.personId, 'members');
        await found(tx, orgId, providerId);
        if (!(await deleteDomain(tx, providerId, domain))) throw new MarketError('not_found');
      }),
  };
}

async function requireOwnSession(tx: Db, orgId: string, { provider }: Actor): Promise<void> {
  const own = provider && (await readProvider(tx, orgId, provider.providerId));
  if (own?.enabled) return;
  throw new MarketError('invalid_state', {
    message:
      'Sign in by the identity provider of the organisation first: passwords are switched off from such a session only.',
  });
}

/** The last provider of an organisation that needs one stays. */
async function requireAnother(tx: Db, orgId: string, providerId: string): Promise<void> {
  if (!(await readRequireSso(tx, orgId))) return;
  const others = (await listProviders(tx, orgId)).filter(
    (each) => each.enabled && each.providerId !== providerId,
  );
  if (others.length > 0) return;
  throw new MarketError('invalid_state', {
    message:
      'Members need this identity provider to act for the organisation. Permit logins by password first.',
  });
}

async function found(db: Db, orgId: string, providerId: string): Promise<ProviderRow> {
  const provider = await readProvider(db, orgId, providerId);
  if (!provider) throw new MarketError('not_found');
  return provider;
}

async function shown(db: Db, orgId: string): Promise<Provider[]> {
  const providers = await listProviders(db, orgId);
  const domains = await listDomains(
    db,
    providers.map(({ providerId }) => providerId),
  );
  return providers.map(({ sealedSecret: _sealedSecret, ...provider }) => ({
    ...provider,
    domains: domains.filter(({ providerId }) => providerId === provider.providerId),
  }));
}

async function one(db: Db, orgId: string, providerId: string): Promise<Provider> {
  const provider = (await shown(db, orgId)).find((each) => each.providerId === providerId);
  if (!provider) throw new MarketError('not_found');
  return provider;
}

function tooMany(what: string, most: number): MarketError {
  return new MarketError('invalid_state', { message: `There can be at most ${most} ${what}.` });
}
