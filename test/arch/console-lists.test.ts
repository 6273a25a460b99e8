import { inOrder } from '../../console/src/features/operator/decision-order';
import { eachOnce } from '../../console/src/ui/each-once';

/** What the lists of the console show when they were read at different moments. */
it('shows a case once that moved from one list of decisions to another while they were read', () => {
  const contested = { id: 'slh_1', since: '2026-11-02', state: 'contested' };
  const applied = { id: 'slh_1', since: '2026-11-02', deadline: '2026-11-09', state: 'applied' };
  const other = { id: 'dsp_1', since: '2026-11-03', deadline: '2026-11-05', state: 'contested' };
  expect(inOrder([contested, applied, other])).toEqual([other, contested]);
  // It was decided, and the list of applied slashes is read again a moment later.
  expect(inOrder([other])).toEqual([other]);
});

it('shows each row of a list once, in its order', () => {
  const rows = ['a1', 'b1', 'a2', 'c1', 'b2'];
  expect(eachOnce(rows, (row) => row.slice(0, 1))).toEqual(['a1', 'b1', 'c1']);
  expect(eachOnce([], String)).toEqual([]);
});
