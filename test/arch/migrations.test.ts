/** The headers of SQL functions name who calls them, and the baseline of the migrations stays as it is (ADR 0218). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BASELINE } from '../../src/runtime/postgres/folded-migrations';
import { migrationParts } from '../../src/runtime/postgres/sql-migrations';
import { callersOf, withCallers } from '../../tools/schema/callers';

const ROOT = join(__dirname, '../..');
const callers = callersOf(ROOT);

it('has no function that nothing calls', () => {
  expect(callers.length).toBeGreaterThan(200);
  expect(callers.filter(({ list }) => list === '').map(({ file }) => file.path)).toEqual([]);
});

it.each([
  ['invocation_settle', 'src/stores/calls/call-batches.ts'],
  ['digest_fold', 'digest_chain'],
  ['ledger_check_hold', 'CHECK holds_rules on holds, CHECK holds_rules on archive.holds'],
  ['usage_bucket', 'view agent_day_latencies'],
  ['text_grams', 'column search_grams of agent_versions'],
  ['slash_action', 'trigger slashes_applied on slashes, trigger slashes_decided on slashes'],
  ['partition_setup', 'migrations'],
])('finds a caller of %s', (name, caller) => {
  expect(callers.find(({ file }) => file.name === name)?.list).toContain(caller);
});

it('has the callers of each function in its header (npm run schema writes them)', () => {
  const wrong = callers.filter(({ file, list }) => withCallers(file.sql, list) !== file.sql);
  expect(wrong.map(({ file, list }) => `${file.path} is called by ${list}`)).toEqual([]);
});

it('leaves what a header says behind the list', () => {
  const header = (list: string) => `-- Does it.\n-- Called by: ${list}. Rows wait.\n-- Locks: none.\nCREATE`;
  expect(withCallers(header('a_b, src/x.ts'), 'c_d')).toBe(header('c_d'));
});

it('has the baseline that databases have run', () => {
  const statements = BASELINE.map((name) => {
    const { up, down } = migrationParts(join(ROOT, 'migrations'), name);
    return `${up}${down}`.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ');
  });
  expect(createHash('sha256').update(statements.join('\n')).digest('hex')).toBe(
    '7f26f5c7b2cd599ee1d7d1d1ac16c938a6e8bd24a1e334080273466f04d7bede',
  );
});
