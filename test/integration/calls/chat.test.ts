import { type Behaviour, eventStream } from '../../support/agents/behaviours';
import { startAgent } from '../../support/agents/test-agent';
import { FAILURES, FORMS, megabytes } from '../../support/calls/chat-behaviours';
import { chat, CHAT_SCHEMAS, type ChatReply, TURN } from '../../support/calls/chat';
import { balance, eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import type { TestManifestOptions } from '../../support/agents/manifest';
import { useAgent, useMarket } from '../../support/use-market';
import { realTime } from '../../support/waits';

const market = useMarket();
let developer: TestUser;
const agent = useAgent();

beforeAll(async () => {
  developer = await register(market, 'developer');
});

async function live(behaviour: Behaviour, options: TestManifestOptions = {}, at = agent): Promise<string> {
  at.behave(behaviour);
  const { agentId } = await putLive(market, developer.userId, at.url, {
    credits: 10,
    ...CHAT_SCHEMAS,
    ...options,
  });
  return agentId;
}

const wallet = (buyer: TestUser) => balance(market.owner, buyer.userId, 'wallet');
const escrow = (buyer: TestUser) => balance(market.owner, buyer.userId, 'escrow');

function expectFailure(reply: ChatReply, code: string): void {
  expect(reply.status).toBe(200);
  expect(reply.last).toMatchObject({ type: 'error', error: { code } });
  expect(reply.events.filter(({ type }) => type === 'error' || type === 'done')).toHaveLength(1);
  expect(JSON.stringify(reply.events)).not.toContain('AGENT-SECRET-DETAIL');
}

describe('a turn', () => {
  it.each(FORMS)('arrives when the agent answers with %s, and is paid once', async (_name, behaviour) => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(behaviour);
    const reply = await chat(market, buyer, agentId);
    expect(reply.text.replace('Hé', 'He')).toBe('Hello world');
    expect(reply.events.map(({ type }) => type).slice(-2)).toEqual(['usage', 'done']);
    expect(reply.events.at(-2)?.usage).toMatchObject({ credits_charged: 10 });
    expect(reply.last).toMatchObject({
      invocation_id: expect.stringMatching(/^inv_/) as unknown,
      trace_id: reply.headers.get('x-trace-id'),
      session_id: expect.stringMatching(/^ses_/) as unknown,
      usage: reply.events.at(-2)?.usage,
    });
    expect(await wallet(buyer)).toBe(9_000);
    expect(reply.headers.get('x-accel-buffering')).toBe('no');
    const { rows } = await market.owner.query('SELECT surface FROM invocations WHERE invocation_id = $1', [
      reply.last?.invocation_id,
    ]);
    expect(rows).toEqual([{ surface: 'chat' }]);
  });

  it('is delivered while the agent still speaks', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(eventStream(['one', 'two', 'three'], 150));
    const times: number[] = [];
    await chat(market, buyer, agentId, TURN, { onEvent: () => void times.push(performance.now()) });
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(100);
  });

  it('answers at both addresses', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(eventStream(['hi']));
    for (const path of ['/chat/', '/chat']) {
      const reply = await chat(market, buyer, agentId, { agent_id: agentId, ...TURN }, { path });
      expect([path, reply.status, reply.text, reply.last?.type]).toEqual([path, 200, 'hi', 'done']);
    }
  });

  it('is over when done arrives: the ledger has moved', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await live(eventStream(['hi']));
    for (let n = 0; n < 20; n += 1) {
      const before = await wallet(buyer);
      let atDone: number | undefined;
      await chat(market, buyer, agentId, TURN, {
        onEvent: async ({ type }) => {
          if (type === 'done') atDone = await wallet(buyer);
        },
      });
      expect(atDone).toBe(before - 1_000);
    }
  });

  it('goes through plain invoke as one output', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(eventStream(['Hello ', 'world']));
    const reply = await invoke(market, buyer, agentId, { input: { messages: [], session_id: 'x' } });
    expect(reply.body).toMatchObject({ output: { text: 'Hello world' }, usage: { credits_charged: 10 } });
  });

  it('fails if an agent streams without declaring it, to a caller who did not request a stream', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(eventStream(['Hello']), { streaming: false });
    const reply = await invoke(market, buyer, agentId, { input: { messages: [], session_id: 'x' } });
    expect(reply.body.error?.code).toBe('agent_error');
  });
});

