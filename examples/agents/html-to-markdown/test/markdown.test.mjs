import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlToMarkdown } from '../markdown.mjs';

test('turns an article into Markdown', () => {
  const html = '<article><h1>Salt</h1><p>Salt is <b>sodium chloride</b>.</p></article>';
  assert.equal(htmlToMarkdown({ html }).markdown, '## Salt\n\nSalt is **sodium chloride**.');
});

test('refuses what is no text', () => assert.throws(() => htmlToMarkdown({ html: 1 })));
