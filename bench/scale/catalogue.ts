/**
 * What an importer may do to a schema while it loads: it drops the indexes of the tables and makes them again. The
 * schema is the same afterwards, and `readCatalogue` proves it.
 */
import type { Client } from 'pg';

export interface DroppedIndexes {
  table: string;
  /** Statements that make them again. */
  make: string[];
}

const OF_TABLE = `WITH RECURSIVE tables AS (
  SELECT to_regclass($1)::oid AS oid UNION ALL SELECT inhrelid FROM pg_inherits JOIN tables ON inhparent = oid)`;

/** Drops the indexes and keys of a table and of its partitions. */
export async function dropIndexes(client: Client, table: string): Promise<DroppedIndexes> {
  const { rows } = await client.query<{ drop: string; make: string }>(
    `${OF_TABLE}
     SELECT CASE WHEN k.oid IS NULL THEN 'DROP INDEX ' || i.indexrelid::regclass
              ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, k.conname) END AS drop,
            CASE WHEN k.oid IS NULL THEN replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
              ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.indrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) END AS make
     FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
     LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.contype IN ('p', 'u')
     WHERE NOT c.relispartition ORDER BY i.indexrelid`,
    [table],
  );
  for (const { drop } of rows) await client.query(drop);
  return { table, make: rows.map(({ make }) => make) };
}

/** One line for each column, constraint, index, trigger, partition and setting of the tables. */
export async function readCatalogue(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    WITH tables AS (
      SELECT oid, oid::regclass::text AS name, relkind, relpersistence, reloptions, pg_get_expr(relpartbound, oid) AS bound,
        relacl
      FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace IN ('public'::regnamespace, 'months'::regnamespace)
        AND relname NOT LIKE 'bench\\_%')
    SELECT concat_ws(' ', 'table', name, relkind, relpersistence, reloptions, bound, relacl) AS line FROM tables
    UNION ALL
    SELECT concat_ws(' ', 'column', name, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
      attgenerated, attstorage, pg_get_expr(adbin, adrelid)) FROM tables
      JOIN pg_attribute ON attrelid = oid AND attnum > 0 LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT concat_ws(' ', 'constraint', name, conname, pg_get_constraintdef(c.oid), convalidated, coninhcount, conislocal)
      FROM tables t JOIN pg_constraint c ON conrelid = t.oid
    UNION ALL
    SELECT concat_ws(' ', 'index', name, pg_get_indexdef(indexrelid), indisvalid, inhparent::regclass)
      FROM tables t JOIN pg_index ON indrelid = t.oid LEFT JOIN pg_inherits ON inhrelid = indexrelid
    UNION ALL
    SELECT concat_ws(' ', 'trigger', name, pg_get_triggerdef(g.oid), tgenabled)
      FROM tables t JOIN pg_trigger g ON tgrelid = t.oid WHERE NOT tgisinternal
    ORDER BY 1`);
  return rows.map(({ line }) => line);
}

/** Throws with the first lines in which the schema differs from what it was. */
export function expectSameCatalogue(before: readonly string[], after: readonly string[]): void {
  const [was, is] = [new Set(before), new Set(after)];
  const differences = [
    ...before.filter((each) => !is.has(each)).map((each) => `- ${each}`),
    ...after.filter((each) => !was.has(each)).map((each) => `+ ${each}`),
  ];
  if (differences.length > 0)
    throw new Error(`the schema differs after the fill:\n${differences.slice(0, 20).join('\n')}`);
}
