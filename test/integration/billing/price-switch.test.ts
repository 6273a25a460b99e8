/**
 * Prices move only by version (specification, Versioning 5; security reference, T14): a call ends at the price, the
 * schemas and the endpoint of the version under which it started.
 */
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { balance, invoke, putLive, putVersion, register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const CALLS = 100;

const market = useMarket();
let developer: TestUser;
let older: TestAgent;
let newer: TestAgent;

beforeAll(async () => {
  developer = await register(market, 'developer');
  older = await startAgent({ host: '127.77.0.2' });
  newer = await startAgent({ host: '127.77.0.3' });
});
afterAll(async () => {
  await Promise.all([older.stop(), newer.stop()]);
});

const NEW_SCHEMA = {
  type: 'object',
  required: ['question'],
  properties: { question: { type: 'string' } },
  additionalProperties: false,
};

it('ends 100 calls in flight at the terms they started with while a new version goes live', async () => {
  const buyer = await register(market, 'buyer', 10_000);
  const { agentId } = await putLive(market, developer.userId, older.url, { credits: 3, timeoutMs: 20_000 });
  let release = (): void => undefined;
  older.behave({ kind: 'waits', until: new Promise<void>((resolve) => (release = resolve)) });
  const running = Array.from({ length: CALLS }, (_, n) =>
    invoke(market, buyer, agentId, { input: { text: 'old', n } }),
  );
  await older.waitForDeliveries(CALLS, 20_000);
  await putVersion(market, agentId, newer.url, {
    version: '1.1.0',
    pricing: { model: 'per_token', credits_per_1k_tokens: '1000', max_credits_per_call: 50 },
    inputSchema: NEW_SCHEMA,
    outputSchema: NEW_SCHEMA,
  });
  expect(older.deliveries.filter(({ answered }) => answered)).toHaveLength(0);
  const asking = { input: { question: 'new?' }, max_cost_credits: 50 };
  const fresh = await Promise.all(Array.from({ length: 10 }, () => invoke(market, buyer, agentId, asking)));
  const refused = await invoke(market, buyer, agentId, { input: { text: 'old' } });
  release();
  const finished = await Promise.all(running);

  expect(finished.map(({ status }) => status)).toEqual(Array.from({ length: CALLS }, () => 200));
  finished.forEach((reply, n) => {
    expect(reply.body).toMatchObject({ output: { text: 'old', n }, usage: { credits_charged: 3 } });
  });
  const newPrice = fresh[0]?.body.usage?.credits_charged ?? 0;
  expect(newPrice).toBeGreaterThan(3);
  for (const reply of fresh) {
    const { usage, output } = reply.body;
    expect(output).toEqual({ question: 'new?' });
    expect(usage?.credits_charged).toBe((usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0));
  }
  expect([refused.status, refused.body.error?.code]).toEqual([422, 'input_schema_mismatch']);
  expect(older.deliveries.map(({ headers }) => headers['x-agent-version'])).toEqual(repeated('1.0.0', CALLS));
  expect(newer.deliveries.map(({ headers }) => headers['x-agent-version'])).toEqual(repeated('1.1.0', 10));
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(
    1_000_000 - (CALLS * 3 + 10 * newPrice) * 100,
  );
  expect(await versionsOf(agentId)).toEqual({ '1.0.0': CALLS, '1.1.0': 10 });
});

function repeated<T>(value: T, times: number): T[] {
  return Array.from({ length: times }, () => value);
}

async function versionsOf(agentId: string): Promise<Record<string, number>> {
  const { rows } = await market.owner.query<{ version: string; calls: number }>(
    `SELECT version, count(*)::int AS calls FROM invocations WHERE agent_id = $1 AND status = 'succeeded' GROUP BY 1`,
    [agentId],
  );
  return Object.fromEntries(rows.map(({ version, calls }) => [version, calls]));
}
