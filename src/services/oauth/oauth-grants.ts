/**
 * OAuth grants (docs/oauth.md). A grant owns a row of the keys' table, so scopes, cap, spending, limits and revocation
 * are those of a key. Codes and tokens are stored as their SHA-256 and, like keys, read for every request, so that a
 * revocation takes effect in every process at once.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { ApiScope } from '../../domain/accounts/api-key';
import {
  ACCESS_TOKEN_SECONDS,
  CODE_SECONDS,
  GRANT_SECONDS,
  type GrantLimits,
  REFRESH_GRACE_SECONDS,
  REFRESH_TOKEN_SECONDS,
  REPLAY_SECONDS,
} from '../../domain/accounts/oauth-grant';
import { MarketError } from '../../domain/errors';
import { creditText } from '../../domain/ledger/money';
import { createSharedReads } from '../../kit/concurrency/shared-reads';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { noteClientUse } from '../../stores/oauth/oauth-clients';
import {
  endExpiredGrants,
  endGrant,
  listGrants,
  lockLimits,
  type OauthGrantRow,
  prolongGrant,
  readGrant,
  updateLimits,
} from '../../stores/oauth/oauth-grants';
import {
  deleteSecret,
  findSecret,
  findSuccessorKey,
  findTokenCaller,
  insertSecret,
  purgeSecrets,
  type SecretKind,
  type SecretRow,
  useRefreshSecret,
} from '../../stores/oauth/oauth-secrets';
import type { KeyUses } from '../accounts/api-key-uses';
import { type KeyCaller, toKeyCaller } from '../accounts/api-keys';
import { createGrant, inUnits, requireFit } from './new-grant';
import type { Audience } from './resource';

export type OauthGrant = OauthGrantRow;

/** What an account permits on the consent page. */
export interface Permission {
  userId: string;
  /** The member who permits it for an organisation; null for a personal account. */
  createdBy: string | null;
  clientId: string;
  clientName: string;
  redirectUri: string;
  redirectHost: string;
  /** Null for the market. */
  agentId: Audience;
  scopes: readonly ApiScope[];
  limits: GrantLimits;
  codeChallenge: string;
}

const PREFIXES: Readonly<Record<SecretKind, string>> = { code: 'amc_', access: 'amt_', refresh: 'amr_' };
/** More refreshes than a client makes within the grace. */
const MOST_SUCCESSORS = 100;
const FORM = /^am[ctr]_[A-Za-z0-9_-]{43}$/;

/** A new code or token: 256 random bits behind a prefix that secret scanners can recognize. */
export function newSecret(kind: SecretKind): string {
  return PREFIXES[kind] + randomBytes(32).toString('base64url');
}