describe('a turn that fails ends in one error and costs nothing', () => {
  it.each(FAILURES)('when %s', async (_name, behaviour, code) => {
    const buyer = await register(market, 'buyer', 100);
    // Reading 10 MiB of short lines takes a busy machine half a minute.
    const timeoutMs = code === 'agent_timeout' ? 1_500 : 40_000;
    // An agent of its own: the connections that turns of other tests left are kept for a while.
    const own = await startAgent();
    const agentId = await live(behaviour, { timeoutMs }, own);
    // Reading up to the limit takes seconds of CPU: once is enough.
    const turns = code === 'response_too_large' ? 1 : 2;
    for (let turn = 0; turn < turns; turn += 1) {
      expectFailure(await chat(market, buyer, agentId), code);
      expect([await wallet(buyer), await escrow(buyer)]).toEqual([10_000, 0]);
    }
    await eventually(async () => (await own.openConnections()) <= 1);
    await own.stop();
  });

  it('keeps at most a few megabytes of a 100 MB line', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live({
      kind: 'stream',
      contentType: 'text/event-stream',
      parts: () => megabytes(100),
    });
    const before = process.memoryUsage().rss;
    let most = before;
    const sampler = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
    expectFailure(await chat(market, buyer, agentId), 'agent_error');
    clearInterval(sampler);
    expect(most - before).toBeLessThan(60 * 1024 * 1024);
  });
});

describe('a turn that is refused', () => {
  it('has a status of its own and no stream', async () => {
    const agentId = await live(eventStream(['hi']));
    const strict = await live(eventStream(['hi']), {
      inputSchema: { type: 'object', properties: { messages: { type: 'array', maxItems: 1 } } },
    });
    const poor = await register(market, 'buyer', 5);
    const rich = await register(market, 'buyer', 100);
    const two = { messages: [TURN.messages[0], TURN.messages[0]] };
    const replies = [
      await chat(market, poor, agentId),
      await chat(market, rich, 'agt_nobody_v1'),
      await chat(market, rich, agentId, { ...TURN, max_cost_credits: 9 }),
      await chat(market, rich, agentId, { messages: [] }),
      await chat(market, rich, agentId, { ...TURN, more: 1 }),
      await chat(market, rich, strict, two),
      await chat(market, { cookie: '' }, agentId),
    ];
    expect(replies.map((reply) => [reply.status, reply.refusal.error?.code])).toEqual([
      [402, 'insufficient_credits'],
      [404, 'not_found'],
      [402, 'max_cost_exceeded'],
      [422, 'validation_failed'],
      [422, 'validation_failed'],
      [422, 'input_schema_mismatch'],
      [401, 'not_authenticated'],
    ]);
    expect(replies[5]?.refusal.detail?.[0]?.loc.slice(0, 2)).toEqual(['body', 'messages']);
    expect(replies[5]?.refusal.error?.message).toBe("The input does not match the agent's input schema.");
    const { agentId: mute } = await putLive(market, developer.userId, agent.url, {
      inputSchema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    });
    const unheard = await chat(market, rich, mute);
    expect([unheard.status, unheard.refusal.error?.code]).toEqual([422, 'input_schema_mismatch']);
    expect(unheard.refusal.error?.message).toMatch(
      /^This agent does not chat: .*\/v1\/agents\/agt_.*\/invoke/,
    );
    expect(await wallet(rich)).toBe(10_000);
  });
});

