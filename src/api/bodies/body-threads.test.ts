import { busyShare } from '../../../test/support/event-loop';
import type { PreparedInput } from '../../services/calls/agent/input-check';
import type { DividedA2a } from './divided-a2a';
import type { DividedMessage } from './divided-mcp';
import type { BodyTask } from './body-task';
import { createBodyThreads } from './body-threads';

const MESSAGE: BodyTask = {
  kind: 'mcp',
  namesTool: false,
  hasMandate: false,
  mandateKey: 'io.market/mandate',
};
const threads = createBodyThreads();
afterAll(() => threads.close());

const callOf = (args: string, more = '') =>
  Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"invoke","arguments":${args}${more}}}`,
  );
const LARGE = `{"list":[${'{"b":[1],"a":{}},'.repeat(90_000)}1]}`;

/**
 * The share of the time of a task in which this thread was busy: the least of three. A collection of garbage may fall
 * into one of them; work that this thread does is in each.
 */
async function blockedShare(body: Buffer, task: BodyTask): Promise<number> {
  let least = 1;
  for (const copy of [1, 2, 3].map(() => Buffer.from(body))) {
    const { share } = await busyShare(() => threads.perform('acc', task, copy));
    least = Math.min(least, share);
  }
  return least;
}

const perform = (body: Buffer, task: BodyTask = MESSAGE) =>
  threads.perform<DividedMessage>('acc', task, body);

describe('a message of MCP', () => {
  it.each([
    ['in the process', '"x"'],
    ['in a thread', JSON.stringify('x'.repeat(600_000))],
  ])('is divided %s into its envelope and the input of the call', async (_where, long) => {
    const args = `{"text":${long},"city":"Lisbon","at":{"zone":"WET","list":[1]},"__proto__":{"a":1}}`;
    const { body, input, shortArguments } = await perform(callOf(args, ',"_meta":{"k":1}'));
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'invoke', _meta: { k: 1 } },
    });
    expect(input?.body.toString()).toBe(args);
    expect(shortArguments).toMatchObject({ city: 'Lisbon', at: { zone: 'WET' } });
    expect(JSON.stringify(shortArguments)).not.toContain('list');
  });

  it('names its tool in the input of an MCP server, and has a canonical form for a mandate only', async () => {
    const server = { ...MESSAGE, namesTool: true };
    const { input, canonical } = await perform(callOf('{"b":1,"a":2}'), server);
    expect([input?.body.toString(), canonical]).toEqual(['{"tool":"invoke","arguments":{"b":1,"a":2}}', '']);
    const paid = await perform(callOf('{"b":1,"a":2}', ',"_meta":{"io.market/mandate":{}}'));
    expect(paid.canonical).toBe('{"a":2,"b":1}');
  });

  it('is refused if it is large apart from its arguments', async () => {
    const large = callOf('{}', `,"_meta":{"x":[${'[],'.repeat(200_000)}1]}`);
    await expect(perform(large)).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('delays other work of the process by little, however large it is', async () => {
    expect(await blockedShare(callOf(LARGE), MESSAGE)).toBeLessThan(1 / 2);
  });
});

describe('a message of A2A', () => {
  const A2A: BodyTask = {
    kind: 'a2a',
    isRpc: true,
    textField: 'words',
    takesParts: false,
    mandateKey: 'https://x/mandate',
  };
  const sent = (parts: string, more = '') =>
    Buffer.from(
      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","parts":[${parts}]${more}}}}`,
    );
  const divide = (body: Buffer, task: BodyTask = A2A) => threads.perform<DividedA2a>('acc', task, body);

  it.each([
    ['data', '{"data":{"b":1,"a":2}}', '{"b":1,"a":2}'],
    ['a text that is an object', '{"text":" {\\"a\\":1}"}', '{"a":1}'],
    ['texts', '{"text":"a"},{"text":"b"}', '{"words":"a\\nb"}'],
  ])('with %s is prepared as the input of the call', async (_what, parts, input) => {
    const small = sent(parts);
    const divided = await divide(small);
    expect(divided.body).toEqual(JSON.parse(small.toString()));
    expect([divided.input?.body.toString(), divided.canonical]).toEqual([input, '']);
  });

  it.each([
    ['', 'validation_failed'],
    ['{"data":{}},{"data":{}}', 'validation_failed'],
    ['{"data":{"b":1}},{"text":"please"}', 'validation_failed'],
    ['{"text":"please"},{"data":{"b":1}}', 'validation_failed'],
    ['{"text":"a","data":{"b":1}}', 'validation_failed'],
    ['{"data":[1]}', 'validation_failed'],
    ['{"raw":"AAAA"}', 'unsupported_media_type'],
    ['{}', 'unsupported_media_type'],
  ])('with the parts [%s] is refused with the reason', async (parts, code) => {
    const { refusal, input, canonical } = await divide(sent(parts));
    expect([refusal?.code, input, canonical]).toEqual([code, undefined, undefined]);
  });

  it('has a canonical form for a mandate only, and passes on the contents of short parts', async () => {
    const paid = ',"metadata":{"https://x/mandate":{}}';
    const data = `{"data":{"b":"${'x'.repeat(600_000)}","a":1},"filename":"f"}`;
    const { body, canonical } = await divide(sent(data, paid));
    expect(canonical?.slice(0, 12)).toBe('{"a":1,"b":"');
    const metadata = { 'io.market/omitted_characters': 600_023 };
    expect(body).toMatchObject({ params: { message: { parts: [{ filename: 'f', text: '', metadata }] } } });

    const texts = await divide(sent(`{"text":"${'x'.repeat(600_000)}"},{"text":"short"}`, paid));
    expect([texts.canonical?.slice(0, 12), texts.canonical?.slice(-10)]).toEqual([
      '{"words":"xx',
      'x\\nshort"}',
    ]);
    expect(texts.body).toMatchObject({ params: { message: { parts: [{ text: '' }, { text: 'short' }] } } });
  });

  it('delays other work of the process by little, however large it is', async () => {
    expect(await blockedShare(sent(`{"data":${LARGE}}`), A2A)).toBeLessThan(1 / 2);
  });
});

