/** How many bytes of answers and tasks the service keeps for an account (ADR 0203). */
import { randomUUID } from 'node:crypto';
import { a2a } from '../../support/protocols/a2a';
import { eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

const FREE = 20_000;
const PAID = 40_000;
/** Two of them are more than FREE, four more than PAID. */
const TEXT = 'x'.repeat(12_000);

const market = useMarket({
  env: { MAX_STORED_BYTES_FREE: String(FREE), MAX_STORED_BYTES_PAID: String(PAID) },
});
const agent = useAgent();
let agents: { free: string; paid: string };

beforeAll(async () => {
  const developer = await register(market, 'developer');
  const live = async (freeTierCalls: number) => {
    const terms = { credits: 1, a2aInvocable: true, freeTierCalls };
    return (await putLive(market, developer.userId, agent.url, terms)).agentId;
  };
  agents = { free: await live(1_000), paid: await live(0) };
});

const call = (buyer: TestUser, agentId: string, key: string) =>
  invoke(market, buyer, agentId, { input: { text: TEXT }, idempotency_key: key });

async function storedOf(buyer: TestUser): Promise<number> {
  const { rows } = await market.owner.query<{ bytes: string }>(
    `SELECT coalesce(sum(length(a.answer)), 0) AS bytes FROM invocation_answers a JOIN invocations i USING (invocation_id)
      WHERE i.buyer_user_id = $1`,
    [buyer.userId],
  );
  return Number(rows[0]?.bytes);
}

async function callsOf(buyer: TestUser): Promise<number> {
  const { rowCount } = await market.owner.query('SELECT FROM invocations WHERE buyer_user_id = $1', [
    buyer.userId,
  ]);
  return rowCount ?? 0;
}

it('keeps answers of free calls up to the quota, and returns the others once', async () => {
  const buyer = await register(market, 'buyer', 100);
  for (const key of ['1', '2', '3', '4']) {
    const { status, body } = await call(buyer, agents.free, key);
    expect([status, body.output]).toEqual([200, { text: TEXT }]);
  }
  expect(await storedOf(buyer)).toBeLessThan(FREE + 2 * TEXT.length);
  expect((await call(buyer, agents.free, '1')).body.output).toEqual({ text: TEXT });
  const again = await call(buyer, agents.free, '4');
  expect([again.status, again.body.output, again.body.output_expired]).toEqual([200, null, true]);
  // Paid calls have a quota of their own.
  await call(buyer, agents.paid, '5');
  expect((await call(buyer, agents.paid, '5')).body.output).toEqual({ text: TEXT });
});

it('keeps answers of paid calls up to their quota', async () => {
  const buyer = await register(market, 'buyer', 100);
  for (let key = 0; key < 6; key += 1) expect((await call(buyer, agents.paid, `p${key}`)).status).toBe(200);
  expect(await storedOf(buyer)).toBeLessThan(PAID + 2 * TEXT.length);
  expect((await call(buyer, agents.paid, 'p5')).body).toMatchObject({ output: null, output_expired: true });
});

it('counts nothing of calls without a key', async () => {
  const buyer = await register(market, 'buyer', 100);
  for (let n = 0; n < 4; n += 1) await invoke(market, buyer, agents.free, { input: { text: TEXT } });
  const { rowCount } = await market.owner.query('SELECT FROM stored_bytes WHERE user_id = $1', [
    buyer.userId,
  ]);
  expect(rowCount).toBe(0);
});

it('refuses tasks of an account at its quota before they are accepted', async () => {
  const buyer = await register(market, 'buyer');
  const send = () => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: TEXT } }] };
    const body = { message, configuration: { returnImmediately: true } };
    const headers = { 'a2a-version': '1.0' };
    return a2a<{ task: { id: string } }>(market, buyer, 'POST', `${agents.free}/message:send`, body, headers);
  };
  const accepted = [await send()];
  expect(accepted[0]?.status).toBe(200);
  for (const { body } of accepted)
    await eventually(
      async () =>
        (await a2a(market, buyer, 'GET', `${agents.free}/tasks/${body.task.id}`)).body.output !== undefined,
      20_000,
    );
  const before = await callsOf(buyer);
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await callsOf(buyer)).toBe(before);
});

it('counts until the hour of their expiry is over', async () => {
  const buyer = await register(market, 'buyer');
  for (const key of ['1', '2', '3']) await call(buyer, agents.free, key);
  expect((await call(buyer, agents.free, '3')).body.output_expired).toBe(true);
  await market.owner.query(`UPDATE stored_bytes SET until = now() WHERE user_id = $1`, [buyer.userId]);
  await call(buyer, agents.free, '4');
  expect((await call(buyer, agents.free, '4')).body.output).toEqual({ text: TEXT });
  await market.container.pool.query('SELECT retention_purge(1000)');
  const { rowCount } = await market.owner.query(
    'SELECT FROM stored_bytes WHERE user_id = $1 AND until <= now()',
    [buyer.userId],
  );
  expect(rowCount).toBe(0);
});

it('refuses a call without a waiting caller when its answer could not be kept, and before it begins', async () => {
  const buyer = await register(market, 'buyer', 100);
  const begin = (agentId: string) =>
    invoke(market, buyer, agentId, { input: { text: TEXT } }, { prefer: 'respond-async, wait=20' });
  for (const agentId of [agents.free, agents.free]) expect((await begin(agentId)).status).toBe(200);
  const calls = await callsOf(buyer);
  expect(await begin(agents.free)).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(await callsOf(buyer)).toBe(calls);
  expect((await begin(agents.paid)).status).toBe(200);
  expect(await storedOf(buyer)).toBeGreaterThan(3 * TEXT.length);
});