describe('a client that leaves', () => {
  it("ends the agent's call within a second and pays for what was delivered", async () => {
    const buyer = await register(market, 'buyer', 100);
    const own = await startAgent({
      behaviour: eventStream(
        Array.from({ length: 200 }, () => 'word '),
        50,
      ),
    });
    const { agentId } = await putLive(market, developer.userId, own.url, {
      credits: 10,
      ...CHAT_SCHEMAS,
      timeoutMs: 20_000,
    });
    const leave = new AbortController();
    let pieces = 0;
    const onEvent = () => void (pieces += 1);
    const turn = chat(market, buyer, agentId, TURN, { signal: leave.signal, onEvent });
    turn.catch(() => undefined);
    await eventually(() => Promise.resolve(pieces > 2));
    expect([await wallet(buyer), await escrow(buyer)]).toEqual([9_000, 1_000]);
    leave.abort();
    const leftAt = Date.now();
    await expect(turn).rejects.toThrow();
    await eventually(async () => (await own.openConnections()) === 0);
    expect(Date.now() - leftAt).toBeLessThan(1_000);
    await eventually(async () => (await escrow(buyer)) === 0);
    expect(await wallet(buyer)).toBe(9_000);
    const { rows } = await market.owner.query(
      'SELECT status, error_code, truncated_by FROM invocations WHERE agent_id = $1',
      [agentId],
    );
    expect(rows).toEqual([{ status: 'succeeded', error_code: null, truncated_by: 'client_closed' }]);
    await own.stop();
  });

  it('leaves no hold and no connection open when it disconnects at any moment', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await live(eventStream(['a', 'b', 'c'], 10));
    const turns = Array.from({ length: 40 }, (_, n) =>
      chat(market, buyer, agentId, TURN, { signal: AbortSignal.timeout(1 + n * 3) }).catch(() => undefined),
    );
    const done = (await Promise.all(turns)).filter((reply) => reply?.last?.type === 'done').length;
    // A turn whose client has gone may still be on its way to being accepted: wait until nothing changes any more.
    let ends = '';
    await eventually(async () => {
      const before = ends;
      ends = JSON.stringify(await endsOf(agentId));
      await realTime(300, 'a turn may still be on its way to being accepted');
      return ends === before && !/pending|running/.test(ends) && (await escrow(buyer)) === 0;
    }, 20_000);
    const rows = await endsOf(agentId);
    const succeeded = rows.find(({ status }) => status === 'succeeded')?.calls ?? 0;
    expect(rows.every(({ status }) => status === 'succeeded' || status === 'failed')).toBe(true);
    expect(succeeded).toBeGreaterThanOrEqual(done);
    expect(await wallet(buyer)).toBe(100_000 - succeeded * 1_000);
  });

  async function endsOf(agentId: string): Promise<{ status: string; calls: number }[]> {
    const { rows } = await market.owner.query<{ status: string; calls: number }>(
      'SELECT status, count(*)::int AS calls FROM invocations WHERE agent_id = $1 GROUP BY 1 ORDER BY 1',
      [agentId],
    );
    return rows;
  }
});

describe('sessions', () => {
  const sessionSeen = () =>
    (JSON.parse(agent.deliveries.at(-1)?.body.toString() ?? '{}') as { session_id: string }).session_id;

  it('keep the id of the client, and have another one for the agent', async () => {
    const buyer = await register(market, 'buyer', 100);
    const other = await register(market, 'buyer', 100);
    const agentId = await live(eventStream(['hi']));
    const first = await chat(market, buyer, agentId);
    const named = first.last?.session_id ?? '';
    const seen = sessionSeen();
    const second = await chat(market, buyer, agentId, { ...TURN, session_id: named });
    expect([second.last?.session_id, sessionSeen()]).toEqual([named, seen]);
    expect(seen).not.toContain(named);
    const stranger = await chat(market, other, agentId, { ...TURN, session_id: named });
    expect(stranger.last?.session_id).toBe(named);
    expect(sessionSeen()).not.toBe(seen);
    const another = await chat(market, buyer, agentId);
    expect(another.last?.session_id).not.toBe(named);
  });
});

describe('a turn with an idempotency key', () => {
  it('is charged once; its repetition is one chunk, usage and done', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(eventStream(['Hello ', 'world']));
    const first = await chat(market, buyer, agentId, { ...TURN, idempotency_key: 'turn-1' });
    const again = await chat(market, buyer, agentId, TURN, { headers: { 'idempotency-key': 'turn-1' } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.events.map(({ type }) => type)).toEqual(['output_chunk', 'usage', 'done']);
    expect([again.text, again.last]).toEqual(['Hello world', first.last]);
    expect(await wallet(buyer)).toBe(9_000);
    const other = await chat(market, buyer, agentId, {
      messages: [{ role: 'user', content: 'other' }],
      idempotency_key: 'turn-1',
    });
    expect([other.status, other.refusal.error?.code]).toEqual([409, 'idempotency_key_reused']);
  });

  it('gives a second caller the finished answer of the running turn', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await live(eventStream(['Hello ', 'world'], 200));
    agent.forget();
    const running = chat(market, buyer, agentId, { ...TURN, idempotency_key: 'turn-2' });
    await agent.waitForDeliveries(1);
    const joined = await chat(market, buyer, agentId, { ...TURN, idempotency_key: 'turn-2' });
    const first = await running;
    expect(joined.events.map(({ type }) => type)).toEqual(['output_chunk', 'usage', 'done']);
    expect([joined.text, joined.last]).toEqual(['Hello world', first.last]);
    expect(agent.deliveries).toHaveLength(1);
    expect(await wallet(buyer)).toBe(9_000);
  });
});
