import fc from 'fast-check';
import { MarketError } from '../../domain/errors';
import { MAX_JSON_LEVELS, parseStrictJson, parseStrictJsonText } from './strict-json';

const parse = (text: string) => parseStrictJson(Buffer.from(text)).value;

function refusal(body: string | Buffer): string {
  try {
    parseStrictJson(Buffer.from(body as string));
  } catch (error) {
    if (error instanceof MarketError && error.code === 'malformed_json') return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

/** Whether some object in the document repeats a key, found in another way than the code under test does. */
function hasDuplicateKeys(pairs: [string, unknown][]): boolean {
  return new Set(pairs.map(([key]) => key)).size < pairs.length;
}

/** Beyond 2^53 JSON.stringify writes an integer out in digits, which the reader refuses by design. */
function holdsHugeInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsHugeInteger);
}

describe('an unambiguous document is read as JSON.parse reads it', () => {
  it('agrees with JSON.parse on every document that JSON.stringify can write', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        fc.pre(!holdsHugeInteger(value));
        const text = JSON.stringify(value, null, indent);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts a text only if JSON.parse does, and then with the same value', () => {
    const token = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"b"',
        '"\\u0061"',
        '"\\x"',
        '1',
        '-0',
        '01',
        '1.5',
        '1.',
        '.5',
        '1e3',
      ],
      ...[
        '+1',
        '-',
        '1e',
        'true',
        'nul',
        'null',
        ' ',
        '\n',
        '\u00a0',
        '"',
        '\\',
        '"\t"',
        "'a'",
        'NaN',
        '//',
        '\ufeff',
      ],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 9 }), (tokens) => {
        const text = tokens.join('');
        let ours: unknown;
        try {
          ours = parseStrictJsonText(text).value;
        } catch {
          return;
        }
        expect(ours).toEqual(JSON.parse(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it('refuses nothing that JSON.parse accepts, except by its own rules', () => {
    const key = fc.constantFrom('a', 'b', '\\u0061', '__proto__', '');
    const number = fc.constantFrom(
      '0',
      '-0',
      '12',
      '0.1',
      '1e2',
      '-1.5E-7',
      '9007199254740991',
      '-9007199254740991',
      '1e300',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(key, number), { maxLength: 20 }), (pairs) => {
        const text = `{${pairs.map(([name, value]) => `"${name}":${value}`).join(' , ')}}`;
        const decoded = pairs.map(([name, value]): [string, unknown] => [
          JSON.parse(`"${name}"`) as string,
          value,
        ]);
        if (hasDuplicateKeys(decoded)) expect(refusal(text)).toMatch(/appears twice/);
        else expect(parse(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads whole documents of every simple kind', () => {
    for (const text of [
      '0',
      '-0',
      '"ä😀"',
      ' [ ] ',
      '{}',
      'null',
      '\t{"a" : [1 , 2.50e+1]}\r\n',
      '"\\ud800"',
    ]) {
      expect(parse(text)).toEqual(JSON.parse(text));
    }
  });

  it('reads a number that keeps its value, whole or not, in every spelling', () => {
    const kept = [
      '9007199254740991.0',
      '9007199254740991e0',
      '-90071992547409910e-1',
      '0.0',
      '0e0',
      '-0.0e5',
      '1e21',
    ];
    const floats = [
      '6.02214076e23',
      '1e300',
      '3.3333333333333335e+21',
      '1.152921504606847e+18',
      '5e-324',
      '0.1',
      '1e0',
    ];
    const long = ['0.30000000000000004', '123456789012345678.5e-3', `0.${'0'.repeat(300)}1`, '1e-400'];
    for (const text of [...kept, ...floats, ...long])
      expect([text, parse(text)]).toEqual([text, JSON.parse(text)]);
  });

  it('keeps __proto__ as plain data', () => {
    const value = parse('{"__proto__":{"admin":true}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(value['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});

describe('an ambiguous or invalid document is refused with the offset', () => {
  it.each([
    ['{"a":1,"a":2}', 'the key "a" appears twice (offset 7)'],
    ['{"a":1,"\\u0061":2}', 'the key "a" appears twice'],
    ['{"x":{"__proto__":1,"__proto__":2}}', 'the key "__proto__" appears twice'],
    ['9007199254740992', 'integers beyond'],
    ['-9007199254740993', 'integers beyond'],
    ['[12345678901234567890]', 'integers beyond'],
    ['9007199254740993.0', 'integers beyond'],
    ['[-9007199254740993.000]', 'integers beyond'],
    ['9007199254740993e0', 'integers beyond'],
    ['9007199254740993.00E+0', 'integers beyond'],
    ['{"a":90071992547409930e-1}', 'integers beyond'],
    ['9.007199254740993e15', 'integers beyond'],
    ['9.0071992547409930e+15', 'integers beyond'],
    ['0.9007199254740993e16', 'integers beyond'],
    ['1234567890123456789e5', 'integers beyond'],
    ['-0.00012345678901234567891e30', 'integers beyond'],
    ['1e130000', 'the number is too large'],
    ['{"a":-1e999}', 'the number is too large (offset 5)'],
    ['\ufeff{}', 'a byte order mark is not allowed'],
    ['{} x', 'unexpected text after the end'],
    ['{}{}', 'unexpected text after the end'],
    ['', 'the document ends where a value is expected'],
    ['   ', 'the document ends where a value is expected'],
    ['{"a":', 'the document ends where a value is expected (offset 5)'],
    ['[1,]', 'a value is expected here (offset 3)'],
    ['{"a":1,}', 'a key in double quotes is expected here'],
    ['{a:1}', 'a key in double quotes is expected here'],
    ["{'a':1}", 'a key in double quotes is expected here'],
    ['{"a" 1}', 'a colon is expected here'],
    ['[1 2]', 'a comma or ] is expected here'],
    ['"abc', 'a string is not terminated'],
    ['"a\nb"', 'a control character must be escaped'],
    ['"\\u12g4"', 'this escape sequence is not valid'],
    ['"\\', 'this escape sequence is not valid'],
    ['-', 'this is not a number'],
    ['01', 'unexpected text after the end'],
    ['NaN', 'a value is expected here'],
    ['Infinity', 'a value is expected here'],
  ])('%j', (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  it('finds a repeated key among many', () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => `"k${n}":0`);
    expect(parse(`{${keys.join()}}`)).toHaveProperty('k999', 0);
    expect(refusal(`{${[...keys, '"k500":1'].join()}}`)).toContain('"k500" appears twice');
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(refusal(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toMatch(/UTF-8/);
    expect(refusal(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toMatch(/UTF-8/);
  });

  it(`allows ${MAX_JSON_LEVELS} levels and not one more`, () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(JSON.stringify(parse(nested(MAX_JSON_LEVELS)))).toBe(nested(MAX_JSON_LEVELS));
    expect(refusal(nested(MAX_JSON_LEVELS + 1))).toContain('more than 128 levels');
    expect(refusal(nested(40_000))).toContain('more than 128 levels');
    expect(refusal('{"a":'.repeat(200_000))).toContain('more than 128 levels');
  });
});

it('counts the values of a document', () => {
  expect(parseStrictJsonText('{"a":[1,2,{"b":null}]}').nodes).toBe(6);
});
