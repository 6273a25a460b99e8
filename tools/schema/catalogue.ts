/**
 * What the catalogue of a database says of its tables, views, sequences and types, as rows that a page can be made of.
 */
import type { ClientBase } from 'pg';

export interface Relation {
  /** As it is written in statements: `holds`, or `archive.holds`. */
  name: string;
  /** r: table, p: partitioned table, v: view, S: sequence, c: type. */
  kind: 'r' | 'p' | 'v' | 'S' | 'c';
  isUnlogged: boolean;
  options: string | null;
  partitionedBy: string | null;
  comment: string | null;
  /** The query of a view; the start of a sequence. */
  body: string | null;
}

export interface Column {
  relation: string;
  name: string;
  type: string;
  isRequired: boolean;
  /** DEFAULT …, GENERATED …, or empty. */
  value: string;
  comment: string | null;
}

/** A constraint, an index, a trigger or a grant: its text, and the relation that it is shown with. */
export interface Part {
  relation: string;
  name: string;
  text: string;
}

export interface Catalogue {
  schemas: string[];
  relations: Relation[];
  columns: Column[];
  constraints: Part[];
  indexes: Part[];
  triggers: Part[];
  grants: Part[];
  /** What the default partition of a table has and its parent cannot pass on; other partitions have the same. */
  ofPartitions: Part[];
}

const IN_SCHEMAS = `n.nspname IN ('public', 'archive') AND NOT c.relispartition`;
/** A relation as statements name it. */
const named = (oid: string) => `${oid}::regclass::text`;

const SCHEMAS = `
  SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('public', 'information_schema') ORDER BY 1`;

const RELATIONS = `
  SELECT ${named('c.oid')} AS name, c.relkind AS kind, c.relpersistence = 'u' AS "isUnlogged",
         array_to_string(c.reloptions, ', ') AS options,
         CASE c.relkind WHEN 'p' THEN pg_get_partkeydef(c.oid) END AS "partitionedBy",
         coalesce(obj_description(c.oid, 'pg_class'), obj_description(c.reltype, 'pg_type')) AS comment,
         CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid, true)
           WHEN 'S' THEN 'MINVALUE ' || s.seqmin || ' START ' || s.seqstart END AS body
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_sequence s ON s.seqrelid = c.oid
  WHERE ${IN_SCHEMAS} AND c.relkind IN ('r', 'p', 'v', 'S', 'c')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE c.relkind = 'S' AND d.objid = c.oid AND d.deptype IN ('a', 'i'))`;

const COLUMNS = `
  SELECT ${named('c.oid')} AS relation, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
         a.attnotnull AS "isRequired", col_description(c.oid, a.attnum) AS comment,
         CASE WHEN a.attidentity = 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
           WHEN a.attgenerated = 's' THEN 'GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid, true) || ') STORED'
           WHEN d.adbin IS NOT NULL THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid, true) ELSE '' END AS value
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${IN_SCHEMAS} AND c.relkind IN ('r', 'p', 'c') AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.oid, a.attnum`;

const CONSTRAINTS = `
  SELECT ${named('c.oid')} AS relation, k.conname AS name, pg_get_constraintdef(k.oid, true) AS text
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${IN_SCHEMAS} AND k.contype IN ('p', 'u', 'f', 'c')
  ORDER BY c.oid, position(k.contype::text IN 'pucf'), k.conname`;

const INDEXES = `
  SELECT ${named('c.oid')} AS relation, o.relname AS name, pg_get_indexdef(i.indexrelid) AS text
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class o ON o.oid = i.indexrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${IN_SCHEMAS} AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))
  ORDER BY c.oid, o.relname`;

const TRIGGERS = `
  SELECT ${named('c.oid')} AS relation, t.tgname AS name, pg_get_triggerdef(t.oid, true) AS text
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${IN_SCHEMAS} AND NOT t.tgisinternal ORDER BY c.oid, t.tgname`;

/** Rights of other roles than the owner, each with the columns that it is limited to. */
const GRANTS = `
  WITH rights AS (
    SELECT c.oid, a.privilege_type AS privilege, a.grantee, NULL::text AS columns
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(c.relacl) a
      WHERE ${IN_SCHEMAS} AND a.grantee <> c.relowner
    UNION ALL
    SELECT c.oid, a.privilege_type, a.grantee, string_agg(t.attname, ', ' ORDER BY t.attnum)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute t ON t.attrelid = c.oid,
        aclexplode(t.attacl) a
      WHERE ${IN_SCHEMAS} AND a.grantee <> c.relowner GROUP BY 1, 2, 3)
  SELECT ${named('oid')} AS relation, grantee::regrole::text AS name,
         string_agg(privilege || coalesce(' (' || columns || ')', ''), ', '
           ORDER BY array_position(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'], privilege), columns NULLS FIRST) AS text
  FROM rights GROUP BY 1, 2 ORDER BY 1, 2`;

const OF_PARTITIONS = `
  WITH children AS (
    SELECT ${named('i.inhparent')} AS relation, c.oid, c.reloptions
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
    WHERE p.relkind = 'p' AND c.relname LIKE '%\\_default')
  SELECT relation, '' AS name, 'WITH (' || array_to_string(reloptions, ', ') || ')' AS text FROM children
    WHERE reloptions IS NOT NULL
  UNION ALL
  SELECT h.relation, o.relname, pg_get_indexdef(i.indexrelid) FROM children h JOIN pg_index i ON i.indrelid = h.oid
    JOIN pg_class o ON o.oid = i.indexrelid WHERE NOT EXISTS (SELECT FROM pg_inherits n WHERE n.inhrelid = i.indexrelid)
  UNION ALL
  SELECT h.relation, t.tgname, pg_get_triggerdef(t.oid, true) FROM children h JOIN pg_trigger t ON t.tgrelid = h.oid
    WHERE NOT t.tgisinternal AND t.tgparentid = 0
  ORDER BY 1, 2`;

/** Reads the catalogue with a connection of any role. */
export async function readCatalogue(db: ClientBase): Promise<Catalogue> {
  const rows = async <Row extends object>(sql: string) => (await db.query<Row>(sql)).rows;
  await db.query(`SET search_path = public`);
  return {
    schemas: (await rows<{ nspname: string }>(SCHEMAS)).map(({ nspname }) => nspname),
    relations: await rows<Relation>(RELATIONS),
    columns: await rows<Column>(COLUMNS),
    constraints: await rows<Part>(CONSTRAINTS),
    indexes: await rows<Part>(INDEXES),
    triggers: await rows<Part>(TRIGGERS),
    grants: await rows<Part>(GRANTS),
    ofPartitions: await rows<Part>(OF_PARTITIONS),
  };
}
