import type { KeyObject } from 'node:crypto';
import type { Cipher } from '../../kit/crypto/cipher';
import { type EcPublicJwk, generateSigningKey, importSigningKey } from '../../kit/crypto/jws';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import {
  insertSigningKey,
  listPublicKeys,
  lockSigningKeys,
  type NewSigningKey,
  readActiveKid,
  readSealedPrivate,
  retireActiveKey,
} from '../../stores/evidence/signing-keys';
import { asAction, type OperatorCommand } from '../accounts/operator-actions';

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** A key as published in `/.well-known/jwks.json`. */
export type PublishedJwk = EcPublicJwk & { kid: string; use: 'sig'; alg: 'ES256' };

/**
 * The keys that sign evidence. One key is active at a time; the first one is created on first use. Rotation retires the
 * active key and creates another. Retired keys stay published, so that their signatures can be verified forever.
 * Private keys are encrypted in the database and decrypted once per process.
 */
export function createSigningKeys(deps: { pool: DbPool; cipher: Cipher }) {
  const { pool, cipher } = deps;
  const opened = new Map<string, Promise<KeyObject>>();

  async function newKey(): Promise<NewSigningKey> {
    const { kid, publicJwk, privateKey } = await generateSigningKey();
    return { kid, publicJwk, sealedPrivate: await cipher.seal(privateKey, signingKeyContext(kid)) };
  }

  async function activeKid(): Promise<string> {
    return (await readActiveKid(pool)) ?? makeFirst();
  }

  /** Creates the first key. If several processes do this concurrently, one of them succeeds and all use its key. */
  async function makeFirst(): Promise<string> {
    const fresh = await newKey();
    return withTransaction(pool, async (tx) => {
      await lockSigningKeys(tx);
      const made = await readActiveKid(tx);
      if (made !== undefined) return made;
      await insertSigningKey(tx, fresh);
      return fresh.kid;
    });
  }

  function open(kid: string): Promise<KeyObject> {
    const known = opened.get(kid);
    if (known) return known;
    const unsealing = unsealKey(pool, cipher, kid);
    opened.set(kid, unsealing);
    unsealing.catch(() => opened.delete(kid));
    return unsealing;
  }

  return {
    /** The active key. It is looked up for each use, so that a rotation takes effect at once in every process. */
    async active(): Promise<SigningKey> {
      const kid = await activeKid();
      return { kid, privateKey: await open(kid) };
    },

    /** Lists all keys, including retired ones, newest first. */
    async published(): Promise<PublishedJwk[]> {
      await activeKid();
      const keys = await listPublicKeys(pool);
      return keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig', alg: 'ES256' }));
    },

    /** Retires the active key and creates a new one. With `command`, appends an audit log entry. */
    async rotate(command?: OperatorCommand): Promise<{ retired: string | undefined; active: string }> {
      const fresh = await newKey();
      return withTransaction(pool, async (tx) => {
        await lockSigningKeys(tx);
        const retired = await readActiveKid(tx);
        await retireActiveKey(tx);
        await insertSigningKey(tx, fresh);
        if (command) {
          const action = { action: 'signing_key.rotate', subject: fresh.kid, details: { retired } } as const;
          await recordOperatorAction(tx, { ...asAction(command), ...action });
        }
        return { retired, active: fresh.kid };
      });
    },
  };
}

export type SigningKeys = ReturnType<typeof createSigningKeys>;

async function unsealKey(db: Db, cipher: Cipher, kid: string): Promise<KeyObject> {
  const sealed = await readSealedPrivate(db, kid);
  if (!sealed) throw new Error(`no signing key ${kid}`);
  return importSigningKey(await cipher.unseal(sealed, signingKeyContext(kid)), kid);
}

/** The sealing context of a private signing key. */
export function signingKeyContext(kid: string): Record<string, string> {
  return { purpose: 'signing-key', kid };
}
