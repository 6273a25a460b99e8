/** What the console makes of an agent's listing without a browser: example inputs, code that calls it, its form. */
import { execFileSync } from 'node:child_process';
import { exampleOf, messagesOf, takesMessages } from '../../console/src/features/listings/examples';
import { assistantsOf } from '../../console/src/features/listings/assistants';
import { freeText } from '../../console/src/features/listings/free-text';
import { cardFacts, successText } from '../../console/src/features/listings/success';
import { jsonProblem } from '../../console/src/features/playground/json-problem';
import { problemWords } from '../../console/src/features/playground/problem-words';
import { snippetsOf, type ShownCall } from '../../console/src/features/listings/snippets';
import { nextTurn, textOfAnswer, writtenMessages } from '../../console/src/features/playground/conversation';
import { hiddenFields, isOneLine } from '../../console/src/features/playground/fields';

const listing = (input_schema: Record<string, unknown> | null, examples: unknown[] = []) => ({ input_schema, examples }); // prettier-ignore
const MESSAGES = { type: 'object', required: ['messages'], properties: { messages: { type: 'array' } } };

describe('the example of an agent', () => {
  it('is the first one of its developer', () => {
    expect(exampleOf(listing({ type: 'object' }, ['text', { a: 1 }, { a: 2 }]))).toEqual({ a: 1 });
  });

  it('is made from the schema of an agent without examples: what is required, with values that the schema names', () => {
    const schema = {
      type: 'object',
      required: ['code', 'day', 'lines', 'mode', 'nested', 'any', 'to'],
      $defs: { unit: { enum: ['km', 'mi'] } },
      properties: {
        code: { type: 'string', minLength: 7 },
        day: { type: 'string', format: 'date' },
        lines: { type: 'array', items: { type: 'integer', minimum: 3 } },
        mode: { default: 'fast' },
        nested: { type: 'object', properties: { yes: { type: 'boolean' } } },
        any: { anyOf: [{ type: 'null' }, { type: 'string' }] },
        to: { $ref: '#/$defs/unit' },
        optional: { type: 'string' },
      },
    };
    expect(exampleOf(listing(schema))).toEqual({
      code: 'Hello..',
      day: '2026-01-31',
      lines: [3],
      mode: 'fast',
      nested: { yes: true },
      any: null,
      to: 'km',
    });
    expect(exampleOf(listing(null))).toEqual({});
    const endless = { type: 'object', properties: { next: { $ref: '#' } } };
    expect(JSON.stringify(exampleOf(listing(endless))).length).toBeLessThan(500);
  });

  it('is a chat only where messages are all that the agent needs', () => {
    expect(takesMessages(listing(MESSAGES))).toBe(true);
    expect(takesMessages(listing({ ...MESSAGES, required: ['messages', 'topic'] }))).toBe(false);
    expect(takesMessages(listing(null))).toBe(false);
    expect(messagesOf({ messages: [] })).toBeUndefined();
  });
});

