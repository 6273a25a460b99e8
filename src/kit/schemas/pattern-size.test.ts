import { patternSize } from './pattern-size';

it.each([
  ['', 0],
  ['abc', 3],
  ['a{10}', 10],
  ['a{2,10}b', 11],
  ['a{3,}', 3],
  ['(ab){10}', 30],
  ['((a{30}){30}b)', 932],
  ['[a-z]{5}', 20],
  ['\\p{L}{1000}', 4_000],
  ['\\{5}', 3],
  ['[{9}]', 4],
  ['a{}', 3],
])('estimates the size of %s', (pattern, size) => expect(patternSize(pattern)).toBe(size));

it('ends for brackets that do not match', () => {
  expect(patternSize('((a{100000}'.repeat(1_000))).toBeGreaterThan(100_000);
  expect(patternSize(')))]]]}}}')).toBeGreaterThan(0);
});
