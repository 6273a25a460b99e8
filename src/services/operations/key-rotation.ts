import type { Cipher } from '../../kit/crypto/cipher';
import { type Db, isDatabaseUnavailable } from '../../stores/db';
import {
  exchangeSealed,
  readSealedHeads,
  readSealedValue,
  type SealedRow,
} from '../../stores/operations/sealed-values';
import { SEALED_PLACES, type SealedPlace } from './sealed-places';

const PAGE = 200;
/** Several passes, because processes with an older key may still encrypt new values. */
const MAX_PASSES = 5;

/** Number of values per master key (`name:version`) in one place. */
export type KeyUse = { place: string; keys: Record<string, number> };

export interface RotationReport {
  /** The newest master key, as `name:version`. */
  newest: string;
  rewrapped: { place: string; values: number }[];
  /** Values that no key decrypts. They are unchanged. */
  failed: { place: string; id: string; reason: string }[];
  /** Values still encrypted with another key: they failed, or a process wrote them meanwhile. */
  remaining: KeyUse[];
}

/**
 * Re-encrypts every sealed value with the newest master key while the service runs. Each value is decrypted, encrypted
 * and replaced individually, unless it was changed concurrently. Readers get the old or the new value and can decrypt
 * both. Safe to interrupt and repeat at any time.
 */
export function createKeyRotation(deps: { db: Db; cipher: Cipher; places?: readonly SealedPlace[] }) {
  const { db, cipher, places = SEALED_PLACES } = deps;
  const newest = nameOf(cipher.newest);

  /** Counts the values of each place by master key, the newest version of a key first. */
  async function status(): Promise<KeyUse[]> {
    const uses: KeyUse[] = [];
    for (const place of places) {
      const keys: Record<string, number> = {};
      for await (const { sealed } of heads(db, place)) {
        const key = keyNameOf(cipher, sealed);
        keys[key] = (keys[key] ?? 0) + 1;
      }
      const newestFirst = Object.entries(keys).sort(([a], [b]) =>
        b.localeCompare(a, 'en', { numeric: true }),
      );
      uses.push({ place: place.name, keys: Object.fromEntries(newestFirst) });
    }
    return uses;
  }

  return {
    newest,
    status,

    /** Repeats until nothing is left, up to a limit. Throws only when the database is unreachable. */
    async rotate(): Promise<RotationReport> {
      const failed: FailedValues = new Map();
      const counts = new Map(places.map(({ name }) => [name, 0]));
      for (let passes = 0, changed = 1; passes < MAX_PASSES && changed > 0; passes += 1) {
        changed = 0;
        for (const place of places) {
          const values = await rewrapAll(db, cipher, place, failed);
          counts.set(place.name, (counts.get(place.name) ?? 0) + values);
          changed += values;
        }
      }
      const remaining = (await status()).map(({ place, keys: { [newest]: _done, ...keys } }) => ({
        place,
        keys,
      }));
      return {
        newest,
        rewrapped: [...counts].map(([place, values]) => ({ place, values })),
        failed: [...failed.values()],
        remaining: remaining.filter(({ keys }) => Object.keys(keys).length > 0),
      };
    },
  };
}

/** By place and id. A value that failed in one pass may be replaced before the next. */
type FailedValues = Map<string, RotationReport['failed'][number]>;

async function* heads(db: Db, place: SealedPlace): AsyncGenerator<SealedRow> {
  for (let afterId = ''; ;) {
    const rows = await readSealedHeads(db, place, { afterId, limit: PAGE });
    yield* rows;
    afterId = rows.at(-1)?.id ?? '';
    if (rows.length < PAGE) return;
  }
}

/** Makes one pass over a place. Returns the number of replaced values. */
async function rewrapAll(db: Db, cipher: Cipher, place: SealedPlace, failed: FailedValues): Promise<number> {
  let values = 0;
  for await (const { id, sealed } of heads(db, place)) {
    const key = `${place.name} ${id}`;
    try {
      if (keyNameOf(cipher, sealed) !== nameOf(cipher.newest) && (await rewrap(db, cipher, place, id)))
        values += 1;
      failed.delete(key);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      failed.set(key, {
        place: place.name,
        id,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return values;
}

/** Returns true if the value was replaced, false if it is gone or was changed. Throws if it cannot be decrypted. */
async function rewrap(db: Db, cipher: Cipher, place: SealedPlace, id: string): Promise<boolean> {
  const row = await readSealedValue(db, place, id);
  if (!row) return false;
  const context = place.context(row);
  const after = await cipher.seal(await cipher.unseal(row.sealed, context), context);
  return exchangeSealed(db, place, {
    id,
    before: row.sealed,
    after,
    keyVersion: cipher.newest.version,
  });
}

function nameOf(key: { name: string; version: number }): string {
  return `${key.name}:${key.version}`;
}

function keyNameOf(cipher: Cipher, sealed: Buffer): string {
  try {
    return nameOf(cipher.keyOf(sealed));
  } catch {
    return 'none';
  }
}
