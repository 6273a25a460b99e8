/**
 * Proves at the start of a process that its MASTER_KEYS are those of the database. A process with other keys would
 * answer calls, and fail at the first credential, webhook or payout method that it has to open.
 */
import type { Cipher } from '../../kit/crypto/cipher';
import { type Db, isDatabaseUnavailable } from '../../stores/db';
import { readSealedHeads, readSealedValue } from '../../stores/operations/sealed-values';
import { SEALED_PLACES } from './sealed-places';
import { StartRefusal } from '../../kit/start-refusal';

/** Small tables whose values stay. */
const PLACES = new Set([
  'keys that sign evidence',
  'signing secrets of agents',
  'upstream credentials',
  'payout methods',
  'addresses and secrets of webhooks',
  'secrets of authenticator apps',
]);
const SAMPLES = 3;

/**
 * Opens some stored values. Throws `Error` with a sentence for the operator if none of those under one of the master
 * keys opens. Passes if nothing is stored, or if Postgres is not there yet.
 */
export async function proveMasterKeys({ db, cipher }: { db: Db; cipher: Cipher }): Promise<void> {
  const isUnsealed = new Map<string, boolean>();
  try {
    for (const place of SEALED_PLACES.filter(({ name }) => PLACES.has(name))) {
      for (const { id } of await readSealedHeads(db, place, { afterId: '', limit: SAMPLES })) {
        const row = await readSealedValue(db, place, id);
        if (!row) continue;
        const of = keyOf(cipher, row.sealed);
        if (!of) continue;
        const unseals = await cipher.unseal(row.sealed, place.context(row)).then(
          () => true,
          () => false,
        );
        const key = `${of.name}:${of.version}`;
        isUnsealed.set(key, unseals || isUnsealed.get(key) === true);
      }
    }
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
  }
  const closed = [...isUnsealed].filter(([, opens]) => !opens).map(([key]) => key);
  const isWrong = closed.some((key) => cipher.names.includes(key)) || closed.length === isUnsealed.size;
  if (closed.length === 0 || !isWrong) return;
  throw new StartRefusal(
    `MASTER_KEYS are not the keys of this database: values that were encrypted with ${closed.join(', ')} do not open. Start with the keys that encrypted them; without them these values are lost.`,
  );
}

/** Returns undefined for a damaged value: it says nothing about the keys, and must not stop all processes. */
function keyOf(cipher: Cipher, sealed: Buffer): { name: string; version: number } | undefined {
  try {
    return cipher.keyOf(sealed);
  } catch {
    return undefined;
  }
}
