import { divideA2a } from './divided-a2a';

const divide = (parts: unknown[], textField: string | undefined = 'text', takesParts = false) => {
  const options = { isRpc: false, textField, takesParts, mandateKey: 'm' };
  const { input, refusal } = divideA2a({ message: { parts } }, 100, options);
  return refusal ?? (JSON.parse(input?.body.toString() ?? 'null') as unknown);
};

it.each([
  ['{"a":1,"a":2}', 'the key "a" appears twice'],
  ['{"id": 9007199254740993}', 'integers beyond'],
  [' \n{"id": 9007199254740993.0}', 'integers beyond'],
  ['{"x": NaN}', 'a value is expected'],
  ['{"x": 1,}', 'a key in double quotes'],
  ['{"x": 1', 'a comma or }'],
  ['{"a":1} and more', 'unexpected text'],
  [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'levels of nesting'],
  ['\ufeff{"a":1,"a":2}', 'appears twice'],
])('refuses the text %j with the reason of the strict reader', (text, reason) => {
  expect(divide([{ text }])).toMatchObject({
    code: 'validation_failed',
    message: expect.stringMatching(/^The text part is not valid JSON: /) as string,
  });
  expect(divide([{ text }])).toMatchObject({ message: expect.stringContaining(reason) as string });
});

it.each(['{name}, write a poem', '{"quoted"} is a set', '[1,2]', '{', '"a"', '{{"a":1}}', "{'a': 1}"])(
  'takes %j as text',
  (text) => {
    expect(divide([{ text }])).toEqual({ text });
  },
);

it.each(['{"a":1}', '{}', '\ufeff {"a":1}', '{"a":\n1}'])('takes %j as the input', (text) => {
  expect(divide([{ text }])).toEqual(JSON.parse(text.replace('\ufeff', '')));
});

it.each<[string, unknown[]]>([
  ['text beside data', [{ text: 'please convert' }, { data: { a: 1 } }]],
  ['data beside text', [{ data: { a: 1 } }, { text: 'please convert' }]],
  ['two data parts', [{ data: { a: 1 } }, { data: { a: 2 } }]],
  ['a part of text and data', [{ text: 'x', data: { a: 1 } }]],
  ['no part', []],
])('refuses %s instead of dropping a part', (_what, parts) => {
  expect(divide(parts)).toMatchObject({ code: 'validation_failed' });
});

it('takes members that are null as absent', () => {
  expect(divide([{ text: null, data: { a: 1 }, url: null }])).toEqual({ a: 1 });
});

describe('an agent that takes the parts of a message', () => {
  const toParts = (parts: unknown[]) => divide(parts, 'text', true);
  const file = { media_type: 'image/png', content_base64: 'iVBORw0KGgo=' };

  it.each<[string, unknown[], unknown]>([
    ['text', [{ text: 'Hello' }], { text: 'Hello' }],
    ['text and data', [{ text: 'a' }, { data: { n: 1 } }, { text: 'b' }], { text: 'a\nb', data: { n: 1 } }],
    ['data alone', [{ data: { n: 1 } }], { data: { n: 1 } }],
    ['data that is the input', [{ data: { text: 'x', data: { n: 1 } } }], { text: 'x', data: { n: 1 } }],
    [
      'a file of 1.0',
      [{ text: 'a' }, { raw: 'iVBORw0KGgo=', mediaType: 'image/png', filename: 'dot.png' }],
      { text: 'a', files: [{ name: 'dot.png', ...file }] },
    ],
    [
      'a file of 0.3',
      [{ kind: 'file', file: { bytes: 'iVBORw0KGgo=', mimeType: 'image/png' } }],
      { files: [file] },
    ],
    [
      'a file without a type',
      [{ raw: 'AA==' }],
      { files: [{ media_type: 'application/octet-stream', content_base64: 'AA==' }] },
    ],
  ])('gets %s', (_what, parts, input) => {
    expect(toParts(parts)).toEqual(input);
  });

  it.each<[string, unknown[], string]>([
    ['the address of a file', [{ text: 'a' }, { url: 'https://x.example/a.png' }], 'unsupported_media_type'],
    [
      'the address of a file of 0.3',
      [{ kind: 'file', file: { uri: 'https://x.example/a' } }],
      'unsupported_media_type',
    ],
    ['two data parts', [{ data: { a: 1 } }, { data: { a: 2 } }], 'validation_failed'],
    ['data that is a list', [{ text: 'a' }, { data: [1] }], 'validation_failed'],
    ['a part of text and a file', [{ text: 'a', raw: 'AA==' }, { text: 'b' }], 'validation_failed'],
    ['a part of nothing', [{ text: 'a' }, {}], 'unsupported_media_type'],
    ['no part', [], 'validation_failed'],
  ])('is not sent %s', (_what, parts, code) => {
    expect(toParts(parts)).toMatchObject({ code });
  });
});
