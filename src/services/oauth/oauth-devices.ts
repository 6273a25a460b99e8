/**
 * Login of a device without a browser (RFC 8628, ADR 0133). The device gets an API key, which is created when the
 * device fetches it, so that no secret of it is stored before.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { API_SCOPES, type ApiScope } from '../../domain/accounts/api-key';
import {
  CLI_CLIENT_ID,
  DEVICE_CODE_SECONDS,
  DEVICE_KEY_NAME,
  DEVICE_KEY_SECONDS,
  MAX_DEVICE_LOGINS,
  newUserCode,
  POLL_SECONDS,
  readUserCode,
  showUserCode,
  SLOWER_POLL_SECONDS,
} from '../../domain/accounts/device-login';
import { MarketError } from '../../domain/errors';
import { NO_LIMITS } from '../../domain/accounts/oauth-grant';
import { creditsToUnits, unitsToCredits } from '../../domain/ledger/money';
import { apiKeySha256, isApiKey } from '../../kit/crypto/api-key-format';
import { OauthFailure } from '../../kit/oauth/oauth-server';
import { requestMail } from '../../stores/accounts/mails';
import { deleteKeyBySecret } from '../../stores/accounts/api-keys';
import { withTransaction, type Db, type DbPool } from '../../stores/db';
import {
  decideDeviceLogin,
  deleteDeviceLogin,
  findPendingDeviceLogin,
  insertDeviceLogin,
  lockDeviceLogin,
  noteDevicePoll,
  type PendingDeviceLogin,
  type PolledDeviceLogin,
  purgeDeviceLogins,
} from '../../stores/oauth/oauth-devices';
import { issueKey } from '../accounts/api-keys';
import { lockedRole } from '../organisations/guards';
import { consumeAll, type Limit, limitsOfNetwork, type RateLimits } from '../accounts/rate-limits';
import { secretSha256 } from './oauth-grants';

type Form = Readonly<Record<string, string>>;

export interface OauthDevicesDeps {
  pool: DbPool;
  rateLimits: Pick<RateLimits, 'consume' | 'peek'>;
  /** Logins that may begin per address and hour. */
  loginsPerAddress: number;
  /** The public origin of the service. */
  origin: string;
}

const DEVICE_CODE = /^amd_[A-Za-z0-9_-]{43}$/;
/** Codes that an account, and an address, may try. Eight letters of 20 cannot be guessed at this rate. */
const CODES_PER_ACCOUNT: Limit = { points: 20, windowMs: 600_000 };
const CODES_PER_ADDRESS: Limit = { points: 60, windowMs: 600_000 };

/** Whose key the device gets. */
export interface DeviceOwner {
  userId: string;
  /** The member who approves for an organisation; null for a personal account. */
  approvedBy: string | null;
}

export interface DeviceDecision {
  allows: boolean;
  /** Whole credits; null for none. */
  creditCap: number | null;
}

