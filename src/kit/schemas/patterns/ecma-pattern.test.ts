import fc from 'fast-check';
import { linearRegExp } from '../schema-regexp';

const NBSP = '\u00a0';

describe('patterns mean what ECMA-262 says', () => {
  it.each([
    ['^\\S+$', 'a', NBSP],
    ['^[\\S]+$', 'a', NBSP],
    ['^[^\\S]+$', NBSP, 'a'],
    ['^\\s$', '\ufeff', 'x'],
    ['^.$', 'a', '\r'],
    ['^.$', '😀', '\u2028'],
    ['^a$', 'a', 'a\n'],
    ['^\\p{Letter}+$', 'Grüße', 'a1'],
    ['^\\p{L}+$', 'Grüße', 'a1'],
    ['^\\p{Script=Greek}+$', 'αβγ', 'abc'],
    ['^\\p{sc=Grek}+$', 'αβγ', 'abc'],
    ['^\\p{General_Category=Uppercase_Letter}$', 'Ä', 'ä'],
    ['^[^\\P{gc=Lu}]$', 'Ä', 'ä'],
    ['^\\P{Letter}$', '1', 'a'],
    ['^\\p{Alphabetic}$', 'é', '1'],
    ['^\\p{ASCII}$', 'a', 'é'],
    ['^(\\p{Extended_Pictographic}|\\p{Emoji_Component})+$', '😀', 'a'],
    ['^\\uD83D\\uDE00$', '😀', 'x'],
    ['^\\u{1F600}$', '😀', 'x'],
    ['^[\\uD83D\\uDE00-\\uD83D\\uDE05]$', '😃', '😀😀'],
    ['^\\x41\\cJ\\0$', 'A\n\0', 'A'],
    ['^[\\b]$', '\b', 'b'],
    ['^[[:alpha:]$', '[', 'b'],
    ['^[^]$', '\n', ''],
    ['^(?:a|[])$', 'a', ''],
    ['^[\\w-.]+$', 'a-.b', 'a b'],
    ['^\\@\\-\\_$', '@-_', '@'],
    ['^{a}]$', '{a}]', 'a'],
    ['^(?<year>\\d{4})-(?<month>\\d\\d)$', '2026-11', '26-11'],
    ['^a+?b??$', 'aab', 'b'],
    ['^\\/$', '/', '\\'],
  ])('%s matches %j and not %j', (pattern, good, bad) => {
    expect(linearRegExp(pattern).test(good)).toBe(true);
    expect(linearRegExp(pattern).test(bad)).toBe(false);
  });

  it.each([
    ['^a{1,2000}$', 2_000, 2_001],
    ['^a{1999}$', 1_999, 2_000],
    ['^(?:a{10}){200}$', 2_000, 1_990],
    ['^(?:a{3}){667}$', 2_001, 2_000],
    ['^a{1500,}$', 1_500, 1_499],
  ])('%s counts beyond a thousand', (pattern, good, bad) => {
    expect(linearRegExp(pattern).test('a'.repeat(good))).toBe(true);
    expect(linearRegExp(pattern).test('a'.repeat(bad))).toBe(false);
  });

  it.each([
    ['^(?=a)', 'a look-ahead'],
    ['(?!a)', 'a negative look-ahead'],
    ['(?<=a)b', 'a look-behind'],
    ['(?<!a)b', 'a negative look-behind'],
    ['(a)\\1', 'a back-reference'],
    ['(?<n>a)\\k<n>', 'a back-reference by name'],
    ['(?i)a', 'an inline flag such as (?i), which is not ECMA-262'],
    ['(?i:a)', 'an inline flag such as (?i), which is not ECMA-262'],
    ['(?P<n>a)', 'a Python group, which is not ECMA-262: write (?<name>…) or (?:…)'],
    ['(?>a)', 'an atomic group, which is not ECMA-262'],
    ['\\Aa', '\\A, which is not ECMA-262: write ^'],
    ['a\\Z', '\\Z, which is not ECMA-262: write $'],
    ['a\\z', '\\z, which is not ECMA-262: write $'],
    ['\\Qa\\E', '\\Q, which is not ECMA-262'],
    ['\\pL', '\\p, which is not ECMA-262'],
    ['a++', 'a quantifier on a quantifier, such as a++'],
    ['\\p{Greek}', 'the Unicode property \\p{Greek}, which is unknown or not supported'],
    ['\\p{scx=Greek}', 'the Unicode property \\p{scx=Greek}, which is unknown or not supported'],
    ['\\p{L', '\\p, which is not ECMA-262'],
    ['a)', 'a ) without its ('],
    ['(a', 'a ( without its )'],
    ['[a', 'a [ without its ]'],
    ['*a', '* with nothing before it that can be repeated'],
    ['a{2,1}', 'a repeat whose numbers are out of order'],
    ['[b-a]', 'a class whose range is out of order'],
    ['\\u{110000}', 'a code point above 10FFFF'],
    ['\\', 'a \\ at the end'],
  ])('refuses %s by the name of its construct', (pattern, reason) => {
    expect(() => linearRegExp(pattern)).toThrow(reason);
  });

  const part = fc.constantFrom(
    ...[
      'a',
      'b',
      '.',
      '\\d',
      '\\S',
      '\\s',
      '[a-c]',
      '[^a]',
      '[\\s-]',
      '[^\\S\\d]',
      '\\n',
      '\\u{1F600}',
      '😀',
    ],
    ...[
      '\\p{Lu}',
      '\\P{L}',
      '^',
      '$',
      '\\b',
      '|',
      '(?:',
      '(',
      ')',
      '*',
      '+',
      '?',
      '{2}',
      '{0,2}',
      '{1,}',
      '-',
    ],
  );
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'A', '1', ' ', '\n', '\r', NBSP, '😀', '-', '\u2028'), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''));

  it('agrees with the engine of Node on random patterns that both read', () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.array(text, { maxLength: 8 }), (parts, texts) => {
        const pattern = parts.join('');
        let native: RegExp;
        try {
          native = new RegExp(pattern, 'u');
        } catch {
          return;
        }
        const ours = linearRegExp(pattern);
        compared += 1;
        for (const value of texts)
          expect([pattern, value, ours.test(value)]).toEqual([pattern, value, native.test(value)]);
      }),
      { numRuns: 5_000 },
    );
    expect(compared).toBeGreaterThan(500);
  });
});
