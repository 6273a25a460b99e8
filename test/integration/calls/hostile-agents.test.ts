/**
 * A hostile agent through the whole path: its call ends at the deadline or at a limit, is refunded, leaves no socket.
 */
import type { Behaviour } from '../../support/agents/behaviours';
import { startAgent } from '../../support/agents/test-agent';
import { startLateness } from '../../support/event-loop';
import { untilClosed } from '../../support/stack/egress';
import { request } from '../../support/catalogue/publishing';
import { balance, eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const TIMEOUT_MS = 3_000;
/** Reading up to a limit takes a busy machine seconds. */
const LONG_MS = 15_000;
const GIB = 1024 ** 3;
const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const JSON_TEXT = '{"text":"hello"}';
const lying = (length: number, text: string, stays = false): Behaviour => ({
  kind: 'raw',
  bytes: `${OK}content-length: ${length}\r\n\r\n${text}`,
  stays,
});

const market = useMarket();
let developer: TestUser;

beforeAll(async () => {
  developer = await register(market, 'developer');
});

const AT_THE_DEADLINE: [string, Behaviour][] = [
  ['an endless 103', { kind: 'endless_hints', everyMs: 5 }],
  ['one byte each 100 ms', { kind: 'trickle', everyMs: 100 }],
  ['less than announced, then silence', lying(1_000, JSON_TEXT, true)],
  ['an endless header', { kind: 'drips', first: `${OK}x-slow: `, then: 'x', everyMs: 20 }],
];

const AT_A_LIMIT: [string, Behaviour, string][] = [
  ['1 GiB', { kind: 'huge', bytes: GIB }, 'response_too_large'],
  ['1 GiB announced', { kind: 'huge', bytes: GIB, announced: true }, 'response_too_large'],
  ['10,000 header lines', { kind: 'many_headers', count: 10_000, bytes: 10 }, 'agent_error'],
  ['less than announced', lying(1_000, JSON_TEXT), 'agent_error'],
  ['more than announced', lying(JSON_TEXT.length, `${JSON_TEXT}${JSON_TEXT}`), 'agent_error'],
  [
    'a second answer',
    lying(JSON_TEXT.length, `${JSON_TEXT}${OK}content-length: 2\r\n\r\n{}`, true),
    'agent_error',
  ],
];

/** Calls an agent that behaves so; how long the agent was connected, once the refund and the sockets were checked. */
async function connectedMs(
  behaviour: Behaviour,
  status: number,
  code: string,
  timeoutMs = TIMEOUT_MS,
): Promise<number> {
  const agent = await startAgent({ behaviour });
  const buyer = await register(market, 'buyer', 100);
  const { agentId } = await putLive(market, developer.userId, agent.url, { timeoutMs });
  const reply = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
  expect({ status: reply.status, code: reply.body.error?.code }).toEqual({ status, code });
  await untilClosed(agent);
  const [delivery, ...more] = agent.deliveries;
  expect(more).toEqual([]);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
  expect(await balance(market.owner, buyer.userId, 'escrow')).toBe(0);
  const { rows } = await market.owner.query(
    'SELECT status, error_code FROM invocations WHERE invocation_id = $1',
    [reply.body.invocation_id],
  );
  expect(rows).toEqual([{ status: 'failed', error_code: code }]);
  await agent.stop();
  return (delivery?.closedAt ?? NaN) - (delivery?.at ?? NaN);
}

describe('the connection to an agent that does not end its answer is closed at the deadline, within 10%', () => {
  it.concurrent.each(AT_THE_DEADLINE)('%s', async (_what, behaviour) => {
    const lateness = startLateness();
    const ms = await connectedMs(behaviour, 504, 'agent_timeout');
    // The agent sees its caller later than the deadline begins, and the end later than it is, by what the process is
    // late.
    const lateMs = lateness.stop();
    expect(ms).toBeGreaterThan(TIMEOUT_MS * 0.9 - lateMs);
    expect(ms).toBeLessThan(TIMEOUT_MS * 1.1 + lateMs);
  });
});

describe('the connection to an agent that breaks a limit is closed at once', () => {
  it.each(AT_A_LIMIT)('%s', async (_what, behaviour, code) => {
    expect(await connectedMs(behaviour, 502, code, LONG_MS)).toBeLessThan(LONG_MS * 0.9);
  });
});

const html: Behaviour = {
  kind: 'raw',
  bytes: 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>',
};
const withHead = (head: string): Behaviour => ({ kind: 'raw', bytes: `${OK}${head}\r\n\r\n${JSON_TEXT}` });

describe('a wrong header of an answer', () => {
  it.each<[string, Behaviour]>([
    ['answer_content_encoding', withHead('content-encoding: gzip\r\ncontent-length: 16')],
    ['answer_content_encoding', withHead('content-encoding: secret-word\r\ncontent-length: 16')],
    ['answer_headers_size', withHead(`x-long: ${'x'.repeat(20_000)}\r\ncontent-length: 16`)],
    ['answer_headers_size', { kind: 'many_headers', count: 150, bytes: 1 }],
    ['answer_content_type', html],
  ])('is shown to the owner as %s, once, and to the buyer as agent_error', async (code, behaviour) => {
    const agent = await startAgent({ behaviour });
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const replies = [
      await invoke(market, buyer, agentId, { input: { text: 'x' } }),
      await invoke(market, buyer, agentId, { input: { text: 'x' } }),
    ];
    for (const { status, body } of replies) {
      expect([status, body.error?.code]).toEqual([502, 'agent_error']);
      expect(JSON.stringify(body)).not.toMatch(/header|content|length|encoding|secret/i);
    }
    const path = `/v1/developer/agents/${agentId}/notices`;
    const codes = async () => {
      const { body } = await request<{ items: { code: string }[] }>(market, developer, 'GET', path);
      return body.items.map((item) => item.code);
    };
    await eventually(async () => (await codes()).length > 0);
    expect(await codes()).toEqual([code]);
    await agent.stop();
  });
});