/** SHA-256 of a code or token, the only part that is stored. */
export function secretSha256(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function createOauthGrants(deps: { pool: DbPool; uses: KeyUses; now?: () => Date }) {
  const { pool, uses, now = () => new Date() } = deps;
  const callers = createSharedReads<Awaited<ReturnType<typeof findTokenCaller>>>();
  return {
    /**
     * Stores a permission and returns its authorization code, which is valid for a minute. Throws `invalid_state` if
     * the account has too many grants.
     */
    permit: (permission: Permission): Promise<string> =>
      withTransaction(pool, (tx) => storePermission(tx, permission)),

    /**
     * Returns the caller of a valid access token for the endpoints of an agent, or of the market (null), like the
     * caller of a key with the token's scopes; undefined for any other text. With `orMarket`, tokens of the market are
     * valid at the endpoint of an agent too. Text without the form of a token costs no query.
     */
    async authenticate(token: string, agentId: Audience, orMarket = false): Promise<KeyCaller | undefined> {
      if (!FORM.test(token)) return undefined;
      const hash = secretSha256(token);
      const audience = { agentId, orMarket };
      const name = `${agentId}/${orMarket}/${hash.toString('hex')}`;
      const row = await callers.read(name, () => findTokenCaller(pool, hash, audience));
      if (!row) return undefined;
      if (row.use_is_news) uses.note(row.key_id, now());
      return toKeyCaller(row);
    },

    /** Finds what a code or token was issued for; undefined if its grant has ended. */
    find: async (secret: string, kinds: readonly SecretKind[]): Promise<FoundSecret | undefined> =>
      FORM.test(secret) ? findSecret(pool, secretSha256(secret), kinds) : undefined,

    /**
     * Stores the tokens of a live grant and prolongs it. Uses the refresh token of the request up, if there is one.
     * Returns the new refresh token; undefined if the grant has ended meanwhile.
     */
    issue: (tokens: IssuedTokens): Promise<string | undefined> =>
      withTransaction(pool, (tx) => storeTokens(tx, tokens)),

    /** Deletes an access token. Its grant, and with it the refresh token, stays. */
    endToken: (token: string): Promise<void> => deleteSecret(pool, secretSha256(token)),

    /** Ends a grant whose code or token was used in a way that a thief would use it, or whose client asks for it. */
    end: (grantId: string): Promise<boolean> => withTransaction(pool, (tx) => endGrant(tx, grantId)),

    ...createManagement(pool),

    /** Deletes up to `most` ended codes and tokens, and ends as many expired grants. Returns how many rows in all. */
    async purge(most: number): Promise<number> {
      return (await endExpiredGrants(pool, most)) + (await purgeSecrets(pool, most));
    },
  };
}

/** What an account does with its grants. */
function createManagement(pool: DbPool) {
  return {
    /** Lists the account's live grants, newest first. `createdBy`: only those of this member. */
    list: (
      userId: string,
      page: { limit: number; beforeId?: string | undefined; createdBy?: string | undefined },
    ) => listGrants(pool, userId, page),

    /**
     * Ends a grant of the account; its tokens are refused in every process when this returns. `createdBy`: only one of
     * this member. Throws `not_found`.
     */
    revoke: (userId: string, grantId: string, createdBy?: string): Promise<void> =>
      withTransaction(pool, async (tx) => {
        const isOwn = createdBy === undefined || (await readGrant(tx, userId, grantId, createdBy));
        if (!isOwn || !(await endGrant(tx, grantId, userId))) throw new MarketError('not_found');
      }),

    /**
     * Changes the limits of a live grant of the account, from the next call on. `createdBy`: only of one of this
     * member. Throws `not_found`, `invalid_state`.
     */
    async change(
      userId: string,
      grantId: string,
      change: Partial<GrantLimits>,
      createdBy?: string,
    ): Promise<OauthGrant> {
      if (createdBy !== undefined && !(await readGrant(pool, userId, grantId, createdBy)))
        throw new MarketError('not_found');
      await withTransaction(pool, (tx) => changeLimits(tx, userId, grantId, change));
      const grant = await readGrant(pool, userId, grantId);
      if (!grant) throw new MarketError('not_found');
      return grant;
    },
  };
}

export type OauthGrants = ReturnType<typeof createOauthGrants>;
export type FoundSecret = SecretRow & { kind: SecretKind };

export interface IssuedTokens {
  grantId: string;
  accessToken: string;
  accessScopes: readonly ApiScope[];
  /** The refresh token that is used up; undefined for the tokens of a code. */
  usedRefreshToken: string | undefined;
  refreshScopes: readonly ApiScope[];
}

async function storePermission(tx: Db, permission: Permission): Promise<string> {
  const { clientId, scopes, redirectUri, codeChallenge, ...rest } = permission;
  const code = newSecret('code');
  const grantId = await createGrant(tx, { ...rest, clientId, scopes, lifeSeconds: CODE_SECONDS });
  await noteClientUse(tx, clientId);
  const sha256 = secretSha256(code);
  const ofCode = { redirectUri, codeChallenge, lifetimeSeconds: CODE_SECONDS };
  await insertSecret(tx, { sha256, kind: 'code', grantId, scopes, ...ofCode });
  return code;
}

async function changeLimits(
  tx: Db,
  userId: string,
  grantId: string,
  change: Partial<GrantLimits>,
): Promise<void> {
  const known = await lockLimits(tx, userId, grantId);
  if (!known) throw new MarketError('not_found');
  const { agentId, leastUnits, ...limits } = known;
  const next = inUnits({ ...limits, ...change });
  requireFit(agentId, next);
  const isShort =
    next.capWindow === 'lifetime' && next.creditCapUnits !== null && next.creditCapUnits < leastUnits;
  if (isShort)
    throw new MarketError('invalid_state', {
      message: `The application has spent, or may still spend by its calls that run, ${creditText(leastUnits)}. A cap over its lifetime cannot be lower.`,
    });
  await updateLimits(tx, grantId, next);
}

async function storeTokens(tx: Db, tokens: IssuedTokens): Promise<string | undefined> {
  const { grantId, usedRefreshToken: used } = tokens;
  const lifetime = { seconds: REFRESH_TOKEN_SECONDS, mostSeconds: GRANT_SECONDS };
  if (!(await prolongGrant(tx, grantId, lifetime))) return undefined;
  const refreshToken = used === undefined ? newSecret('refresh') : await successorOf(tx, used);
  if (refreshToken === undefined) {
    await endGrant(tx, grantId);
    return undefined;
  }
  await insertSecret(tx, {
    sha256: secretSha256(tokens.accessToken),
    kind: 'access',
    grantId,
    scopes: tokens.accessScopes,
    lifetimeSeconds: ACCESS_TOKEN_SECONDS,
  });
  await insertSecret(tx, {
    sha256: secretSha256(refreshToken),
    kind: 'refresh',
    grantId,
    scopes: tokens.refreshScopes,
    lifetimeSeconds: REFRESH_TOKEN_SECONDS,
  });
  return refreshToken;
}

/**
 * Uses a refresh token up and returns its successor. Within the grace, each use gets the same successor, or the newest
 * one behind it, so that a grant has one chain of refresh tokens and the reuse of an old one is recognized (ADR 0194).
 * Returns undefined after the grace.
 */
async function successorOf(tx: Db, used: string): Promise<string | undefined> {
  const key = await useRefreshSecret(tx, secretSha256(used), {
    newKey: randomBytes(32),
    keepSeconds: REPLAY_SECONDS,
    graceSeconds: REFRESH_GRACE_SECONDS,
  });
  if (!key) return undefined;
  let newest = successor(key, used);
  for (let step = 0; step < MOST_SUCCESSORS; step += 1) {
    const next = await findSuccessorKey(tx, secretSha256(newest));
    if (!next) break;
    newest = successor(next, newest);
  }
  return newest;
}

/** Neither the token alone nor the key alone, which is in the database, reveals the successor. */
function successor(key: Buffer, token: string): string {
  return PREFIXES.refresh + createHmac('sha256', key).update(token).digest('base64url');
}
