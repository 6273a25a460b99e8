import fc from 'fast-check';
import { placesOf } from './json-places';

const TEXT = `{
  "a": {"b": [1, {"c\\"d": null}],
        "e": "}, \\\\"},

  "f": true
}`;

it.each([
  [[], 1, 1],
  [['a'], 2, 3],
  [['a', 'b'], 2, 9],
  [['a', 'b', 0], 2, 15],
  [['a', 'b', 1, 'c"d'], 2, 19],
  [['a', 'e'], 3, 9],
  [['f'], 5, 3],
  [['a', 'missing'], 2, 3],
  [['nothing', 'here'], 1, 1],
])('finds %j at %i:%i', (loc, line, column) => {
  expect(placesOf(TEXT)(loc)).toEqual({ line, column });
});

it('reads every document', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(placesOf(text)([]).line).toBe(1);
    }),
  );
});