describe('the result of an MCP server', () => {
  it('delays other work of the process by little, however large it is', async () => {
    const result = Buffer.from(`{"_meta":{"io.market/x":1,"mine":2},"structuredContent":${LARGE}}`);
    const task: BodyTask = { kind: 'mcp_result', first: { resultType: 'complete' }, meta: { ours: 3 } };
    const { json } = await threads.perform<{ json: Buffer }>('acc', task, Buffer.from(result));
    expect(json.toString().slice(-32)).toBe('},1]},"_meta":{"mine":2,"ours":3}}'.slice(-32));
    expect(await blockedShare(result, task)).toBeLessThan(1 / 2);
  });
});

it('refuses a body of very many values, and of fewer where the handler needs the value itself', async () => {
  const body = (count: number) => Buffer.from(`{"input":{"list":[${'[],'.repeat(count)}1]}}`);
  const task = (operationId: string): BodyTask => ({ kind: 'operation', operationId, problems: [] });
  await expect(perform(body(200_000), task('invokeAgent'))).resolves.toMatchObject({ canonicalInput: '' });
  for (const refused of [
    perform(body(600_000), task('invokeAgent')),
    perform(body(200_000), task('publishAgent')),
  ])
    await expect(refused).rejects.toMatchObject({ code: 'payload_too_large' });
});

describe('a large input whose agent has a schema', () => {
  const body = (input: object) => Buffer.from(JSON.stringify({ input }));
  const long = { text: 'x'.repeat(600_000) };
  let keys = 0;
  const prepared = async (input: object, schema: object) => {
    keys += 1;
    const check = { key: `key ${keys}`, schema: JSON.stringify(schema), limitMs: 250 };
    const task: BodyTask = { kind: 'operation', operationId: 'invokeAgent', problems: [], check };
    const { input: call } = await threads.perform<{ input: PreparedInput }>('acc', task, body(input));
    return { json: call.body.toString(), checked: call.checked, key: check.key };
  };

  it('is validated in the thread that parses it', async () => {
    const schema = { properties: { n: { type: 'integer' } } };
    const right = await prepared({ ...long, n: 1 }, schema);
    expect(right.checked).toEqual({ key: right.key, problems: [] });
    const wrong = await prepared({ ...long, n: 'one' }, schema);
    expect(wrong.checked).toEqual({
      key: wrong.key,
      problems: [{ loc: ['n'], msg: 'must be integer', type: 'type' }],
    });
  });

  it('is prepared although the schema takes too long, with that as its verdict', async () => {
    const $defs: Record<string, unknown> = { d40: { type: 'object' } };
    for (let level = 0; level < 40; level += 1) {
      const $ref = `#/$defs/d${level + 1}`;
      $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] };
    }
    const bomb = await prepared(long, { $defs, $ref: '#/$defs/d0' });
    expect(bomb.checked).toEqual({ key: bomb.key, exceeded: 'deadline' });
    expect(bomb.json).toBe(JSON.stringify(long));
  });
});
