import assert from 'node:assert/strict';
import { test } from 'node:test';
import { work } from '../work.mjs';

test('counts words', () => assert.deepEqual(work({ text: 'one two' }), { words: 2, characters: 7 }));
