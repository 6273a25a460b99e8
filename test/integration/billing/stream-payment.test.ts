/** The reader of a streamed answer pays for the delivered pieces (contract, "Chat"; docs/streaming.md). */
import { randomUUID } from 'node:crypto';
import { type Behaviour, eventStream } from '../../support/agents/behaviours';
import type { TestManifestOptions } from '../../support/agents/manifest';
import { chat, CHAT_SCHEMAS, type ChatEvent, type ChatReply, TURN } from '../../support/calls/chat';
import { dispute } from '../../support/disputes/disputes';
import { balance, eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { legacy } from '../../support/protocols/mcp';
import { perSecond, perToken, tokensOf } from '../../support/billing/metering';
import { request } from '../../support/catalogue/publishing';
import { useAgent, useMarket } from '../../support/use-market';

interface Call {
  invocation_id: string;
  status: string;
  truncated_by: string | null;
  usage: { tokens_in: number; tokens_out: number; credits_charged: number };
  error: { code: string } | null;
  evidence: {
    receipt: {
      credits_charged: number;
      truncated_by: string | null;
      output_sha256: string | null;
      schema_valid: boolean | null;
    };
  } | null;
  output?: unknown;
}

const WORDS = Array.from({ length: 400 }, (_, n) => `word${n} is said, `);

const market = useMarket();
let developer: TestUser;
const agent = useAgent();

beforeAll(async () => {
  developer = await register(market, 'developer');
});

async function live(behaviour: Behaviour, options: TestManifestOptions = {}): Promise<string> {
  agent.behave(behaviour);
  const { agentId } = await putLive(market, developer.userId, agent.url, {
    credits: 10,
    timeoutMs: 20_000,
    ...CHAT_SCHEMAS,
    ...options,
  });
  return agentId;
}

/** These pieces, and then nothing: the stream does not end by itself. */
const unending = (pieces: readonly string[]): Behaviour => ({
  ...(eventStream(pieces) as Extract<Behaviour, { kind: 'stream' }>),
  then: 'hangs',
});

/** Reads so many pieces of a turn, then closes the connection. */
async function leaveAfter(
  buyer: TestUser,
  agentId: string,
  pieces: number,
  body: object = TURN,
  onPiece: () => void = () => {},
): Promise<void> {
  const leave = new AbortController();
  let seen = 0;
  const onEvent = ({ type }: ChatEvent) => {
    seen += 1;
    if (type === 'output_chunk') onPiece();
    if (seen === pieces) leave.abort();
  };
  await expect(chat(market, buyer, agentId, body, { signal: leave.signal, onEvent })).rejects.toThrow();
  expect(seen).toBe(pieces);
}

/** The buyer's only call of an agent, once it has ended. */
async function ended(buyer: TestUser, agentId: string): Promise<Call> {
  let call: Call | undefined;
  await eventually(async () => {
    const { body } = await request<{ items?: Call[] }>(
      market,
      buyer,
      'GET',
      `/v1/invocations?agent_id=${agentId}`,
    );
    call = body.items?.[0];
    return call !== undefined && !['pending', 'running'].includes(call.status);
  });
  const { body } = await request<Call>(market, buyer, 'GET', `/v1/invocations/${call?.invocation_id}`);
  return body;
}

const wallet = (buyer: TestUser) => balance(market.owner, buyer.userId, 'wallet');
const payable = () => balance(market.owner, developer.userId, 'payable');
const textOf = (reply: ChatReply) => reply.events.map(({ chunk = '' }) => chunk).join('');

describe('a reader who disconnects', () => {
  it('after everything but done pays the price, and the developer is paid', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(unending(['a', 'b', 'c']));
    const before = await payable();
    await leaveAfter(buyer, agentId, 3);
    const call = await ended(buyer, agentId);
    expect(call).toMatchObject({
      status: 'succeeded',
      error: null,
      truncated_by: 'client_closed',
      usage: { credits_charged: 10 },
      output: { text: 'abc' },
      evidence: { receipt: { credits_charged: 10, truncated_by: 'client_closed', schema_valid: null } },
    });
    expect([await wallet(buyer), (await payable()) - before]).toEqual([9_000, 970]);
    await eventually(async () => (await agent.openConnections()) === 0);
    expect(await dispute(market, buyer, call.invocation_id)).toMatchObject({
      status: 201,
      body: { status: 'open' },
    });
  });

  it('pays nothing before the first piece', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(unending([]));
    agent.forget();
    const leave = new AbortController();
    const turn = chat(market, buyer, agentId, TURN, { signal: leave.signal });
    await agent.waitForDeliveries(1);
    leave.abort();
    await expect(turn).rejects.toThrow();
    expect(await ended(buyer, agentId)).toMatchObject({
      status: 'failed',
      error: { code: 'client_closed' },
      truncated_by: null,
      evidence: { receipt: { credits_charged: 0, truncated_by: null } },
    });
    expect(await wallet(buyer)).toBe(10_000);
  });

  it('of a per-token turn pays for the tokens that were delivered', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const pieces = WORDS.slice(0, 50);
    const agentId = await live(unending(pieces), { pricing: perToken('100') });
    await leaveAfter(buyer, agentId, 50);
    const call = await ended(buyer, agentId);
    expect(call.usage.tokens_out).toBe(tokensOf({ text: pieces.join('') }));
    const credits = Math.ceil((call.usage.tokens_in + call.usage.tokens_out) / 10);
    expect(call).toMatchObject({ truncated_by: 'client_closed', usage: { credits_charged: credits } });
    expect(await wallet(buyer)).toBe(100_000 - credits * 100);
  });

  it('of a per-second turn pays for the time, at most the ceiling', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await live(unending(['a', 'b']), { pricing: perSecond('1') });
    await leaveAfter(buyer, agentId, 2, { ...TURN, max_cost_credits: 15 });
    const call = await ended(buyer, agentId);
    expect(call.truncated_by).toBe('client_closed');
    expect(call.usage.credits_charged).toBeGreaterThanOrEqual(1);
    expect(call.usage.credits_charged).toBeLessThanOrEqual(15);
  });

  it('uses up a free call, and is charged nothing', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(unending(['a', 'b']), { freeTierCalls: 1 });
    await leaveAfter(buyer, agentId, 2);
    expect(await ended(buyer, agentId)).toMatchObject({
      status: 'succeeded',
      truncated_by: 'client_closed',
      usage: { credits_charged: 0 },
    });
    agent.behave(eventStream(['paid']));
    expect((await chat(market, buyer, agentId)).last?.usage?.credits_charged).toBe(10);
  });

  it('with an idempotency key gets the pieces that were paid for', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(unending(['a', 'b', 'c']));
    const body = { ...TURN, idempotency_key: 'left' };
    await leaveAfter(buyer, agentId, 3, body);
    await ended(buyer, agentId);
    const again = await chat(market, buyer, agentId, body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([again.text, again.last]).toEqual([
      'abc',
      expect.objectContaining({ type: 'done', truncated: true }),
    ]);
    expect(await wallet(buyer)).toBe(9_000);
  });

  it('is paid once when many leave at any moment', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await live(eventStream(WORDS.slice(0, 6), 10));
    // A busy machine may refuse some turns before they begin. Readers that got a piece pay, and no others.
    const readers = new Set<number>();
    const turns = Array.from({ length: 20 }, (_, n) =>
      leaveAfter(buyer, agentId, 1 + (n % 6), TURN, () => readers.add(n)),
    );
    await Promise.allSettled(turns);
    await eventually(async () => (await balance(market.owner, buyer.userId, 'escrow')) === 0);
    expect(readers.size).toBeGreaterThan(10);
    expect(await wallet(buyer)).toBe(100_000 - readers.size * 1_000);
  });
});

