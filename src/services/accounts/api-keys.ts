/**
 * API keys (contract, "Accounts, sessions, keys"). Nothing of a key is remembered between requests: each one reads the
 * key by the hash of its secret, so that a deleted, rotated or expired key is dead for every process at once.
 */
import { type ApiScope, MAX_KEYS_PER_ACCOUNT, MAX_SECRETS_PER_KEY } from '../../domain/accounts/api-key';
import { MarketError } from '../../domain/errors';
import { parseInstant } from '../../domain/instant';
import { creditsToUnits } from '../../domain/ledger/money';
import { apiKeyHint, apiKeySha256, isApiKey, newApiKey } from '../../kit/crypto/api-key-format';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import { newId } from '../../kit/ids/ids';
import {
  type ApiKeyRow,
  countKeysForUpdate,
  deleteSecrets,
  endSecrets,
  findKeyCaller,
  insertKey,
  insertSecret,
  listKeys,
  lockKey,
  markDeleted,
  updateHint,
} from '../../stores/accounts/api-keys';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import type { LiveSession } from './accounts';
import type { KeyUses } from './api-key-uses';

export interface KeyCaller {
  user: NonNullable<LiveSession['user']>;
  keyId: string;
  scopes: readonly ApiScope[];
}

export interface KeyWish {
  name: string;
  scopes: readonly ApiScope[];
  /** Whole credits; null: no cap. */
  creditCap: number | null;
  /** ISO 8601; null: it does not expire. */
  expiresAt: string | null;
}

/** A key with its secret: the only time that the secret is seen. */
export type IssuedKey = ApiKeyRow & { key: string };

const POSITION = [/^key_[0-9a-f]{32}$/];

export function createApiKeys(deps: { pool: DbPool; uses: KeyUses; now?: () => Date }) {
  const { pool, uses, now = () => new Date() } = deps;

  return {
    /** Whose key this is; undefined when it is none that works. What is no key by its form costs no database read. */
    async authenticate(text: string): Promise<KeyCaller | undefined> {
      if (!isApiKey(text)) return undefined;
      const row = await findKeyCaller(pool, apiKeySha256(text));
      if (!row) return undefined;
      if (row.use_is_news) uses.note(row.key_id, now());
      const user = {
        userId: row.user_id,
        role: row.role,
        developerId: row.developer_id,
        registrationPaid: row.registration_paid_at !== null,
      };
      return { user, keyId: row.key_id, scopes: row.scopes };
    },

    /** A new key; 422 for an end that is no time or not in the future, 409 when the account has too many. */
    async create(userId: string, wish: KeyWish): Promise<IssuedKey> {
      const expiresAt = readExpiry(wish.expiresAt, now());
      return withTransaction(pool, (tx) => issueKey(tx, userId, wish, expiresAt));
    },

    /** The account's keys, newest first, expired ones too. */
    async list(userId: string, page: { limit: number; cursor?: string | undefined }) {
      const scope = `keys/${userId}`;
      const beforeId = readCursor(scope, page.cursor);
      const { keys, total } = await listKeys(pool, userId, { limit: page.limit + 1, beforeId });
      const items = keys.slice(0, page.limit);
      const last = keys.length > page.limit ? items.at(-1) : undefined;
      return { items, nextCursor: last ? encodeCursor(scope, [last.keyId]) : null, total };
    },

    /** The key is dead for every process when this returns; 404 when the account has no such key. */
    async delete(userId: string, keyId: string): Promise<void> {
      await withTransaction(pool, async (tx) => {
        await ownKey(tx, userId, keyId);
        await deleteSecrets(tx, keyId);
        await markDeleted(tx, keyId);
      });
    },

    /**
     * Gives a key another secret; id, scopes, cap and spending stay. The old secret is dead at once, or works on for
     * the grace. 404; 409 for an expired key, or when too many old secrets are in their grace.
     */
    async rotate(userId: string, keyId: string, graceSeconds: number): Promise<IssuedKey> {
      const key = newApiKey();
      return withTransaction(pool, async (tx) => {
        const { isExpired } = await ownKey(tx, userId, keyId);
        if (isExpired)
          throw new MarketError('invalid_state', { message: 'This key has expired. Make another.' });
        if (graceSeconds === 0) await deleteSecrets(tx, keyId);
        else await endOldSecrets(tx, keyId, graceSeconds);
        await insertSecret(tx, apiKeySha256(key), keyId);
        return { ...(await updateHint(tx, keyId, apiKeyHint(key))), key };
      });
    },
  };
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

async function issueKey(
  tx: Db,
  userId: string,
  { name, scopes, creditCap }: KeyWish,
  expiresAt: Date | null,
): Promise<IssuedKey> {
  if ((await countKeysForUpdate(tx, userId)) >= MAX_KEYS_PER_ACCOUNT) {
    throw new MarketError('invalid_state', {
      message: `An account has at most ${MAX_KEYS_PER_ACCOUNT} keys. Delete one that you no longer use.`,
    });
  }
  const key = newApiKey();
  const keyId = newId('key');
  const creditCapUnits = creditCap === null ? null : creditsToUnits(creditCap);
  const row = await insertKey(tx, {
    keyId,
    userId,
    name,
    scopes,
    hint: apiKeyHint(key),
    creditCapUnits,
    expiresAt,
  });
  await insertSecret(tx, apiKeySha256(key), keyId);
  return { ...row, key };
}

async function ownKey(tx: Db, userId: string, keyId: string): Promise<{ isExpired: boolean }> {
  const key = await lockKey(tx, userId, keyId);
  if (!key) throw new MarketError('not_found');
  return key;
}

async function endOldSecrets(tx: Db, keyId: string, graceSeconds: number): Promise<void> {
  if ((await endSecrets(tx, keyId, graceSeconds)) < MAX_SECRETS_PER_KEY) return;
  throw new MarketError('invalid_state', {
    message: 'Too many old secrets of this key are in their grace. Rotate it with grace_seconds 0, or later.',
  });
}

function readExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const time = parseInstant(text);
  if (time && time > now) return time;
  const [msg, type] = time
    ? ['must be in the future', 'future']
    : ['is not a time that ISO 8601 knows, from 1970 to 9999', 'time'];
  throw new MarketError('validation_failed', { detail: [{ loc: ['body', 'expires_at'], msg, type }] });
}

function readCursor(scope: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(scope, cursor, POSITION);
  if (position) return position[0];
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}
