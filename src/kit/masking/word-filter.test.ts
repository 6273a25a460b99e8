import fc from 'fast-check';
import { anyCodePoint } from '../../../test/support/any-text';
import { wordFilter } from './word-filter';

it('never denies a word that the text contains', () => {
  const text = fc.string({ unit: anyCodePoint, maxLength: 60 });
  fc.assert(fc.property(text, text, text, (before, word, after) => wordFilter(before + word + after)(word)));
});

it('denies words whose characters do not follow each other in the text', () => {
  const mayContain = wordFilter('const reply = await fetch(address);');
  expect(['fetch', 'ad', 'password', 'hcteff'].map(mayContain)).toEqual([true, true, false, false]);
});
