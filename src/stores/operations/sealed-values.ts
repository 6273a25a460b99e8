import type { Db } from '../db';

/** A column of sealed values. All names are constants in code, never input. */
export interface SealedColumn {
  table: string;
  /** Name of the primary key, a text column. */
  id: string;
  column: string;
  /** A second column that is part of the sealing context. */
  extra?: string;
  /** Column that stores the version of the master key, if there is one. */
  keyVersion?: string;
  /** Condition for rows that are still in use; default: all rows. */
  matters?: string;
}

export interface SealedRow {
  id: string;
  extra: string;
  /** At least the header of the sealed value. */
  sealed: Buffer;
}

/** Longer than the header of any sealed value whose context consists of ids. */
const HEAD_BYTES = 1_024;
/** Version, suite and random message id: a prefix that is unique for each sealed value. */
const UNIQUE_BYTES = 35;

/** Reads the beginnings of sealed values, ordered by id, after `afterId`. */
export function readSealedHeads(
  db: Db,
  place: SealedColumn,
  page: { afterId: string; limit: number },
): Promise<SealedRow[]> {
  return read(db, place, `substring(${place.column} FOR ${HEAD_BYTES})`, `${place.id} > $1`, page);
}

export async function readSealedValue(
  db: Db,
  place: SealedColumn,
  id: string,
): Promise<SealedRow | undefined> {
  const [row] = await read(db, place, place.column, `${place.id} = $1`, { afterId: id, limit: 1 });
  return row;
}

/** Replaces a sealed value unless it was changed concurrently. Returns true if it was replaced. */
export async function exchangeSealed(
  db: Db,
  place: SealedColumn,
  exchange: { id: string; before: Buffer; after: Buffer; keyVersion: number },
): Promise<boolean> {
  const { id, before, after, keyVersion } = exchange;
  const values: unknown[] = [id, before.subarray(0, UNIQUE_BYTES), after];
  if (place.keyVersion) values.push(keyVersion);
  const { rowCount } = await db.query(
    `UPDATE ${place.table} SET ${place.column} = $3 ${place.keyVersion ? `, ${place.keyVersion} = $4` : ''}
      WHERE ${place.id} = $1 AND substring(${place.column} FOR ${UNIQUE_BYTES}) = $2`,
    values,
  );
  return rowCount === 1;
}

async function read(
  db: Db,
  place: SealedColumn,
  what: string,
  where: string,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<SealedRow[]> {
  const { rows } = await db.query<SealedRow>(
    `SELECT ${place.id} AS id, ${place.extra ?? "''"} AS extra, ${what} AS sealed FROM ${place.table}
      WHERE ${where} AND ${place.column} IS NOT NULL AND ${place.matters ?? 'true'} ORDER BY ${place.id} LIMIT $2`,
    [afterId, limit],
  );
  return rows;
}
