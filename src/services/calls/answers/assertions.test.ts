import { acceptanceProblems, isBeyondShare, valueAt } from '../../../domain/calls/acceptance';
import { firstFailed } from './assertions';

const one = (assertion: unknown) => ({ assertions: [assertion] });
const ANSWER = { total: 1.05, 'a/b': { '~': [1, { name: 'x' }] }, text: 'a long text', none: null };

it.each([
  ['a schema', { schema: { type: 'object' } }],
  ['an assertion', one({ pointer: '/total', op: 'eq', value: 1, tolerance: 0.1 })],
  ['the whole answer', one({ pointer: '', op: 'contains', value: 'x' })],
])('takes %s', (_name, given) => {
  expect(acceptanceProblems(given)).toEqual([]);
});

it.each<[string, unknown, (string | number)[]]>([
  ['a text', 'x', []],
  ['nothing', {}, []],
  ['an unknown field', { schema: {}, more: 1 }, ['more']],
  ['a schema that is no object', { schema: true }, ['schema']],
  ['no assertions', { assertions: [] }, ['assertions']],
  [
    '21 assertions',
    { assertions: Array(21).fill({ pointer: '', op: 'exists', value: true }) },
    ['assertions'],
  ],
  ['a pointer without a slash', one({ pointer: 'total', op: 'eq', value: 1 }), ['assertions', 0, 'pointer']],
  ['a pointer with ~2', one({ pointer: '/~2', op: 'eq', value: 1 }), ['assertions', 0, 'pointer']],
  ['an unknown op', one({ pointer: '', op: 'matches', value: '.*' }), ['assertions', 0, 'op']],
  ['no value', one({ pointer: '', op: 'eq' }), ['assertions', 0, 'value']],
  ['a text for gt', one({ pointer: '', op: 'gt', value: '1' }), ['assertions', 0, 'value']],
  ['no list for in', one({ pointer: '', op: 'in', value: 1 }), ['assertions', 0, 'value']],
  [
    'a tolerance for gt',
    one({ pointer: '', op: 'gt', value: 1, tolerance: 1 }),
    ['assertions', 0, 'tolerance'],
  ],
  [
    'a negative tolerance',
    one({ pointer: '', op: 'eq', value: 1, tolerance: -1 }),
    ['assertions', 0, 'tolerance'],
  ],
])('refuses %s', (_name, given, loc) => {
  expect(acceptanceProblems(given).map((problem) => problem.loc)).toContainEqual(loc);
});

it('finds values by RFC 6901', () => {
  expect(valueAt(ANSWER, '')).toBe(ANSWER);
  expect(valueAt(ANSWER, '/a~1b/~0/1/name')).toBe('x');
  for (const missing of ['/a~1b/~0/01', '/a~1b/~0/-', '/toString', '/total/x', '/none/x'])
    expect(valueAt(ANSWER, missing)).toBeUndefined();
});

it.each<[boolean, string, string, unknown, number | null]>([
  [true, '/total', 'eq', 1, 0.05],
  [false, '/total', 'eq', 1, 0.04],
  [false, '/total', 'ne', 1, 0.05],
  [true, '/total', 'gte', 1.05, null],
  [false, '/total', 'gt', 1.05, null],
  [true, '/total', 'lt', 2, null],
  [false, '/text', 'lt', 2, null],
  [true, '/text', 'contains', 'long', null],
  [true, '/a~1b/~0', 'contains', { name: 'x' }, null],
  [true, '/total', 'in', [2, 1.05], null],
  [true, '/none', 'eq', null, null],
  [true, '/none', 'exists', true, null],
  [true, '/missing', 'exists', false, null],
  [false, '/missing', 'ne', 1, null],
])('%s: %s %s %j (%s)', (passes, pointer, op, value, tolerance) => {
  const assertion = { pointer, op: op as 'eq', value, ...(tolerance !== null && { tolerance }) };
  expect(firstFailed(ANSWER, [{ pointer: '', op: 'exists', value: true }, assertion])).toBe(
    passes ? null : 1,
  );
});

it('limits a buyer only from ten tested answers on', () => {
  expect(isBeyondShare({ judged: 9, failed: 9 }, 50)).toBe(false);
  expect(isBeyondShare({ judged: 10, failed: 5 }, 50)).toBe(false);
  expect(isBeyondShare({ judged: 10, failed: 6 }, 50)).toBe(true);
});
