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
/** Processes that still seal with an older key make new values meanwhile. */
const MAX_PASSES = 5;

/** Of one place: how many values each master key (`name:version`) wraps. */
export type KeyUse = { place: string; keys: Record<string, number> };

export interface RotationReport {
  /** The master key that wraps everything now, as `name:version`. */
  newest: string;
  rewrapped: { place: string; values: number }[];
  /** Values that do not open with any of the keys; they are as they were. */
  failed: { place: string; id: string; reason: string }[];
  /** Values that another key still wraps, since a process sealed them meanwhile or they failed. */
  remaining: KeyUse[];
}

/**
 * Moves every sealed value onto the newest master key while the service runs: each is opened, sealed again and exchanged
 * by itself, unless somebody changed it meanwhile. Readers have the old value or the new one, and open both. May be
 * interrupted and repeated at any time.
 */
export function createKeyRotation(deps: { db: Db; cipher: Cipher; places?: readonly SealedPlace[] }) {
  const { db, cipher, places = SEALED_PLACES } = deps;
  const newest = nameOf(cipher.newest);

  /** Which master keys wrap the values of each place. */
  async function status(): Promise<KeyUse[]> {
    const uses: KeyUse[] = [];
    for (const place of places) {
      const keys: Record<string, number> = {};
      for await (const { sealed } of heads(db, place)) {
        const key = keyNameOf(cipher, sealed);
        keys[key] = (keys[key] ?? 0) + 1;
      }
      uses.push({ place: place.name, keys });
    }
    return uses;
  }

  return {
    newest,
    status,

    /** Repeats until nothing is left to do, a few times at most. Throws only when the database is away. */
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

/** By place and id: a value that failed in one pass may be replaced before the next. */
type FailedValues = Map<string, RotationReport['failed'][number]>;

async function* heads(db: Db, place: SealedPlace): AsyncGenerator<SealedRow> {
  for (let afterId = ''; ;) {
    const rows = await readSealedHeads(db, place, { afterId, limit: PAGE });
    yield* rows;
    afterId = rows.at(-1)?.id ?? '';
    if (rows.length < PAGE) return;
  }
}

/** One pass over a place; how many values were exchanged. */
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

/** True when the value was exchanged; false when it is gone or new. Throws when it does not open. */
async function rewrap(db: Db, cipher: Cipher, place: SealedPlace, id: string): Promise<boolean> {
  const row = await readSealedValue(db, place, id);
  if (!row) return false;
  const context = place.context(row);
  const after = await cipher.seal(await cipher.open(row.sealed, context), context);
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