describe('a metered stream that reaches the ceiling', () => {
  it.each([
    ['per token', perToken('10', 100), 5, 3],
    ['per second', perSecond('2', 100), 50, 2],
  ])('ends with done and costs the ceiling: %s', async (_name, pricing, everyMs, ceiling) => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await live(eventStream(WORDS, everyMs), { pricing });
    const body = { ...TURN, max_cost_credits: ceiling, idempotency_key: randomUUID() };
    const reply = await chat(market, buyer, agentId, body);
    expect(reply.last).toMatchObject({ type: 'done', truncated: true, usage: { credits_charged: ceiling } });
    expect(reply.text.length).toBeGreaterThan(0);
    expect(reply.text.length).toBeLessThan(WORDS.join('').length);
    expect(await wallet(buyer)).toBe(100_000 - ceiling * 100);
    const call = await ended(buyer, agentId);
    expect(call).toMatchObject({
      status: 'succeeded',
      truncated_by: 'ceiling',
      output: { text: textOf(reply) },
      evidence: { receipt: { credits_charged: ceiling, truncated_by: 'ceiling', schema_valid: null } },
    });
    const again = await chat(market, buyer, agentId, body);
    expect([again.text, again.last]).toEqual([reply.text, reply.last]);
  });

  it('is free when its first piece alone costs more', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await live(eventStream([WORDS.join('')]), { pricing: perToken('10', 100) });
    const reply = await chat(market, buyer, agentId, { ...TURN, max_cost_credits: 3 });
    expect(reply.last).toMatchObject({ type: 'error', error: { code: 'max_cost_exceeded' } });
    expect([reply.text, await wallet(buyer)]).toEqual(['', 100_000]);
  });

  it('is free through plain invoke, which delivers nothing', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await live(eventStream(WORDS), { pricing: perToken('10', 100) });
    const input = { messages: [], session_id: 'x' };
    const reply = await invoke(market, buyer, agentId, { input, max_cost_credits: 3 });
    expect([reply.status, reply.body.error?.code]).toEqual([402, 'max_cost_exceeded']);
    expect(await wallet(buyer)).toBe(100_000);
  });
});

