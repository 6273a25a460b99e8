import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any code point but halves of surrogate pairs: `unit` of `fc.string`, like `'binary'`. For that one, fast-check builds
 * a table of all 1.1 million code points, which takes a second and stays in memory.
 */
export const anyCodePoint = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count));
