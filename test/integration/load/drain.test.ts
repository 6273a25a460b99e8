/** A process that stops: running calls end within the drain time, and the rest is refunded (docs/operations.md). */
import { startAgent } from '../../support/agents/test-agent';
import {
  balance,
  eventually,
  invoke,
  putLive,
  register,
  startMarket,
  type InvokeReply,
  type TestMarket,
} from '../../support/market';
import { useMarket } from '../../support/use-market';
import { realTime } from '../../support/waits';
import { request } from '../../support/catalogue/publishing';

jest.setTimeout(120_000);

const PREFER = { prefer: 'respond-async' };

const market = useMarket({});

async function scene(behaviour: Parameters<typeof startAgent>[0]) {
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 10_000);
  const agent = await startAgent(behaviour);
  const { agentId } = await putLive(market, developer.userId, agent.url, { timeoutMs: 60_000 });
  return { buyer, agent, agentId };
}

const endsOf = async (agentId: string) => {
  const { rows } = await market.owner.query<{ status: string; error_code: string | null; calls: number }>(
    `SELECT status, error_code, count(*)::int AS calls FROM invocations WHERE agent_id = $1 GROUP BY 1, 2 ORDER BY 1`,
    [agentId],
  );
  return rows;
};

it('loses no call when one of two processes is stopped under load', async () => {
  const second = await startMarket({ share: market, env: { DRAIN_MS: '30000' } });
  const { buyer, agent, agentId } = await scene({ behaviour: { kind: 'slow', ms: 400 } });
  const replies: (InvokeReply | 'no connection')[] = [];
  let isLoading = true;
  const load = async (where: TestMarket) => {
    while (isLoading) {
      const reply = await invoke(where, buyer, agentId, { input: { text: 'hello' } }).catch(
        () => 'no connection' as const,
      );
      replies.push(reply);
      if (reply === 'no connection') await realTime(50, 'a client tries again after a while');
    }
  };
  const clients = [
    ...Array.from({ length: 8 }, () => load(second)),
    ...Array.from({ length: 2 }, () => load(market)),
  ];
  await agent.waitForDeliveries(12, 30_000);
  await second.stop();
  isLoading = false;
  await Promise.all(clients);
  const outcomes = replies.map((reply) =>
    reply === 'no connection' ? reply : `${reply.status} ${reply.body.error?.code ?? ''}`,
  );
  const paid = outcomes.filter((outcome) => outcome === '200 ').length;
  expect(
    new Set(outcomes.filter((outcome) => !['200 ', '503 not_ready', 'no connection'].includes(outcome))),
  ).toEqual(new Set());
  expect(paid).toBeGreaterThan(8);
  expect(await endsOf(agentId)).toEqual([{ status: 'succeeded', error_code: null, calls: paid }]);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(1_000_000 - paid * 1_000);
  await agent.stop();
});

it('answers engine_unavailable and refunds what cannot end in time, before it closes connections', async () => {
  const second = await startMarket({ share: market, env: { DRAIN_MS: '300' } });
  const { buyer, agent, agentId } = await scene({ behaviour: { kind: 'hangs' } });
  const reply = invoke(second, buyer, agentId, { input: { text: 'hello' } });
  await agent.waitForDeliveries(1, 30_000);
  await second.stop();
  const { status, body } = await reply;
  expect([status, body.error?.code, body.error?.retryable]).toEqual([503, 'engine_unavailable', true]);
  await eventually(async () => (await balance(market.owner, buyer.userId, 'escrow')) === 0, 30_000);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(1_000_000);
  expect(await endsOf(agentId)).toEqual([{ status: 'failed', error_code: 'engine_unavailable', calls: 1 }]);
  await agent.stop();
});

it('answers those who wait for the end of a call with the call as it is, before it closes connections', async () => {
  const second = await startMarket({ share: market, env: { DRAIN_MS: '300' } });
  const { buyer, agent, agentId } = await scene({ behaviour: { kind: 'hangs' } });
  const begun = await invoke(market, buyer, agentId, { input: { text: 'hello' } }, PREFER);
  const path = begun.headers.get('location') ?? '';
  const read = (where: TestMarket) => request<InvokeReply['body']>(where, buyer, 'GET', `${path}?wait=60`);
  const waiting = read(second);
  await eventually(async () => {
    const { rowCount } = await market.owner.query('SELECT FROM invocation_waiters WHERE invocation_id = $1', [
      begun.body.invocation_id,
    ]);
    return rowCount === 1;
  });
  await second.stop();
  expect(await waiting).toMatchObject({ status: 200, body: { status: 'running' } });
  expect((await request(market, buyer, 'DELETE', path)).status).toBe(200);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(1_000_000);
  await agent.stop();
});