describe('a stream whose agent fails', () => {
  it('is refunded in full, whatever was delivered', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live({
      ...(eventStream(['half']) as Extract<Behaviour, { kind: 'stream' }>),
      then: 'dies',
    });
    const reply = await chat(market, buyer, agentId);
    expect([reply.text, reply.last?.error?.code]).toEqual(['half', 'agent_error']);
    expect(await wallet(buyer)).toBe(10_000);
  });
});

describe('leaving a surface that delivers after payment', () => {
  const slowly = eventStream(['a', 'b', 'c'], 100);
  const turn = { messages: TURN.messages, session_id: 'x' };

  it('does not end an MCP call, which is charged', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(slowly);
    agent.forget();
    const leave = new AbortController();
    const { body: listed } = await legacy(market, buyer, agentId, 'tools/list');
    const [tool] = listed.result?.['tools'] as { name: string }[];
    const reply = fetch(`${market.url}/mcp/a/${agentId}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        cookie: buyer.cookie,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool?.name, arguments: turn, _meta: { progressToken: 'p' } },
      }),
      signal: leave.signal,
    });
    await agent.waitForDeliveries(1);
    leave.abort();
    await expect(reply).rejects.toThrow();
    expect(await ended(buyer, agentId)).toMatchObject({ status: 'succeeded', truncated_by: null });
    expect(await wallet(buyer)).toBe(9_000);
  });

  it('does not end an A2A task, which is charged', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(slowly);
    agent.forget();
    const leave = new AbortController();
    const response = await fetch(`${market.url}/v1/a2a/${agentId}/message:stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', cookie: buyer.cookie },
      body: JSON.stringify({
        message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: turn }] },
      }),
      signal: leave.signal,
    });
    expect(response.status).toBe(200);
    await agent.waitForDeliveries(1);
    leave.abort();
    expect(await ended(buyer, agentId)).toMatchObject({
      status: 'succeeded',
      truncated_by: null,
      output: { text: 'abc' },
    });
    expect(await wallet(buyer)).toBe(9_000);
  });
});

describe('a dispute of a stream', () => {
  it('waits until the delivery has ended, so that no piece is read free', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(unending(['a', 'b', 'c']));
    const leave = new AbortController();
    let seen = 0;
    const turn = chat(market, buyer, agentId, TURN, {
      signal: leave.signal,
      onEvent: () => void (seen += 1),
    });
    turn.catch(() => undefined);
    await eventually(() => Promise.resolve(seen === 3));
    const { rows } = await market.owner.query<{ id: string }>(
      'SELECT invocation_id AS id FROM invocations WHERE agent_id = $1',
      [agentId],
    );
    const early = await dispute(market, buyer, rows[0]?.id ?? '');
    expect([early.status, early.body]).toMatchObject([409, { error: { code: 'invalid_state' } }]);
    leave.abort();
    await expect(turn).rejects.toThrow();
    const call = await ended(buyer, agentId);
    expect(await wallet(buyer)).toBe(9_000);
    expect((await dispute(market, buyer, call.invocation_id)).body.status).toBe('open');
  });
});
