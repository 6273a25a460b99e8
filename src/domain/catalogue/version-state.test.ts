import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_TRANSITIONS, mayAgentMove } from './agent-state';
import { mayVersionMove, VERSION_TRANSITIONS } from './version-state';

/** The pairs `'a>b'` of one trigger function of the database. */
function pairsOf(functionName: string): string[] {
  const folder = join(__dirname, '../../../migrations/functions/catalogue');
  const sql = readFileSync(join(folder, `${functionName}.sql`), 'utf8');
  return [...sql.matchAll(/'([a-z]+>[a-z]+)'/g)].map(([, pair]) => pair ?? '').sort();
}

function pairsIn(table: Record<string, object>): string[] {
  return Object.entries(table)
    .flatMap(([from, targets]) => Object.keys(targets).map((to) => `${from}>${to}`))
    .sort();
}

it('is the same table in the domain and in the database', () => {
  expect(pairsOf('agent_version_is_immutable')).toEqual(pairsIn(VERSION_TRANSITIONS));
  expect(pairsOf('agent_status_moves')).toEqual(pairsIn(AGENT_TRANSITIONS));
});

it('lets only verified versions go live, and no superseded or retired version return', () => {
  const states = Object.keys(VERSION_TRANSITIONS) as (keyof typeof VERSION_TRANSITIONS)[];
  expect(states.filter((from) => mayVersionMove(from, 'live'))).toEqual(['verified']);
  expect(states.filter((to) => mayVersionMove('superseded', to))).toEqual([]);
  expect(mayAgentMove('retired', 'active')).toBe(false);
});
