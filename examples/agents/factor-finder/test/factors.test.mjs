import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factorsOf, requireNumbers } from '../factors.mjs';

test('finds the factors of numbers, in order', () => {
  assert.deepEqual([1, 2, 9, 12, 97, 600851475143].map(factorsOf), [
    [],
    [2],
    [3, 3],
    [2, 2, 3],
    [97],
    [71, 839, 1471, 6857],
  ]);
});

test('refuses what the schema forbids', () => {
  for (const numbers of [undefined, [], [0], [1.5], ['7'], [1e13]])
    assert.throws(() => requireNumbers({ numbers }));
});
