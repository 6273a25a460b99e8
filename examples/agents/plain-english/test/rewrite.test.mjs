import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain, rewrite } from '../rewrite.mjs';

test('says long words in short ones, and keeps everything else', () => {
  assert.equal(plain('In order to utilise 3 components, commence now!'), 'To use 3 parts, begin now!');
  assert.equal(plain('  Nothing to do here.\n'), '  Nothing to do here.\n');
});

test('streams sentence by sentence', async () => {
  const pieces = [];
  const messages = [{ role: 'user', content: 'We require more. They attempt it.' }];
  for await (const piece of rewrite({ messages }, 0)) pieces.push(piece);
  assert.deepEqual(pieces, ['We need more. ', 'They try it.']);
});

test('refuses what has no text', async () => {
  for (const input of [{}, { messages: [] }, { messages: [{ content: ' ' }] }])
    await assert.rejects(rewrite(input, 0).next(), /messages must end/);
});
