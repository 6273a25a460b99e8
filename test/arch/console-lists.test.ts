import { monthsOf } from '../../console/src/features/wallet/months';
import { csvOf, rowsOf } from '../../console/src/ui/csv';
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

describe('a table as CSV', () => {
  const columns = [
    { title: 'what', value: ({ what }: { what: string | null }) => what },
    { title: 'credits', value: () => -5 },
  ];

  it('quotes what would break a line, and stops what a spreadsheet would run', () => {
    const rows = ['plain', 'a, "b"', 'two\nlines', '=HYPERLINK("x")', '-1', null].map((what) => ({ what }));
    expect(csvOf(columns, rows).split('\r\n')).toEqual([
      'what,credits',
      'plain,-5',
      '"a, ""b""",-5',
      '"two\nlines",-5',
      `"'=HYPERLINK(""x"")",-5`,
      "'-1,-5",
      ',-5',
      '',
    ]);
  });

  it('is read page by page up to a bound', async () => {
    const asked: (string | null)[] = [];
    const read = (cursor: string | null) => {
      asked.push(cursor);
      const at = Number(cursor ?? 0);
      return Promise.resolve({ items: [at, at + 1], next_cursor: at < 6 ? String(at + 2) : null });
    };
    expect(await rowsOf(read, 100)).toEqual({ rows: [0, 1, 2, 3, 4, 5, 6, 7], isWhole: true });
    expect(asked).toEqual([null, '2', '4', '6']);
    expect(await rowsOf(read, 3)).toEqual({ rows: [0, 1, 2], isWhole: false });
    expect(await rowsOf(read, 8)).toMatchObject({ isWhole: true });
  });
});

it.each([
  ['2026-01-15T00:00:00Z', '2026-01-01T00:00:00.000Z', '2025-12-01T00:00:00.000Z'],
  ['2026-11-30T23:59:59Z', '2026-11-01T00:00:00.000Z', '2026-10-01T00:00:00.000Z'],
])('compares the month of %s with the one before', (now, current, last) => {
  expect(monthsOf(new Date(now))).toEqual({ current, last });
});
