/**
 * The keys that sign requests to agents (ADR 0352). One key is active at a time; the first one is created on first use.
 * Each process reads them once a minute, so a retired key signs for a minute more and stays in the directory for a day.
 */
import type { KeyObject } from 'node:crypto';
import type { Cipher } from '../../kit/crypto/cipher';
import { ed25519Key, ed25519Public, newEd25519Seed } from '../../kit/crypto/ed25519';
import {
  ed25519Thumbprint,
  type MessageKey,
  signDirectory,
  signRequest,
} from '../../kit/crypto/http-message-signature';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { type DbPool, withTransaction } from '../../stores/db';
import {
  insertRequestKey,
  listRequestKeys,
  lockRequestKeys,
  type NewRequestKey,
  type RequestKeyRow,
  retireRequestKey,
} from '../../stores/evidence/request-keys';
import { asAction, type OperatorCommand } from '../accounts/operator-actions';

export const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory';

/** A verifier may keep the directory for this time. */
export const DIRECTORY_CACHED_SECONDS = 3_600;
const RETIRED_STAY_MS = 86_400_000;
const READ_AGAIN_MS = 60_000;
/** For how long a signature is accepted: a request and the difference of two clocks. */
const REQUEST_LIFE_SECONDS = 60;
/** Longer than any list of directories is kept, so that a proof of possession outlives it. */
const DIRECTORY_LIFE_SECONDS = 7 * 86_400;

export interface RequestKeysDeps {
  pool: DbPool;
  cipher: Cipher;
  /** Origin of the service, under which the directory stands. */
  origin: string;
  onError: (error: unknown) => void;
}

type OpenKey = MessageKey & Pick<RequestKeyRow, 'publicX' | 'createdAt' | 'retiredAt'>;

export function createRequestKeys({ pool, cipher, origin, onError }: RequestKeysDeps) {
  const directory = `${origin}${DIRECTORY_PATH}`;
  const opened = new Map<string, KeyObject>();
  let known: { keys: OpenKey[]; readAtMs: number } | undefined;
  let reading: Promise<OpenKey[]> | undefined;

  async function open(row: RequestKeyRow): Promise<OpenKey> {
    const { kid, publicX, createdAt, retiredAt } = row;
    const privateKey =
      opened.get(kid) ?? ed25519Key(await cipher.unseal(row.sealedPrivate, requestKeyContext(kid)));
    opened.set(kid, privateKey);
    return { kid, publicX, createdAt, retiredAt, privateKey };
  }

  async function read(): Promise<OpenKey[]> {
    let rows = await listRequestKeys(pool, RETIRED_STAY_MS);
    if (!rows.some(({ retiredAt }) => retiredAt === null)) {
      await makeFirst(pool, cipher);
      rows = await listRequestKeys(pool, RETIRED_STAY_MS);
    }
    const keys = await Promise.all(rows.map(open));
    known = { keys, readAtMs: Date.now() };
    return keys;
  }

  /** The keys as of at most a minute ago. With the database away, the ones that were read last. */
  async function current(): Promise<OpenKey[]> {
    if (known && Date.now() - known.readAtMs < READ_AGAIN_MS) return known.keys;
    try {
      return await (reading ??= read().finally(() => (reading = undefined)));
    } catch (error) {
      onError(error);
      if (known) known = { ...known, readAtMs: Date.now() };
      return known?.keys ?? [];
    }
  }

  return {
    /** The headers that sign a request; none if no key can be read, because a call does not depend on them. */
    async headersFor(method: string, url: string): Promise<Record<string, string>> {
      const [key] = await current();
      if (!key) return {};
      const created = Math.floor(Date.now() / 1_000);
      return signRequest({ method, url, directory, key, created, lifeSeconds: REQUEST_LIFE_SECONDS });
    },

    /** The key directory as it is served, signed by each of its keys. */
    async directory(): Promise<{ body: Buffer; headers: Record<string, string> }> {
      const keys = await current();
      const body = Buffer.from(JSON.stringify({ keys: keys.map(jwkOf) }));
      const created = Math.floor(Date.now() / 1_000);
      const authority = new URL(origin).host;
      const headers = signDirectory({ body, authority, keys, created, lifeSeconds: DIRECTORY_LIFE_SECONDS });
      return { body, headers };
    },
  };
}

export type RequestKeys = ReturnType<typeof createRequestKeys>;

/** Retires the active key and creates a new one. Appends an audit log entry. */
export async function rotateRequestKey(
  { pool, cipher }: Pick<RequestKeysDeps, 'pool' | 'cipher'>,
  command: OperatorCommand,
): Promise<{ retired: string | undefined; active: string }> {
  const fresh = await newKey(cipher);
  return withTransaction(pool, async (tx) => {
    await lockRequestKeys(tx);
    const [before] = await listRequestKeys(tx, 0);
    await retireRequestKey(tx);
    await insertRequestKey(tx, fresh);
    const action = {
      action: 'signing_key.rotate',
      subject: fresh.kid,
      details: { retired: before?.kid },
    } as const;
    await recordOperatorAction(tx, { ...asAction(command), ...action });
    return { retired: before?.kid, active: fresh.kid };
  });
}

/** Creates the first key. If several processes do this concurrently, one of them succeeds and all use its key. */
async function makeFirst(pool: DbPool, cipher: Cipher): Promise<void> {
  const fresh = await newKey(cipher);
  await withTransaction(pool, async (tx) => {
    await lockRequestKeys(tx);
    const [made] = await listRequestKeys(tx, 0);
    if (!made) await insertRequestKey(tx, fresh);
  });
}

async function newKey(cipher: Cipher): Promise<NewRequestKey> {
  const seed = newEd25519Seed();
  const publicX = ed25519Public(ed25519Key(seed));
  const kid = ed25519Thumbprint(publicX);
  return { kid, publicX, sealedPrivate: await cipher.seal(seed, requestKeyContext(kid)) };
}

/** A key of the directory: `nbf` and `exp` in seconds, the latter once it is retired. */
function jwkOf({ kid, publicX, createdAt, retiredAt }: OpenKey) {
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    x: publicX,
    kid,
    use: 'sig',
    nbf: Math.floor(createdAt.getTime() / 1_000),
    ...(retiredAt && { exp: Math.floor((retiredAt.getTime() + RETIRED_STAY_MS) / 1_000) }),
  };
}

/** The sealing context of a private key. */
export function requestKeyContext(kid: string): Record<string, string> {
  return { purpose: 'request-key', kid };
}
