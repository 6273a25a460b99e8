import { randomBytes } from 'node:crypto';
import { busyShare } from '../../../../test/support/event-loop';
import { sha256Hex } from '../../../kit/json/canonical-json';
import { createO200kCounter } from '../../../kit/tokens/token-count';
import { countNow } from '../../../kit/tokens/token-turns';
import { createAnswerThreads } from './answer-threads';
import { type AnswerReview, type AnswerTask, performAnswerTask } from './answer-task';

const MIB = 1024 * 1024;
const slow: [string, string][] = [];
const exceeded = (...given: [string, 'deadline' | 'memory']) => {
  slow.push(given);
  return { valid: true } as const;
};
const threads = createAnswerThreads({ schemas: { exceeded } });
afterAll(() => threads.close());

const many = (count: number) => `{"list":[${'{"b":[1],"a":{}},'.repeat(count)}1]}`;
const LARGE = many(90_000);
const replyOf = (result: string) => `{"jsonrpc":"2.0","id":7,"result":${result}}`;
const RESULT = `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"}},"content":[],"structuredContent":${LARGE}}`;

const TASKS: [string, AnswerTask, Buffer | string][] = [
  ['an answer in one document', { kind: 'document' }, Buffer.from(LARGE)],
  ['an answer that is not JSON', { kind: 'plain' }, randomBytes(10 * MIB)],
  ['an item of a stream', { kind: 'item' }, `{"output":${many(60_000)}}`],
  ['the text of a stream', { kind: 'text' }, 'é "x"\n'.repeat(MIB)],
  ['the reply of an MCP server', { kind: 'tool_reply', id: 7 }, Buffer.from(replyOf(RESULT))],
  ['the same in an event', { kind: 'tool_reply', id: 7 }, replyOf(RESULT)],
  ['a list of tools', { kind: 'message' }, replyOf(`{"tools":[{"name":"${'x'.repeat(4 * MIB)}"}]}`)],
  ['the input of an MCP server', { kind: 'tool_call' }, Buffer.from(`{"tool":"t","arguments":${LARGE}}`)],
];

/** Jest compares bytes one by one. */
function digested(result: unknown): unknown {
  const { json = null, ...rest } = result as { json?: Buffer };
  return json ? { ...rest, json: [Buffer.isBuffer(json), sha256Hex(json)] } : rest;
}

it.each(TASKS)('reads %s in a thread as in the process', async (_what, task, source) => {
  const [there, here] = [await threads.perform('dev', task, source), performAnswerTask(task, source)];
  expect(digested(there)).toEqual(digested(here));
});

it.each(TASKS)('%s leaves the process free for other work', async (_what, task, source) => {
  const { share } = await busyShare(() => threads.perform('dev', task, source));
  expect(share).toBeLessThan(0.5);
});

it('serializes a document again, with the digest of its canonical form', async () => {
  const { json, sha256 } = await threads.perform(
    'dev',
    { kind: 'document' },
    Buffer.from('{"b": 1.0, "a":[]}'),
  );
  expect(json.toString()).toBe('{"b":1,"a":[]}');
  const other = await threads.perform('dev', { kind: 'document' }, Buffer.from('{"a":[],"b":1}'));
  expect(other.sha256).toBe(sha256);
});

it('keeps bytes that are no text as base64, and text as text', async () => {
  const plain = (bytes: Buffer) => threads.perform('dev', { kind: 'plain' }, bytes);
  expect(await plain(Buffer.from([0xff, 0x00]))).toMatchObject({
    json: Buffer.from('"/wA="'),
    isBase64: true,
  });
  expect(await plain(Buffer.from('a"b'))).toMatchObject({ json: Buffer.from('"a\\"b"'), isBase64: false });
});

it.each([
  ['too many values', { kind: 'document' } as const, `[${'[],'.repeat(600_000)}1]`],
  ['a key that appears twice', { kind: 'document' } as const, `{"a":"${'x'.repeat(MIB)}","a":1}`],
  [
    'no result of a tool',
    { kind: 'tool_reply', id: 7 } as const,
    replyOf(`{"content":"${'x'.repeat(MIB)}"}`),
  ],
  ['an unknown item', { kind: 'item' } as const, JSON.stringify({ x: 'x'.repeat(MIB / 2) })],
])('refuses %s as a fault of the agent', async (_what, task, text) => {
  await expect(threads.perform('dev', task, text)).rejects.toMatchObject({ code: 'agent_error' });
});

it('returns null for a message that is not a reply to the request', async () => {
  const message = `{"jsonrpc":"2.0","method":"notifications/x","params":${LARGE}}`;
  expect(await threads.perform('dev', { kind: 'tool_reply', id: 7 }, message)).toBeUndefined();
});

describe('the review of a large answer', () => {
  const TYPE = '{"required":["list"],"properties":{"list":{"type":"array"}}}';
  const check = (schema: string) => ({ key: schema, schema, limitMs: 250 });
  const document = { kind: 'document' } as const;
  const review = async (source: string, given: AnswerReview) => {
    const { found } = await threads.perform('dev', document, Buffer.from(source), () => given);
    return found;
  };

  it('validates the answer and counts tokens of its beginning', async () => {
    const sampleBytes = 64 * 1024;
    expect(await review(LARGE, { check: check(TYPE), sampleBytes })).toEqual({
      matches: true,
      sampleTokens: countNow([LARGE.slice(0, sampleBytes)], createO200kCounter())[0],
      tookMs: expect.any(Number) as number,
    });
    const other = JSON.stringify({ list: 'x'.repeat(MIB) });
    expect(await review(other, { check: check(TYPE), sampleBytes: null })).toMatchObject({
      matches: false,
      sampleTokens: null,
    });
  });

  it('leaves out what is not wanted, and small answers', async () => {
    expect(await review(LARGE, { check: null, sampleBytes: null })).toMatchObject({
      matches: null,
      sampleTokens: null,
    });
    expect(await review('{}', { check: check(TYPE), sampleBytes: 1 })).toBeUndefined();
    const item = await threads.perform('dev', { kind: 'item' }, `"${'x'.repeat(MIB / 2)}"`, () => ({
      check: check(TYPE),
      sampleBytes: 1,
    }));
    expect(item).toBe('x'.repeat(MIB / 2));
  });

  it('leaves a schema that takes too long to other threads, and reads the answer', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 26 }, (_, n) => {
        const $ref = `#/$defs/d${n + 1}`;
        return [`d${n}`, { allOf: [{ $ref }, { $ref }] }];
      }),
    );
    const schema = JSON.stringify({ $defs: { ...$defs, d26: { type: 'object' } }, $ref: '#/$defs/d0' });
    const { json, found } = await threads.perform('dev', document, Buffer.from(LARGE), () => ({
      check: check(schema),
      sampleBytes: 1_000,
    }));
    expect(json.equals(Buffer.from(LARGE))).toBe(true);
    expect(found).toMatchObject({ matches: null, sampleTokens: expect.any(Number) as number });
    expect(found?.tookMs).toBeGreaterThan(250);
    expect(slow).toEqual([[schema, 'deadline']]);
  });
});
