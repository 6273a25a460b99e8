/**
 * The memory and credits of a streamed turn while it runs, and its end in any process.
 */
import { request, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { eventStream } from '../../support/agents/behaviours';
import { startAgent } from '../../support/agents/test-agent';
import { chat, CHAT_SCHEMAS, TURN } from '../../support/calls/chat';
import { balance, eventually, putLive, register, startMarket, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';
import { realTime } from '../../support/waits';

const market = useMarket();
let developer: TestUser;

/** A turn whose agent sends nothing for 16 seconds; it runs beside the other tests. */
let quietText: Promise<string>;

beforeAll(async () => {
  developer = await register(market, 'developer');
  quietText = quietTurn();
  quietText.catch(() => undefined);
});

async function quietTurn(): Promise<string> {
  const buyer = await register(market, 'buyer', 100);
  const agent = await startAgent({ behaviour: { kind: 'slow', ms: 16_500, then: eventStream(['late']) } });
  const { agentId } = await putLive(market, developer.userId, agent.url, {
    ...CHAT_SCHEMAS,
    timeoutMs: 40_000,
  });
  const response = await fetch(`${market.url}/v1/agents/${agentId}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: buyer.cookie },
    body: JSON.stringify(TURN),
  });
  const text = await response.text();
  await agent.stop();
  return text;
}

/**
 * A client that asks for a turn and does not read the answer until `resume`. The buffers of the kernel between both
 * sides hold up to 36 MB on some machines, more than any answer, so the service's socket is corked: it writes as little
 * as if they were full.
 */
function askWithoutReading(buyer: TestUser, agentId: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request(`${market.url}/v1/agents/${agentId}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: buyer.cookie },
    });
    call.on('response', (response) => {
      response.pause();
      const serviceSide = serviceSideOf(response);
      serviceSide.cork();
      response.once('resume', () => serviceSide.uncork());
      resolve(response);
    });
    call.on('error', reject);
    call.end(JSON.stringify(TURN));
  });
}

describe('a slow reader', () => {
  it('slows the agent down, holds little memory, and gets everything in the end', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    let sent = 0;
    const piece = 'x'.repeat(16 * 1024);
    const pieces = 560;
    function* parts() {
      for (; sent < pieces; sent += 1) yield `data: "${piece}"\n\n`;
    }
    const agent = await startAgent({
      behaviour: { kind: 'stream', contentType: 'text/event-stream', parts },
    });
    const { agentId } = await putLive(market, developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      timeoutMs: 60_000,
    });
    const answer = await askWithoutReading(buyer, agentId);
    await eventually(async () => {
      const before = sent;
      await realTime(1_000, 'pieces that are on their way arrive');
      return sent > 0 && sent === before;
    }, 20_000);
    expect(sent).toBeLessThan(pieces);
    let received = 0;
    answer.on('data', (bytes: Buffer) => (received += bytes.length));
    answer.resume();
    await new Promise((resolve) => answer.once('end', resolve));
    expect(received).toBeGreaterThan(pieces * piece.length);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(99_000);
    await agent.stop();
  });

  it('holds no more than 256 kB each in the service', async () => {
    const buyer = await register(market, 'buyer', 10_000);
    const piece = `data: "${'x'.repeat(8 * 1024)}"\n\n`;
    const agent = await startAgent({
      behaviour: {
        kind: 'stream',
        contentType: 'text/event-stream',
        parts: () => Array.from({ length: 1_100 }, () => piece),
      },
    });
    const { agentId } = await putLive(market, developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      timeoutMs: 30_000,
    });
    const answers = await Promise.all(Array.from({ length: 8 }, () => askWithoutReading(buyer, agentId)));
    let most = 0;
    await eventually(() => {
      const waiting = openAnswers().map((response) => response.writableLength);
      most = Math.max(most, ...waiting);
      return Promise.resolve(waiting.length >= answers.length);
    }, 20_000);
    expect(most).toBeLessThan(256 * 1024);
    for (const answer of answers) answer.destroy();
    await eventually(async () => (await balance(market.owner, buyer.userId, 'escrow')) === 0);
    // Each of them was handed a piece, so each pays.
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(1_000_000 - answers.length * 1_000);
    await eventually(async () => (await agent.openConnections()) === 0);
    await agent.stop();
  });

  it('is given up at the deadline of the call, and pays for what was delivered', async () => {
    const buyer = await register(market, 'buyer', 100);
    const piece = `data: "${'x'.repeat(64 * 1024)}"\n\n`;
    const agent = await startAgent({
      behaviour: {
        kind: 'stream',
        contentType: 'text/event-stream',
        parts: () => Array.from({ length: 140 }, () => piece),
      },
    });
    const { agentId } = await putLive(market, developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      timeoutMs: 3_000,
    });
    const answer = await askWithoutReading(buyer, agentId);
    const startedAt = Date.now();
    await eventually(async () => (await balance(market.owner, buyer.userId, 'escrow')) === 1_000, 2_500);
    await eventually(async () => (await balance(market.owner, buyer.userId, 'escrow')) === 0, 8_000);
    expect(Date.now() - startedAt).toBeGreaterThan(1_500);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_000);
    expect(await agent.openConnections()).toBe(0);
    answer.destroy();
    await agent.stop();
  });
});

