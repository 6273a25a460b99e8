import { divideA2a } from './divided-a2a';

const divide = (parts: unknown[], textField: string | undefined = 'text') => {
  const options = { isRpc: false, textField, mandateKey: 'm' };
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
