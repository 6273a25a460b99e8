import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleInput } from '../example.mjs';
import { profileCsv } from '../profile.mjs';

test('profiles the penguins', () => {
  const { rows, columns, correlations } = profileCsv(exampleInput());
  assert.equal(rows, 344);
  assert.equal(columns.find(({ name }) => name === 'body_mass_g').missing, 2);
  assert.equal(correlations.find(({ a, b }) => a === 'flipper_length_mm' && b === 'body_mass_g').rows, 342);
});

test('refuses an empty text', () => assert.throws(() => profileCsv({ csv: '' }), /not empty/));