describe('a ceiling', () => {
  const words = Array.from({ length: 400 }, (_, n) => `word${n} is said, `);

  it('ends a per-token turn while it is streamed, and is charged', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agent = await startAgent({ behaviour: eventStream(words, 5) });
    const { agentId } = await putLive(market, developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      pricing: { model: 'per_token', credits_per_1k_tokens: '10', max_credits_per_call: 100 },
    });
    const reply = await chat(market, buyer, agentId, { ...TURN, max_cost_credits: 3 });
    expect(reply.last).toMatchObject({ type: 'done', truncated: true });
    const pieces = reply.events.filter(({ type }) => type === 'output_chunk').length;
    expect(pieces).toBeGreaterThan(10);
    expect(pieces).toBeLessThan(100);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(99_700);
    const paid = await chat(market, buyer, agentId, { ...TURN, max_cost_credits: 40 });
    expect(paid.last?.type).toBe('done');
    expect(paid.last?.usage?.credits_charged).toBeGreaterThan(10);
    await agent.stop();
  });

  it('ends a per-second turn when its time is over', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agent = await startAgent({ behaviour: eventStream(words, 50) });
    const { agentId } = await putLive(market, developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      timeoutMs: 20_000,
      pricing: { model: 'per_second', credits_per_second: '2', max_credits_per_call: 100 },
    });
    const startedAt = Date.now();
    const reply = await chat(market, buyer, agentId, { ...TURN, max_cost_credits: 2 });
    expect(reply.last).toMatchObject({ type: 'done', truncated: true });
    expect(Date.now() - startedAt).toBeLessThan(2_000);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(99_800);
    await agent.stop();
  });
});

describe('an idempotent agent', () => {
  it('is called again after a failure, but never after a piece was delivered', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agent = await startAgent();
    const { agentId } = await putLive(market, developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      idempotent: true,
    });
    let asked = 0;
    agent.behave(() => (++asked < 3 ? { kind: 'status', status: 503 } : eventStream(['at last'])));
    expect((await chat(market, buyer, agentId)).text).toBe('at last');
    expect(agent.deliveries).toHaveLength(3);
    agent.forget();
    agent.behave({
      kind: 'stream',
      contentType: 'text/event-stream',
      parts: () => ['data: "half"\n\n'],
      then: 'dies',
    });
    const reply = await chat(market, buyer, agentId);
    expect([reply.text, reply.last?.error?.code]).toEqual(['half', 'agent_error']);
    expect(agent.deliveries).toHaveLength(1);
    await agent.stop();
  });
});

describe('a quiet stream', () => {
  it('has a comment every 15 seconds, and is otherwise untouched', async () => {
    const text = await quietText;
    expect(text).toMatch(/^: keep-alive\n\ndata: {"type":"output_chunk","chunk":"late"}\n\n/);
    expect(text.split('\n\n').at(-2)).toContain('"type":"done"');
  });
});

describe('without eager workflow starts', () => {
  it('a turn is streamed by the process that has the socket', async () => {
    const lazy = await startMarket({ env: { EAGER_START: 'false' } });
    const seller = await register(lazy, 'developer');
    const buyer = await register(lazy, 'buyer', 1_000);
    const agent = await startAgent({ behaviour: eventStream(['a', 'b', 'c'], 5) });
    const { agentId } = await putLive(lazy, seller.userId, agent.url, CHAT_SCHEMAS);
    const replies = await Promise.all(Array.from({ length: 20 }, () => chat(lazy, buyer, agentId)));
    expect(replies.map(({ text, last }) => `${text} ${last?.type}`)).toEqual(
      Array.from({ length: 20 }, () => 'abc done'),
    );
    expect(agent.deliveries).toHaveLength(20);
    expect(await balance(lazy.owner, buyer.userId, 'wallet')).toBe(80_000);
    await agent.stop();
    await lazy.stop();
  });
});

function activeHandles(): unknown[] {
  return (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
}

/** The socket of the service, which runs in this process, at the other end of a client's connection. */
function serviceSideOf({ socket: { localPort } }: IncomingMessage): Socket {
  const found = activeHandles().find((handle) => handle instanceof Socket && handle.remotePort === localPort);
  if (!found) throw new Error(`no socket of this process is connected to port ${localPort}`);
  return found as Socket;
}

/** The service's own side of the answers that wait for their readers, found among this process's handles. */
function openAnswers(): { writableLength: number }[] {
  return activeHandles().flatMap((handle) => {
    const { _httpMessage: message } = handle as {
      _httpMessage?: { writableLength: number; statusCode?: number };
    };
    return message?.statusCode === 200 && message.writableLength > 0 ? [message] : [];
  });
}
