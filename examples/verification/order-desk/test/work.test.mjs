import assert from 'node:assert/strict';
import { test } from 'node:test';
import { work } from '../work.mjs';

test('confirms', () => assert.equal(work({ text: 'two pens' }).answer, 'Your order is confirmed.'));