describe('the code that calls an agent', () => {
  const call: ShownCall = {
    agentId: 'agt_x_v1',
    input: { text: `it's """ '''`, yes: true, no: null },
    ceiling: 2.5,
    messages: undefined,
    origin: 'https://market.example',
    key: undefined,
  };
  const codeOf = (shown: ShownCall, value: string) =>
    snippetsOf(shown).find((one) => one.value === value)?.text ?? '';
  const stream = { ...call, messages: [{ role: 'user', content: `it's` }] };

  it('has the example, a ceiling and the origin of the reader in every language', () => {
    for (const { text } of snippetsOf(call)) expect(text).toContain('https://market.example');
    for (const language of ['curl', 'typescript', 'python'])
      expect(codeOf(call, language)).toMatch(/max_cost_credits"?: ?3/);
    expect(codeOf(call, 'cli')).toContain('--max-cost 3 --api https://market.example');
  });

  it('is a chat for a streaming agent', () => {
    for (const language of ['curl', 'typescript', 'python']) {
      expect(codeOf(stream, language)).toContain('/v1/agents/agt_x_v1/chat');
      expect(codeOf(stream, language)).not.toContain('/invoke');
    }
    expect(codeOf(stream, 'cli')).toContain(`market chat agt_x_v1 'it'\\''s'`);
  });

  it('keeps every character of the input in a shell', () => {
    const said = codeOf(call, 'cli')
      .replace(/^market invoke agt_x_v1/, 'printf %s')
      .replace(/ --max-cost.*$/, '');
    expect(JSON.parse(execFileSync('sh', ['-c', said], { encoding: 'utf8' }))).toEqual(call.input);
    expect(codeOf(call, 'python')).toContain(`{"text": "it's \\"\\"\\" '''", "yes": True, "no": None}`);
  });
});

describe('the code with a key of the reader', () => {
  const call: ShownCall = {
    agentId: 'agt_x_v1',
    input: { n: 1 },
    ceiling: 1,
    messages: undefined,
    origin: 'https://market.example',
    key: { name: "Bob's\nserver", text: 'amk_live_…cZzJ', isSecret: false },
  };
  const codes = (key: ShownCall['key']): { text: string }[] => [
    ...snippetsOf({ ...call, key }),
    ...assistantsOf({ ...call, key }).filter(({ value }) =>
      ['claude-code', 'claude-desktop', 'zed'].includes(value),
    ),
  ];

  it('says whose secret belongs there, on one line of a comment', () => {
    for (const { text } of snippetsOf(call)) {
      expect(text).toContain('amk_live_…cZzJ');
      expect(text.split('\n')[0]).toMatch(/^(#|\/\/) .*is the key "Bob's server"/);
      expect(text).not.toContain('MARKET_API_KEY!');
    }
  });

  it('has the secret of a key that was just made, and can be run as it is', () => {
    const secret = 'amk_live_0123456789abcdefghijklmnopqrstABCDEF';
    for (const { text } of codes({ name: 'New', text: secret, isSecret: true })) {
      expect(text).toContain(secret);
      expect(text).not.toMatch(/put its secret here|…/);
    }
  });

  it('reads the key of a visitor from the environment', () => {
    for (const { text } of codes(undefined)) expect(text).toMatch(/MARKET_API_KEY|amk_live_…|market invoke/);
  });
});

describe('the share of successes', () => {
  const stats = (calls: number, rate: number | null) => ({
    invocations_30d: calls,
    few_calls: rate === null,
    success_rate: rate,
  });
  it.each([
    [stats(0, null), 'No paid calls yet', ['No paid calls yet']],
    [stats(1, null), 'Few calls: 1 paid call so far', ['Few calls: 1 paid call so far']],
    [stats(1_000, null), 'Few calls: 1,000 paid calls so far', ['Few calls: 1,000 paid calls so far']],
    [stats(10, 0.5), '50%', ['50% succeed', '10 paid calls in 30 days']],
    [stats(1_002, 0.915), '91.5%', ['91.5% succeed', '1,002 paid calls in 30 days']],
  ])('is said from ten buyers on: %j', (given, text, facts) => {
    expect(successText(given)).toBe(text);
    expect(cardFacts(given)).toEqual(facts);
  });
});

it.each([
  [{ perMonth: 10, left: 7 }, '7 of 10 free this month'],
  [{ perMonth: 10, left: 0 }, '0 of 10 free this month'],
  [{ perMonth: 1, left: undefined }, 'The first call of a month is free'],
  [{ perMonth: 10, left: undefined }, 'The first 10 calls of a month are free'],
])('says what is free: %j', (free, text) => {
  expect(freeText(free)).toBe(text);
});

describe('a JSON input that is no object', () => {
  it.each([
    ['', 'Write a JSON object: { … }.'],
    ['[1]', 'This is JSON, but not an object. Begin with { and end with }.'],
    ['{\n  "a": 1,\n  "b": x\n}', 'The JSON is broken in line 3.'],
    ['{\n  "a": 1,', 'The JSON is broken in line 2.'],
  ])('names the line: %j', (text, problem) => {
    expect(jsonProblem(text)).toBe(problem);
  });
});

it.each([
  ['String is too short (0 < 1).', 'Write at least 1 character.'],
  ['String is too long (9 > 8).', 'Write at most 8 characters.'],
  ['Array has too few items (0 < 1).', 'Add at least 1 entry.'],
  ['0 is less than 1.', 'Enter a number from 1 on.'],
  ['Instance type "string" is invalid. Expected "integer".', 'Enter a value of the type integer.'],
  [
    'Instance type "null" is invalid. Expected "string", "number".',
    'Enter a value of the type string or number.',
  ],
  ['Something else.', 'Something else.'],
])('says what is wrong with a field in the words of a form: %s', (error, words) => {
  expect(problemWords(error)).toBe(words);
});

describe('a chat in the console', () => {
  it('continues with the answer, unless the agent takes no answers', () => {
    const input = { messages: [{ role: 'user', content: 'Hi' }] };
    expect(nextTurn(MESSAGES, input, 'Hello')).toEqual({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: '' },
      ],
    });
    const role = { type: 'string', enum: ['user'] };
    const users = { properties: { messages: { type: 'array', items: { properties: { role } } } } };
    expect(nextTurn(users, input, 'Hello')).toEqual({ messages: [{ role: 'user', content: '' }] });
  });

  it('shows a field for a message behind those that there are', () => {
    expect(writtenMessages({})).toEqual([{ role: 'user', content: '' }]);
    const answered = [{ role: 'assistant', content: 'Hello' }];
    expect(writtenMessages({ messages: answered })).toEqual([...answered, { role: 'user', content: '' }]);
  });

  it.each([
    ['so far', { text: 'whole' }, 'so far'],
    ['', { text: 'whole' }, 'whole'],
    ['', 'plain', 'plain'],
    ['', { n: 1 }, '{\n  "n": 1\n}'],
  ])('takes the text of an answer: %j, %j', (streamed, output, text) => {
    expect(textOfAnswer(streamed, output)).toBe(text);
  });
});

describe('a field of the form', () => {
  it.each([
    [{ type: 'string', pattern: '^[A-Z]{2}$' }, true],
    [{ type: 'string', maxLength: 40 }, true],
    [{ type: 'string', format: 'date' }, true],
    [{ type: 'string', pattern: '^[^x]+$' }, false],
    [{ type: 'string', pattern: '^[\\s\\S]*$' }, false],
    [{ type: 'string', pattern: '[A-Z]' }, false],
    [{ type: 'string' }, false],
  ])('has one line where there can be no second: %j', (property, expected) => {
    expect(isOneLine(property)).toBe(expected);
  });

  it('is missing for members that the schema does not name, unless the form shows all', () => {
    const schema = { properties: { a: {} } };
    expect(hiddenFields(schema, { a: 1, b: 2 })).toEqual(['b']);
    expect(hiddenFields({ ...schema, additionalProperties: false }, { b: 2 })).toEqual(['b']);
    expect(hiddenFields({ ...schema, additionalProperties: true }, { b: 2 })).toEqual([]);
  });
});
