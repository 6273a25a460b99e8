import { eachOnce } from '../../console/src/ui/each-once';

/** The lists of the console when they were read at different moments. */
it('shows a case once that moved from one list of decisions to another while they were read', () => {
  const contested = { id: 'slh_1', state: 'contested' };
  const applied = { id: 'slh_1', state: 'applied' };
  const other = { id: 'dsp_1', state: 'contested' };
  expect(eachOnce([other, contested, applied], ({ id }) => id)).toEqual([other, contested]);
});

it('shows each row of a list once, in its order', () => {
  const rows = ['a1', 'b1', 'a2', 'c1', 'b2'];
  expect(eachOnce(rows, (row) => row.slice(0, 1))).toEqual(['a1', 'b1', 'c1']);
  expect(eachOnce([], String)).toEqual([]);
});
