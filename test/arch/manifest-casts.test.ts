/**
 * SQL reads manifests by `manifest_json()`: a manifest may hold `\u0000`, which a direct cast to json or jsonb
 * refuses, so that one such manifest would fail the statement for all.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
/** `manifest::json`, `v.manifest::jsonb -> …`, `(manifest)::json` and `CAST(v.manifest AS jsonb)`. */
const CAST = /\bmanifest\b\s*\)?\s*::\s*jsonb?\b|\bCAST\s*\(\s*(?:\w+\.)?manifest\s+AS\s+jsonb?\b/gi;

/** Files with such a cast, each with the reason why it is right. Old migrations have run, and stay as they are. */
const REVIEWED: Record<string, string> = {
  'migrations/functions/catalogue/manifest_json.sql': 'is the function',
  'migrations/functions/catalogue/schema_words.sql': 'catches what a cast refuses, and indexes no words then',
};

const files = ['src', 'migrations', 'tools', 'bench', 'test/support', 'ops', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => /\.(?:ts|js|mjs|cjs|sql)$/.test(name) && !/^migrations\/\d/.test(name))
    .filter((name) => !name.includes('node_modules') && name !== 'migrations/schema.sql'),
);
const textOf = (file: string) =>
  readFileSync(join(ROOT, file), 'utf8').replaceAll(
    file.endsWith('.sql') ? /--.*$/gm : /^\s*(?:\*|\/\/|\/\*).*$/gm,
    '',
  );
const castsIn = (text: string) => text.match(CAST) ?? [];

it.each([
  'SELECT v.manifest::jsonb -> 1',
  'SELECT manifest :: json',
  'SELECT (v.manifest)::json',
  'SELECT cast(v.manifest AS jsonb)',
])('finds the cast in "%s"', (sql) => {
  expect(castsIn(sql)).toHaveLength(1);
});

it.each(['manifest_json(v.manifest)', 'v.public_part::json', 'manifest_sha256::text', 'manifest::text'])(
  'lets "%s" be',
  (sql) => {
    expect(castsIn(sql)).toEqual([]);
  },
);

it('reads manifests by manifest_json() everywhere', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => castsIn(textOf(file)).length > 0).sort()).toEqual(
    Object.keys(REVIEWED).sort(),
  );
});
