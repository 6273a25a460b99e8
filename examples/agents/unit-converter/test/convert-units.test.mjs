import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertUnits } from '../convert-units.mjs';

test('converts a quantity of two units', () =>
  assert.deepEqual(convertUnits({ quantity: '5 ft 11 in', to: 'cm' }), {
    quantity: 180.34,
    unit: 'cm',
    text: '180.34 cm',
    measure: 'length',
  }));

test('picks the best unit', () => assert.equal(convertUnits({ quantity: '5500 m' }).text, '5.5 km'));

test('refuses to convert a mass into a length', () =>
  assert.throws(() => convertUnits({ quantity: '5 kg', to: 'm' })));
