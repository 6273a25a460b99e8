/**
 * Programs of an account that get access tokens without a person (RFC 6749, section 4.4; ADR 0336). A program is a
 * grant with a secret: limits, spending and revocation are those of any grant.
 */
import { randomBytes } from 'node:crypto';
import type { ApiScope } from '../../domain/accounts/api-key';
import {
  ACCESS_TOKEN_SECONDS,
  GRANT_SECONDS,
  type GrantLimits,
  isProgramId,
  PROGRAM_ID,
} from '../../domain/accounts/oauth-grant';
import { MarketError } from '../../domain/errors';
import { newId } from '../../kit/ids/ids';
import { OauthFailure } from '../../kit/oauth/oauth-server';
import { type DbPool, withTransaction } from '../../stores/db';
import { readGrant } from '../../stores/oauth/oauth-grants';
import {
  findProgram,
  insertProgram,
  type ProgramRow,
  rotateProgram,
} from '../../stores/oauth/oauth-programs';
import { insertSecret } from '../../stores/oauth/oauth-secrets';
import {
  consumeAll,
  type Limit,
  limitsOfNetwork,
  type Quota,
  type RateLimits,
} from '../accounts/rate-limits';
import { createGrant } from './new-grant';
import { type OauthGrant, secretSha256 } from './oauth-grants';
import { type Audience, audienceOfResource } from './resource';

export interface ProgramWish {
  userId: string;
  /** The member who makes it for an organisation; null for a personal account. */
  createdBy: string | null;
  name: string;
  /** Null for the market. */
  agentId: Audience;
  scopes: readonly ApiScope[];
  limits: GrantLimits;
}

/** A program with its secret, which is shown once. */
export type IssuedProgram = OauthGrant & { clientSecret: string };

export interface OauthProgramsDeps {
  pool: DbPool;
  rateLimits: Pick<RateLimits, 'consume' | 'peek'>;
  /** The public origin of the service. */
  origin: string;
}

const SECRET = /^ams_[A-Za-z0-9_-]{43}$/;
const MINUTE_MS = 60_000;
/** A token lasts 30 minutes, so a program needs few of them. */
const TOKENS_PER_PROGRAM: Limit = { points: 60, windowMs: MINUTE_MS };
const FAILURES_PER_ADDRESS: Limit = { points: 30, windowMs: MINUTE_MS };

export function createOauthPrograms({ pool, rateLimits, origin }: OauthProgramsDeps) {
  return {
    ...createRegistrations(pool),

    /**
     * Finds the program that a token request is from; undefined for a wrong id or secret. Counts wrong ones against the
     * address, and right ones against the program. Throws `rate_limited`, and `OauthFailure` for a foreign `resource`.
     */
    async find(
      { clientId, secret }: { clientId: string; secret: string },
      { resource, network }: { resource: string | undefined; network: string },
    ): Promise<ProgramRow | undefined> {
      const failures = limitsOfNetwork('oauth-program-failures', network, FAILURES_PER_ADDRESS);
      for (const { key, limit } of failures) requireLeft(rateLimits.peek(key, limit));
      const isForm = isProgramId(clientId) && SECRET.test(secret);
      const program = isForm ? await findProgram(pool, clientId, secretSha256(secret)) : undefined;
      if (!program) {
        consumeAll(rateLimits, failures);
        return undefined;
      }
      const policy = 'oauth-program-tokens';
      const key = `${policy}/${clientId}`;
      requireLeft(consumeAll(rateLimits, [{ policy, key, limit: TOKENS_PER_PROGRAM }]));
      if (resource !== undefined && audienceOfResource(origin, resource) !== program.agentId)
        throw new OauthFailure('invalid_target', 'The program is for another resource.');
      return program;
    },

    /** Stores an access token of a program. A program needs no refresh token (RFC 6749, section 4.4.3). */
    issue: (grantId: string, accessToken: string, scopes: readonly ApiScope[]): Promise<void> =>
      insertSecret(pool, {
        sha256: secretSha256(accessToken),
        kind: 'access',
        grantId,
        scopes,
        lifetimeSeconds: ACCESS_TOKEN_SECONDS,
      }),
  };
}

/** Programs as their account makes them. */
function createRegistrations(pool: DbPool) {
  async function issued(userId: string, grantId: string, clientSecret: string): Promise<IssuedProgram> {
    const grant = await readGrant(pool, userId, grantId);
    if (!grant) throw new MarketError('not_found');
    return { ...grant, clientSecret };
  }

  return {
    /** Registers a program. Throws `invalid_state` for too many grants, and for limits that do not fit. */
    async register({ name, agentId, scopes, limits, ...owner }: ProgramWish): Promise<IssuedProgram> {
      const secret = newSecret();
      const grantId = await withTransaction(pool, async (tx) => {
        const client = { clientId: newId(PROGRAM_ID), clientName: name, redirectHost: '' };
        const lifeSeconds = GRANT_SECONDS;
        const id = await createGrant(tx, { ...owner, ...client, agentId, scopes, limits, lifeSeconds });
        await insertProgram(tx, id, secretSha256(secret));
        return id;
      });
      return issued(owner.userId, grantId, secret);
    },

    /**
     * Gives a program another secret and a year more. The old secret is valid for `graceSeconds`. Throws `not_found`,
     * also for a grant that is no program. `createdBy`: only one of this member.
     */
    async rotate(
      userId: string,
      grantId: string,
      { graceSeconds, createdBy }: { graceSeconds: number; createdBy?: string | undefined },
    ): Promise<IssuedProgram> {
      if (createdBy !== undefined && !(await readGrant(pool, userId, grantId, createdBy)))
        throw new MarketError('not_found');
      const secret = newSecret();
      const change = { secretSha256: secretSha256(secret), graceSeconds, lifeSeconds: GRANT_SECONDS };
      const done = await withTransaction(pool, (tx) => rotateProgram(tx, { userId, grantId }, change));
      if (!done) throw new MarketError('not_found');
      return issued(userId, grantId, secret);
    },
  };
}

export type OauthPrograms = ReturnType<typeof createOauthPrograms>;

/** 256 random bits behind a prefix that secret scanners can recognize. */
const newSecret = () => `ams_${randomBytes(32).toString('base64url')}`;

function requireLeft({ allowed, resetAt }: Quota): void {
  if (allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAt - Date.now()) / 1_000));
  throw new MarketError('rate_limited', { retryAfterSeconds });
}
