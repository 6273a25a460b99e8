/**
 * API keys (contract, "Accounts, sessions, keys"). Keys are not cached: each request reads its key by the hash of its
 * secret, so that deletion, rotation and expiry take effect in every process at once. Concurrent requests share a read
 * that begins after they arrived.
 */
import {
  type ApiScope,
  expiryProblems,
  MAX_KEYS_PER_ACCOUNT,
  MAX_SECRETS_PER_KEY,
} from '../../domain/accounts/api-key';
import type { MemberRole } from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import { parseInstant } from '../../domain/instant';
import { unitsToCredits } from '../../domain/ledger/money';
import { apiKeyHint, apiKeySha256, isApiKey, newApiKey } from '../../kit/crypto/api-key-format';
import { createSharedReads } from '../../kit/concurrency/shared-reads';
import { newId } from '../../kit/ids/ids';
import {
  type ApiKeyRow,
  changeKey,
  countKeysForUpdate,
  deleteSecrets,
  endSecrets,
  findKeyCaller,
  type KeyCallerRow,
  insertKey,
  insertSecret,
  type KeyMakers,
  listKeys,
  lockKey,
  markDeleted,
  readKey,
  updateHint,
} from '../../stores/accounts/api-keys';
import { readKeyLimits, type SpendingLimits } from '../../stores/accounts/key-limits';
import { requestMail } from '../../stores/accounts/mails';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { lockedRole } from '../organisations/guards';
import type { LiveSession } from './session-list';
import type { KeyUses } from './api-key-uses';
import { type KeyLimits, type KeyRates, readKeyRates } from './rate-limits';
import { type KeyChange, type KeyWish, narrowed, storedChange, storedLimits } from './key-wish';

export interface KeyCaller {
  user: Omit<NonNullable<LiveSession['user']>, 'chosenOwner' | 'owner'>;
  /** The person who acts by the key; null for a key of an organisation itself. */
  person: string | null;
  /** The role of that person in the organisation. */
  memberRole: MemberRole | null;
  keyId: string;
  scopes: readonly ApiScope[];
}

/** A key; in the list of an account's keys, with what it has used of its limits. */
export type ApiKey = ApiKeyRow & { rates?: KeyRates };
export type { SpendingLimits };

/** A key with its secret. The secret is shown once. */
export type IssuedKey = ApiKey & { key: string };

