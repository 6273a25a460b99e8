import { directionOf, keysByMeaning, similarity } from './meaning';

const direction = (...numbers: number[]) => directionOf(numbers) ?? new Int8Array();

it.each([
  [[3, 4], [3, 4], 1],
  [[1, 0], [0, 2], 0],
  [[1, 1], [-5, -5], -1],
  [[1, 0], [1, 1], Math.SQRT1_2],
])('compares %j with %j', (a, b, cosine) => {
  expect(similarity(direction(...a), direction(...b))).toBeCloseTo(cosine, 2);
});

it('has no direction for nothing, and no similarity for different models', () => {
  expect([
    directionOf([]),
    directionOf([0, 0]),
    directionOf([1, Number.NaN]),
    directionOf([1, Infinity]),
  ]).toEqual(Array(4).fill(undefined));
  expect(similarity(direction(1), direction(1, 2))).toBeUndefined();
});

it('orders candidates by words and meaning, and those without a vector like the average', () => {
  const of = (agentId: string, sortKey: bigint, vector: Int8Array | null) => ({ agentId, sortKey, vector });
  const candidates = [
    of('far', 1_000n, direction(0, 1)),
    of('near', 900n, direction(1, 0)),
    of('unknown', 1_000n, null),
    of('opposite', 1_000n, direction(-1, 0)),
  ];
  const keys = keysByMeaning(candidates, direction(1, 0)).map(({ agentId, sortKey }) => [agentId, sortKey]);
  expect(keys).toEqual([
    ['far', 500n],
    ['near', 900n],
    ['unknown', 667n],
    ['opposite', 500n],
  ]);
  expect(keysByMeaning(candidates.slice(2, 3), direction(1, 0))).toEqual(candidates.slice(2, 3));
  expect(keysByMeaning([], direction(1, 0))).toEqual([]);
});
