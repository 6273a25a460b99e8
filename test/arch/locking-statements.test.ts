/**
 * Statements that lock rows read no partitioned table by the key of another row
 * (docs/internals/statements.md#row-locks): Postgres 18.4 shares the state of run-time partition pruning with the
 * recheck of a row that changed, and then ends the server or leaves rows out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const LOCK = /\bFOR\s+(?:NO\s+KEY\s+UPDATE|UPDATE|KEY\s+SHARE|SHARE)\b/;
const SOURCE = /\b(?:FROM|JOIN|UPDATE|USING)\s+(?:LATERAL\s+)?([a-z_]+)\b/g;

/** Statements with a lock that name a partitioned table beside another one, each with the reason why it is safe. */
const REVIEWED: Record<string, string> = {
  'migrations/functions/calls/invocation_lock_batch.sql: free_calls invocations':
    'reads the calls by an array that is known before the statement begins',
  'migrations/functions/calls/invocation_lock_batch.sql: mandates invocations mandates':
    'reads the calls by an array that is known before the statement begins',
  'migrations/functions/webhooks/event_purge.sql: webhook_deliveries webhook_deliveries':
    'the lock is below the deletion, which no recheck of it repeats',
  'migrations/functions/webhooks/event_purge.sql: events events webhook_deliveries':
    'reads the deliveries by event, which is not the key of their partitions',
  'src/stores/webhooks/webhook-deliveries.ts: webhook_deliveries webhook_deliveries webhook_deliveries':
    'reads the deliveries by account, and updates them in the part that no recheck of the lock repeats',
};

const files = ['src', 'migrations'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => /\.(?:ts|js|sql)$/.test(name) && !name.includes('.test.')),
);
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const partitioned = new Set(
  files.flatMap((file) =>
    [...textOf(file).matchAll(/CREATE TABLE (\w+) \((?:(?!CREATE TABLE)[\s\S])*?\) PARTITION BY/g)].map(
      ([, name]) => name ?? '',
    ),
  ),
);

/** The statements of a function file; the strings of a source file, with the constants of that file that they name. */
function statementsOf(file: string, text: string): string[] {
  if (file.endsWith('.sql'))
    return text.replaceAll(/--.*$/gm, '').split(/;|\bLOOP\b|\bBEGIN\b|\bTHEN\s+(?=PERFORM|SELECT)/);
  const constants = new Map(
    [...text.matchAll(/const (\w+) =\s*(?:`([^`]*)`|'([^']*)')/g)].map(([, name, ...parts]) => [
      name,
      parts.find((part) => part !== undefined) ?? '',
    ]),
  );
  const insert = (sql: string, depth = 3): string =>
    depth === 0
      ? sql
      : insert(
          sql.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => constants.get(name) ?? whole),
          depth - 1,
        );
  return [...text.matchAll(/`[^`]*`|'[^'\n]*'/g)].map(([sql]) => insert(sql));
}

/** The tables that a statement names in the order of the text, without its own WITH queries. */
function tablesOf(sql: string): string[] {
  const own = new Set(
    [...sql.matchAll(/(\w+)(?:\(\w+\))?\s+AS\s+(?:MATERIALIZED\s+)?\(/g)].map(([, name]) => name),
  );
  return [...sql.matchAll(SOURCE)]
    .map(([, table]) => table ?? '')
    .filter((name) => name !== 'unnest' && !own.has(name));
}

/** The tables of each statement that locks rows and reads a partitioned table beside another one. */
function suspects(file: string, text: string): string[] {
  return statementsOf(file, text)
    .filter((sql) => LOCK.test(sql))
    .map(tablesOf)
    .filter((tables) => tables.length > 1 && tables.some((table) => partitioned.has(table)))
    .map((tables) => `${file}: ${tables.join(' ')}`);
}

it('lists the partitioned tables', () => {
  expect([...partitioned].sort()).toEqual(
    expect.arrayContaining(['earnings', 'entries', 'events', 'holds', 'invocations', 'transactions']),
  );
});

it('finds a join, a subselect and a constant beside a lock', () => {
  const join = 'SELECT FROM disputes d JOIN invocations i USING (invocation_id) FOR UPDATE OF d';
  const nested = 'SELECT (SELECT v FROM holds h WHERE h.id = d.id) FROM disputes d FOR NO KEY UPDATE';
  expect(suspects('a.sql', `${join}; ${nested}; SELECT FROM invocations WHERE id = $1 FOR UPDATE;`)).toEqual([
    'a.sql: disputes invocations',
    'a.sql: holds disputes',
  ]);
  expect(suspects('a.ts', `const JOIN = '${join}'; query(\`WITH d AS (\${JOIN}) SELECT\`)`)).toHaveLength(2);
});

it('finds no statement but those that were reviewed', () => {
  expect(files.flatMap((file) => suspects(file, textOf(file))).sort()).toEqual(Object.keys(REVIEWED).sort());
});

it('gives the advisory lock of each purpose a number of its own', () => {
  const numbers = files.flatMap((file) => {
    const found = file.endsWith('.ts') ? textOf(file).matchAll(/\bLOCK_KEY = ([\d_]+)/g) : [];
    return [...found].map(([, number = '']) => number.replaceAll('_', ''));
  });
  const inFunctions = files
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => [...textOf(file).matchAll(/advisory\w*\((\d+)\)/g)].map(([, number = '']) => number));
  const all = [...numbers, ...new Set(inFunctions)];
  expect(numbers.length).toBeGreaterThan(3);
  expect(all.filter((number, at) => all.indexOf(number) !== at)).toEqual([]);
});

/** Assignments to what `agent_standing_refresh` derives: it writes an event for each change that it sees. */
const STANDING = /UPDATE agents\b[^`';]*\b(?:listed|badge|trust_score)\s*=[^=]/;

it('lets one function write the standing of an agent', () => {
  expect('UPDATE agents SET status = $2, listed = false WHERE agent_id = $1').toMatch(STANDING);
  expect(files.filter((file) => STANDING.test(textOf(file)))).toEqual([
    'migrations/functions/catalogue/agent_standing_write.sql',
  ]);
});