export function createApiKeys(deps: { pool: DbPool; uses: KeyUses; limits: KeyLimits; now?: () => Date }) {
  const { pool, uses, limits, now = () => new Date() } = deps;
  const callers = createSharedReads<Awaited<ReturnType<typeof findKeyCaller>>>();

  return {
    /**
     * Returns the caller of a valid key; undefined for any other text. Text that does not have the form of a key costs
     * no query.
     */
    async authenticate(text: string): Promise<KeyCaller | undefined> {
      if (!isApiKey(text)) return undefined;
      const hash = apiKeySha256(text);
      const row = await callers.read(hash.toString(), () => findKeyCaller(pool, hash));
      if (!row) return undefined;
      if (row.use_is_news) uses.note(row.key_id, now());
      return toKeyCaller(row);
    },

    /**
     * Creates a key. Throws `validation_failed` if the expiry is not a time in the future, `invalid_state` if the
     * account has too many keys. By `parentId`, another key makes it, within its own limits (`narrowed`). `createdBy`:
     * the member who makes it for an organisation; throws `not_found` if the membership has ended meanwhile.
     */
    create: (userId: string, wish: KeyWish, makers: KeyMakers = {}): Promise<IssuedKey> =>
      withTransaction(pool, (tx) => makeKey(tx, userId, wish, { ...makers, now: now() })),

    /** What a key, or the key of a grant, may spend, and on which agents. */
    limitsOf: (userId: string, keyId: string) => readKeyLimits(pool, userId, keyId),

    /**
     * Lists the account's keys with what they have used of their limits, including expired ones, newest first.
     * `parentId`: only those that this key made.
     */
    list: (userId: string, page: Parameters<typeof listKeys>[2]) =>
      listWithRates(pool, limits, { userId, page }),

    ...createKeyChanges(pool),
  };
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

async function listWithRates(
  pool: DbPool,
  limits: KeyLimits,
  { userId, page }: { userId: string; page: Parameters<typeof listKeys>[2] },
) {
  const { rows, total } = await listKeys(pool, userId, page);
  const ratesOf = await readKeyRates(
    pool,
    rows.map(({ keyId }) => keyId),
    limits,
  );
  return { rows: rows.map((key): ApiKey => ({ ...key, rates: ratesOf(key.keyId) })), total };
}

function createKeyChanges(pool: DbPool) {
  return {
    /**
     * Deletes a key and those that it made; they are invalid in every process when this returns. `makers`: only one
     * that this key or member made. Throws `not_found`.
     */
    async delete(userId: string, keyId: string, makers: KeyMakers = {}): Promise<void> {
      await withTransaction(pool, async (tx) => {
        await ownKey(tx, userId, keyId, makers);
        await deleteSecrets(tx, keyId);
        await markDeleted(tx, keyId);
      });
    },

    /**
     * Replaces the secret of a key; id, scopes, cap and spending stay. The old secret becomes invalid at once, or after
     * the grace period. Throws `not_found`, or `invalid_state` if the key has expired or too many old secrets are in
     * their grace period.
     */
    async rotate(
      userId: string,
      keyId: string,
      graceSeconds: number,
      makers: KeyMakers = {},
    ): Promise<IssuedKey> {
      const key = newApiKey();
      return withTransaction(pool, async (tx) => {
        const { isExpired } = await ownKey(tx, userId, keyId, makers);
        if (isExpired)
          throw new MarketError('invalid_state', { message: 'This key has expired. Create a new one.' });
        if (graceSeconds === 0) await deleteSecrets(tx, keyId);
        else await endOldSecrets(tx, keyId, graceSeconds);
        await insertSecret(tx, apiKeySha256(key), keyId);
        const subject = `a new secret of ${keyId}`;
        await requestMail(tx, { recipient: userId, kind: 'api_key_created', subject });
        return { ...(await updateHint(tx, keyId, apiKeyHint(key))), key };
      });
    },

    /**
     * Changes name and limits of a key; omitted fields keep their value. Throws `not_found`, and `validation_failed`
     * for a cap over the lifetime below what the key has spent and may still spend by its calls in flight.
     */
    async change(userId: string, keyId: string, change: KeyChange, createdBy?: string): Promise<ApiKey> {
      if (createdBy !== undefined && !(await readKey(pool, userId, keyId, createdBy)))
        throw new MarketError('not_found');
      const result = await changeKey(pool, userId, keyId, storedChange(change));
      if (!result) throw new MarketError('not_found');
      if (!result.changed) throw capTooLow(result.leastUnits);
      const key = await readKey(pool, userId, keyId);
      if (!key) throw new MarketError('not_found');
      return key;
    },
  };
}

/** Creates a key for its owner, or within the limits of the key `parentId` that makes it. */
async function makeKey(
  tx: Db,
  userId: string,
  wish: KeyWish,
  { parentId, createdBy, now }: KeyMakers & { now: Date },
): Promise<IssuedKey> {
  // A removal of the member comes before, and refuses the key, or after, and ends it.
  if (createdBy !== undefined) await lockedRole(tx, userId, createdBy, 'keys');
  const expiresAt = readExpiry(wish.expiresAt, now);
  if (parentId === undefined) return createKey(tx, userId, wish, { expiresAt, createdBy });
  const within = await narrowed(tx, userId, parentId, wish);
  const end = within.expiresAt === null ? null : (parseInstant(within.expiresAt) ?? null);
  return insertNewKey(tx, userId, within, {
    expiresAt: end,
    parentKeyId: parentId,
    createdBy: createdBy ?? null,
  });
}

interface NewKeyFacts {
  expiresAt: Date | null;
  /** The member who makes the key of an organisation. */
  createdBy?: string | null | undefined;
}

/** Creates a key that its owner asked for, and reports it by mail. */
async function createKey(tx: Db, userId: string, wish: KeyWish, more: NewKeyFacts): Promise<IssuedKey> {
  const key = await issueKey(tx, userId, wish, more);
  await requestMail(tx, { recipient: userId, kind: 'api_key_created', subject: key.keyId });
  return key;
}

/** Creates a key in a transaction. Throws `invalid_state` if the account has too many keys. */
export async function issueKey(
  tx: Db,
  userId: string,
  wish: KeyWish,
  { expiresAt, createdBy = null }: NewKeyFacts,
): Promise<IssuedKey> {
  if ((await countKeysForUpdate(tx, userId)) >= MAX_KEYS_PER_ACCOUNT) {
    throw new MarketError('invalid_state', {
      message: `An account has at most ${MAX_KEYS_PER_ACCOUNT} keys. Delete one that you no longer use.`,
    });
  }
  return insertNewKey(tx, userId, wish, { expiresAt, parentKeyId: null, createdBy });
}

async function insertNewKey(
  tx: Db,
  userId: string,
  { name, scopes, limits }: KeyWish,
  more: { expiresAt: Date | null; parentKeyId: string | null; createdBy: string | null },
): Promise<IssuedKey> {
  const key = newApiKey();
  const keyId = newId('key');
  const row = await insertKey(tx, {
    keyId,
    userId,
    name,
    scopes,
    hint: apiKeyHint(key),
    limits: storedLimits(limits),
    ...more,
  });
  await insertSecret(tx, apiKeySha256(key), keyId);
  return { ...row, key };
}

async function ownKey(
  tx: Db,
  userId: string,
  keyId: string,
  makers: KeyMakers = {},
): Promise<{ isExpired: boolean }> {
  const key = await lockKey(tx, userId, keyId, makers);
  if (!key) throw new MarketError('not_found');
  return key;
}

async function endOldSecrets(tx: Db, keyId: string, graceSeconds: number): Promise<void> {
  if ((await endSecrets(tx, keyId, graceSeconds)) < MAX_SECRETS_PER_KEY) return;
  throw new MarketError('invalid_state', {
    message:
      'Too many old secrets of this key are in their grace period. Rotate it with grace_seconds 0, or later.',
  });
}

function capTooLow(leastUnits: number): MarketError {
  const least = Math.ceil(unitsToCredits(leastUnits));
  const msg = `must be at least ${least}, which the key has spent or may spend by its calls in flight`;
  return new MarketError('validation_failed', {
    detail: [{ loc: ['body', 'credit_cap'], msg, type: 'minimum' }],
  });
}

function readExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const detail = expiryProblems(text, now);
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
  return parseInstant(text) ?? null;
}

/** The caller of a key, or of an OAuth token, from its row. */
export function toKeyCaller(row: KeyCallerRow): KeyCaller {
  const user = {
    userId: row.user_id,
    role: row.role,
    developerId: row.developer_id,
    registrationPaid: row.registration_paid_at !== null,
    emailConfirmed: row.email_confirmed_at !== null,
    hasAuthenticator: row.authenticator_since !== null,
    keepsBodies: row.keeps_bodies,
  };
  const person = row.is_organisation ? row.created_by : row.user_id;
  return { user, person, memberRole: row.member_role, keyId: row.key_id, scopes: row.scopes };
}
