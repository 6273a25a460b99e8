import type { Db } from '../db';

/** A column of sealed values. All names are written in code, never given from outside. */
export interface SealedColumn {
  table: string;
  /** Primary key, a text. */
  id: string;
  column: string;
  /** A second column that the context of a value needs. */
  extra?: string;
  /** Where the version of the master key is noted besides. */
  keyVersion?: string;
  /** Condition of the rows that still matter; default: all. */
  matters?: string;
}

export interface SealedRow {
  id: string;
  extra: string;
  /** At least the header of the value. */
  sealed: Buffer;
}

/** Longer than the header of any sealed value whose context is ids. */
const HEAD_BYTES = 1_024;
/** Version, suite and the random id of the message: no two sealed values begin alike. */
const UNIQUE_BYTES = 35;

/** The beginnings of sealed values, in the order of their ids, after `afterId`. */
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

/** Exchanges a value unless it was changed meanwhile; true when it was exchanged. */
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
