import assert from 'node:assert/strict';
import { test } from 'node:test';
import { work } from '../work.mjs';

test('writes title case', () => assert.deepEqual(work({ text: 'a heading' }), { title: 'A Heading' }));