export function createOauthDevices(deps: OauthDevicesDeps) {
  const { pool } = deps;
  return {
    /** Answers a device authorization request (RFC 8628, section 3.2). Throws `OauthFailure` and `rate_limited`. */
    async begin({ client_id: clientId, scope }: Form, network: string) {
      if (clientId !== CLI_CLIENT_ID)
        throw new OauthFailure(
          'unauthorized_client',
          `This flow is for the command line, client ${CLI_CLIENT_ID}. Other clients use the authorization code flow.`,
        );
      const scopes = readScopes(scope);
      limit(deps, 'oauth-devices', network, { points: deps.loginsPerAddress, windowMs: 3_600_000 });
      const deviceCode = `amd_${randomBytes(32).toString('base64url')}`;
      const userCode = await storeLogin(pool, { deviceCode, scopes, network });
      const page = `${deps.origin}/oauth/device`;
      return {
        device_code: deviceCode,
        user_code: showUserCode(userCode),
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${showUserCode(userCode)}`,
        expires_in: DEVICE_CODE_SECONDS,
        interval: POLL_SECONDS,
      };
    },

    /**
     * Finds the login that waits for a code that a person typed; undefined if none does. Each attempt counts: throws
     * `rate_limited` for too many of an account or of an address.
     */
    async find(
      text: string,
      { userId, network }: { userId: string; network: string },
    ): Promise<(PendingDeviceLogin & { userCode: string }) | undefined> {
      limit(deps, 'oauth-device-codes', userId, CODES_PER_ACCOUNT);
      limit(deps, 'oauth-device-codes', network, CODES_PER_ADDRESS);
      const userCode = readUserCode(text);
      const login = userCode === undefined ? undefined : await findPendingDeviceLogin(pool, userCode);
      return login && userCode !== undefined ? { ...login, userCode } : undefined;
    },

    /**
     * Permits or refuses for an owner. Returns false if it is decided, or too late. Throws `not_found` or `forbidden`
     * if the person may not do this for the organisation any more.
     */
    decide: (userCode: string, owner: DeviceOwner, decision: DeviceDecision): Promise<boolean> =>
      withTransaction(pool, (tx) => decide(tx, userCode, owner, decision)),

    /** Answers a poll of a device (RFC 8628, section 3.4). Throws `OauthFailure` until a person permits the key. */
    redeem: (form: Form) => redeem(pool, form),

    /** Deletes the key that a device was given, when the device presents it. Another text changes nothing. */
    async revoke({ token = '', client_id: clientId }: Form): Promise<boolean> {
      if (clientId !== CLI_CLIENT_ID || !isApiKey(token)) return false;
      await withTransaction(pool, (tx) => deleteKeyBySecret(tx, apiKeySha256(token)));
      return true;
    },

    /** Deletes up to `most` expired logins. Returns how many. */
    purge: (most: number) => purgeDeviceLogins(pool, most),
  };
}

export type OauthDevices = ReturnType<typeof createOauthDevices>;

async function decide(
  tx: Db,
  userCode: string,
  { userId, approvedBy }: DeviceOwner,
  { allows, creditCap }: DeviceDecision,
): Promise<boolean> {
  if (approvedBy !== null) await lockedRole(tx, userId, approvedBy, 'keys');
  const network = await decideDeviceLogin(tx, userCode, {
    state: allows ? 'approved' : 'denied',
    userId,
    approvedBy,
    creditCapUnits: creditCap === null ? null : creditsToUnits(creditCap),
  });
  if (allows && network !== undefined)
    await requestMail(tx, { recipient: userId, kind: 'device_approved', subject: network });
  return network !== undefined;
}

const unknownCode = () =>
  new OauthFailure('invalid_grant', 'The device code is unknown or was used. Begin again.');

async function redeem(pool: DbPool, { device_code: deviceCode = '', client_id: clientId }: Form) {
  if (!DEVICE_CODE.test(deviceCode)) throw unknownCode();
  const sha256 = secretSha256(deviceCode);
  const outcome = await withTransaction(pool, async (tx) => {
    const login = await lockDeviceLogin(tx, sha256);
    if (!login || login.clientId !== clientId) return unknownCode();
    return answer(tx, sha256, login);
  });
  if (outcome instanceof OauthFailure) throw outcome;
  return outcome;
}

/** What a device gets. A failure is returned, because what the poll changed must be committed. */
async function answer(tx: Db, sha256: Buffer, login: PolledDeviceLogin) {
  if (login.isExpired) {
    await deleteDeviceLogin(tx, sha256);
    return new OauthFailure('expired_token', 'Nobody entered the code in time. Begin again.');
  }
  if (login.state === 'denied') {
    await deleteDeviceLogin(tx, sha256);
    return new OauthFailure('access_denied', 'The person refused.');
  }
  if (login.state === 'pending' || login.userId === null) {
    await noteDevicePoll(tx, sha256, login.isEarly ? SLOWER_POLL_SECONDS : 0);
    if (!login.isEarly) return new OauthFailure('authorization_pending', 'Nobody has entered the code yet.');
    return new OauthFailure('slow_down', `Wait ${SLOWER_POLL_SECONDS} s longer between two requests.`);
  }
  await deleteDeviceLogin(tx, sha256);
  const expiresAt = new Date(Date.now() + DEVICE_KEY_SECONDS * 1_000);
  const creditCap = login.creditCapUnits === null ? null : unitsToCredits(login.creditCapUnits);
  const wish = {
    name: DEVICE_KEY_NAME,
    scopes: login.scopes,
    limits: { ...NO_LIMITS, creditCap },
    expiresAt: null,
  };
  const { key, keyId, scopes } = await issueKey(tx, login.userId, wish, {
    expiresAt,
    createdBy: login.approvedBy,
  });
  return {
    access_token: key,
    token_type: 'X-API-Key' as const,
    expires_in: DEVICE_KEY_SECONDS,
    scope: scopes.join(' '),
    key_id: keyId,
    email: login.email ?? '',
    ...(login.organisation !== null && {
      organisation: login.userId,
      organisation_name: login.organisation,
    }),
  };
}

async function storeLogin(
  pool: DbPool,
  { deviceCode, scopes, network }: { deviceCode: string; scopes: readonly ApiScope[]; network: string },
): Promise<string> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const login = {
      deviceSha256: secretSha256(deviceCode),
      userCode: newUserCode((below) => randomInt(below)),
      clientId: CLI_CLIENT_ID,
      scopes,
      network,
      lifetimeSeconds: DEVICE_CODE_SECONDS,
      pollSeconds: POLL_SECONDS,
    };
    if (await withTransaction(pool, (tx) => insertDeviceLogin(tx, login, MAX_DEVICE_LOGINS)))
      return login.userCode;
  }
  throw new MarketError('not_ready');
}

/** The scopes of a request; without any, all. Throws `OauthFailure` `invalid_scope` for one that does not exist. */
function readScopes(text = ''): readonly ApiScope[] {
  const wanted = new Set(text.split(' ').filter(Boolean));
  if (wanted.size === 0) return API_SCOPES;
  const scopes = API_SCOPES.filter((scope) => wanted.has(scope));
  if (scopes.length === wanted.size) return scopes;
  throw new OauthFailure('invalid_scope', `Scopes are ${API_SCOPES.join(', ')}.`);
}

/** Counts against an account or a client's network. Throws `rate_limited`. */
function limit({ rateLimits }: OauthDevicesDeps, name: string, subject: string, rule: Limit): void {
  const quota = consumeAll(rateLimits, limitsOfNetwork(name, subject, rule));
  if (quota.allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((quota.resetAt - Date.now()) / 1_000));
  throw new MarketError('rate_limited', { retryAfterSeconds });
}
