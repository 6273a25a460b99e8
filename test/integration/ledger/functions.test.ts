/** A fresh database is what `migrations/schema.sql` and the files of `migrations/functions` say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFunctionFiles, type FunctionFile } from '../../../src/runtime/postgres/function-files';
import { withClient } from '../../../src/runtime/postgres/database';
import { MIGRATIONS_FOLDER } from '../../../src/runtime/postgres/migrate';
import { readCatalogue } from '../../../tools/schema/catalogue';
import { schemaText } from '../../../tools/schema/text';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';

interface Routine {
  name: string;
  kind: 'f' | 'a';
  language: string;
  volatility: string;
  security_definer: boolean;
  settings: string[];
  source: string;
  grants: string[] | null;
}

const files = new Map(readFunctionFiles(MIGRATIONS_FOLDER).map((file) => [file.name, file]));
let database: TestDatabase;
let routines: Routine[];

beforeAll(async () => {
  database = await createTestDatabase();
  routines = await withClient(database.ownerUrl, async (client) => {
    const { rows } = await client.query<Routine>(`
      SELECT p.proname AS name, p.prokind AS kind, l.lanname AS language, p.provolatile AS volatility,
             p.prosecdef AS security_definer, coalesce(p.proconfig, '{}') AS settings,
             CASE WHEN p.prosqlbody IS NULL THEN p.prosrc ELSE pg_get_functiondef(p.oid) END AS source,
             CASE WHEN p.proacl IS NOT NULL THEN ARRAY(
               SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
               FROM aclexplode(p.proacl) a WHERE a.grantee <> p.proowner ORDER BY 1) END AS grants
      FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
      WHERE p.pronamespace = 'public'::regnamespace ORDER BY p.proname`);
    return rows;
  });
});
afterAll(() => database.drop());

it('has the tables of migrations/schema.sql (npm run schema writes it)', async () => {
  const catalogue = await withClient(database.ownerUrl, readCatalogue);
  const page = readFileSync(join(MIGRATIONS_FOLDER, 'schema.sql'), 'utf8');
  expect(schemaText(catalogue, MIGRATIONS_FOLDER)).toBe(page);
});

it('has one file for each function, and one function for each file', () => {
  expect(routines.map(({ name }) => name)).toEqual([...files.keys()].sort());
});

it('has the definition, language, rights, settings and grants of the file', () => {
  expect(routines.map(stated)).toEqual(routines.map(({ name }) => inFile(files.get(name))));
});

it('has a header that names callers and locks', () => {
  const bare = [...files.values()].filter(({ sql }) => {
    const header = sql.slice(0, sql.indexOf('\nCREATE OR REPLACE '));
    return !/^-- [^]+\n-- Called by: [^]+\n-- Locks: [^]+\.$/.test(header);
  });
  expect(bare.map(({ path }) => path)).toEqual([]);
});

/** The properties of a function in the database. */
function stated({ name, kind, source, grants, ...rest }: Routine) {
  return {
    name,
    ...rest,
    settings: [...rest.settings].sort(),
    // Postgres stores an expression parsed, and an aggregate has none, so only their presence is compared.
    source: kind === 'f' && !source.startsWith('CREATE') ? source : kind,
    grants,
  };
}

/** The properties that its file states. */
function inFile(file: FunctionFile | undefined) {
  const sql = file?.sql ?? '';
  const body = /AS (\$\w*\$)([^]*?)\1/.exec(sql);
  const head = sql.replace(/^--.*\n/gm, '').split(/AS \$|\nRETURN /)[0] ?? '';
  const isAggregate = head.startsWith('CREATE OR REPLACE AGGREGATE');
  return {
    name: /^CREATE OR REPLACE (?:FUNCTION|AGGREGATE) (\w+)\(/.exec(head)?.[1],
    language: isAggregate ? 'internal' : /\bLANGUAGE (\w+)/.exec(head)?.[1],
    volatility: head.includes(' IMMUTABLE') || isAggregate ? 'i' : head.includes(' STABLE') ? 's' : 'v',
    security_definer: head.includes('SECURITY DEFINER'),
    settings: [...head.matchAll(/\bSET (\w+) = ((?:\w+, )*[\w']+)/g)]
      .map(([, setting, value = '']) => `${setting}=${value.replaceAll("'", '')}`)
      .sort(),
    source: body?.[2] ?? (isAggregate ? 'a' : 'f'),
    grants: !sql.includes(`REVOKE ALL ON FUNCTION ${file?.name} FROM PUBLIC, market_app;`)
      ? null
      : sql.includes(`GRANT EXECUTE ON FUNCTION ${file?.name} TO market_app;`)
        ? ['market_app']
        : [],
  };
}
