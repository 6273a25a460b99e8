/** What the console makes of an agent's listing without a browser: example inputs, code that calls it, its form. */
import { execFileSync } from 'node:child_process';
import { exampleOf, messagesOf, takesMessages } from '../../console/src/features/listings/examples';
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
