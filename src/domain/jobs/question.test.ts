import { answerProblems, isTooLong, type QuestionSchema, questionProblems } from './question';

const schemaOf = (properties: Record<string, unknown>, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
});
const problemsOf = (schema: unknown) =>
  questionProblems({ prompt: 'Which one?', schema }, []).map(({ loc, type }) => [loc.join('/'), type]);

it.each([
  ['a text', { type: 'string', title: 'Name', minLength: 1, maxLength: 40 }],
  ['a text of a format', { type: 'string', format: 'email' }],
  ['choices', { type: 'string', enum: ['pdf', 'html'], enumNames: ['PDF', 'Page'], default: 'pdf' }],
  ['titled choices', { type: 'string', oneOf: [{ const: 'pdf', title: 'PDF' }] }],
  ['a number', { type: 'number', minimum: 0, maximum: 1, default: 0.5 }],
  ['a whole number of choices', { type: 'integer', enum: [1, 2, 3] }],
  ['a truth value', { type: 'boolean', description: 'Really?', default: false }],
])('a question may ask for %s', (_what, field) => {
  expect(problemsOf(schemaOf({ field }, { required: ['field'], additionalProperties: false }))).toEqual([]);
});

it.each([
  ['no schema', undefined, ['schema', 'required']],
  ['another type', { type: 'array', properties: {} }, ['schema/type', 'type']],
  ['no properties', { type: 'object' }, ['schema/properties', 'required']],
  [
    'a nested object',
    schemaOf({ a: { type: 'object', properties: {} } }),
    ['schema/properties/a/type', 'enum'],
  ],
  ['a list', schemaOf({ a: { type: 'array', items: {} } }), ['schema/properties/a/type', 'enum']],
  ['a secret', schemaOf({ api_key: { type: 'string' } }), ['schema/properties/api_key', 'secret']],
  [
    'a secret by its title',
    schemaOf({ a: { type: 'string', title: 'Your password' } }),
    ['schema/properties/a', 'secret'],
  ],
  ['a reference', schemaOf({ a: { $ref: '#/x' } }), ['schema/properties/a/type', 'enum']],
  [
    'a pattern',
    schemaOf({ a: { type: 'string', pattern: '(a+)+' } }),
    ['schema/properties/a/pattern', 'additionalProperties'],
  ],
  ['a member of all objects', schemaOf({ a: { type: 'constructor' } }), ['schema/properties/a/type', 'enum']],
  [
    'an unknown format',
    schemaOf({ a: { type: 'string', format: 'hostname' } }),
    ['schema/properties/a/format', 'type'],
  ],
  [
    'an empty list of choices',
    schemaOf({ a: { type: 'string', enum: [] } }),
    ['schema/properties/a/enum', 'type'],
  ],
  [
    'choices of another type',
    schemaOf({ a: { type: 'integer', enum: ['1'] } }),
    ['schema/properties/a/enum', 'type'],
  ],
  [
    'limits that exclude all',
    schemaOf({ a: { type: 'number', minimum: 2, maximum: 1 } }),
    ['schema/properties/a/maximum', 'minimum'],
  ],
  [
    'a default of another type',
    schemaOf({ a: { type: 'boolean', default: 1 } }),
    ['schema/properties/a/default', 'type'],
  ],
  ['an unknown required field', schemaOf({}, { required: ['b'] }), ['schema/required/0', 'enum']],
  ['other fields', schemaOf({}, { additionalProperties: true }), ['schema/additionalProperties', 'type']],
  ['a name without letters', schemaOf({ '': { type: 'string' } }), ['schema/properties/', 'propertyNames']],
  ['definitions', schemaOf({}, { $defs: {} }), ['schema/$defs', 'additionalProperties']],
  ['a field that is no schema', schemaOf({ a: true }), ['schema/properties/a', 'type']],
  ['a lone surrogate', schemaOf({ a: { type: 'string', title: '\ud800' } }), ['', 'format']],
])('a question with %s is refused', (_what, schema, problem) => {
  expect(problemsOf(schema)).toEqual([problem]);
});

it('is refused without a prompt, with a long one, with another member, and with a wrong id', () => {
  const schema = schemaOf({});
  const of = (given: object) => questionProblems({ schema, ...given }, []).map(({ loc }) => loc.join('/'));
  expect(of({})).toEqual(['prompt']);
  expect(of({ prompt: '  ' })).toEqual(['prompt']);
  expect(of({ prompt: 'é'.repeat(2_000) })).toEqual([]);
  expect(of({ prompt: 'é'.repeat(2_001) })).toEqual(['prompt']);
  expect(of({ prompt: 'a', extra: 1, question_id: 'a b', answer_url: 3 })).toEqual([
    'extra',
    'answer_url',
    'question_id',
  ]);
});

it('counts the bytes of the whole question', () => {
  const question = { prompt: '', schema: schemaOf({}) };
  const room = 8_192 - JSON.stringify(question).length;
  expect(isTooLong({ ...question, prompt: 'a'.repeat(room) })).toBe(false);
  expect(isTooLong({ ...question, prompt: 'a'.repeat(room + 1) })).toBe(true);
  expect(isTooLong({ ...question, prompt: 'é'.repeat(room / 2 + 1) })).toBe(true);
});

const SCHEMA = schemaOf(
  {
    name: { type: 'string', minLength: 2, maxLength: 3 },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    link: { type: 'string', format: 'uri' },
    kind: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
    part: { type: 'number', minimum: 0, maximum: 1 },
    pages: { type: 'integer' },
    sure: { type: 'boolean' },
  },
  { required: ['name'] },
) as QuestionSchema;
const wrong = (answer: unknown) => answerProblems(SCHEMA, answer, ['input']).map(({ loc }) => loc.at(-1));

it('an answer matches', () => {
  const answer = {
    name: '😀é',
    mail: 'a@b.example',
    day: '2028-02-29',
    at: '2026-11-02T09:12:44.5+01:00',
    link: 'https://example.com/a?b',
    kind: 'a',
    part: 1,
    pages: -3,
    sure: false,
  };
  expect(answerProblems(SCHEMA, answer, [])).toEqual([]);
  expect(wrong({ name: 'ab' })).toEqual([]);
});

it('an answer has one problem for each field', () => {
  const answer = {
    name: 'a',
    mail: 'a@b',
    day: '2026-02-29',
    at: '2026-11-02T24:00:00Z',
    link: 'example.com',
    kind: 'b',
    part: 1.01,
    pages: 1.5,
    sure: 'true',
    other: 1,
  };
  expect(wrong(answer)).toEqual(Object.keys(answer));
  expect(wrong({ name: null, constructor: 1 })).toEqual(['name', 'constructor']);
});

it.each([[null], [[]], ['text'], [3], [{ name: 'a\u0000' }]])('an answer is refused: %j', (answer) => {
  expect(wrong(answer)).toEqual(['input']);
});

it('an answer lacks what is required', () => {
  expect(wrong({})).toEqual(['name']);
});
