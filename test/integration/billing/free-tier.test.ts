/** Free calls are exact per buyer, agent and UTC month (contract, "Invocation"; security reference, T13). */
import {
  balance,
  invoke,
  putLive,
  putVersion,
  register,
  type InvokeReply,
  type TestUser,
} from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { type Scene } from '../../support/scene';
import { useScene } from '../../support/use-market';

const PRICE = 10;

const scene = useScene();
let market: Scene['market'];
let developer: Scene['developer'];
let agent: Scene['agent'];

beforeAll(async () => {
  ({ market, developer, agent } = scene);
});
beforeEach(() => agent.behave({ kind: 'echo' }));

async function putFree(freeTierCalls: number): Promise<string> {
  return (await putLive(market, developer.userId, agent.url, { credits: PRICE, freeTierCalls })).agentId;
}

const call = (buyer: TestUser, agentId: string, n = 0) =>
  invoke(market, buyer, agentId, { input: { text: 'free?', n } });
const chargedBy = (reply: InvokeReply) => reply.body.usage?.credits_charged;
const walletOf = async (buyer: TestUser) => (await balance(market.owner, buyer.userId, 'wallet')) / 100;

describe('the free tier', () => {
  it('gives a buyer free_tier_calls calls, then the price applies', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await putFree(2);
    const charges = [];
    for (let n = 0; n < 4; n += 1) charges.push(chargedBy(await call(buyer, agentId, n)));
    expect(charges).toEqual([0, 0, PRICE, PRICE]);
    expect(await walletOf(buyer)).toBe(80);
  });

  it('says how many free calls an account has left', async () => {
    const [buyer, other] = [await register(market, 'buyer', 100), await register(market, 'buyer')];
    const agentId = await putFree(3);
    const paidOnly = (await putLive(market, developer.userId, agent.url, { credits: PRICE })).agentId;
    const left = (who: TestUser, query = '') =>
      request<{ items: object[]; total: number }>(market, who, 'GET', `/v1/billing/free-calls${query}`);
    expect((await left(buyer)).body).toEqual({ items: [], next_cursor: null, total: 0 });
    await call(buyer, agentId);
    await call(buyer, paidOnly);
    expect((await left(buyer)).body).toEqual({
      items: [{ agent_id: agentId, per_month: 3, left: 2 }],
      next_cursor: null,
      total: 1,
    });
    agent.behave({ kind: 'status', status: 500 });
    await call(buyer, agentId, 1);
    expect((await left(buyer)).body.items).toEqual([{ agent_id: agentId, per_month: 3, left: 2 }]);
    expect((await left(other)).body.items).toEqual([]);
    expect((await left(buyer, '?cursor=x')).status).toBe(422);
  });

  it('needs no credits, and is over for a buyer without any when the calls are used', async () => {
    const buyer = await register(market, 'buyer');
    const agentId = await putFree(1);
    expect(chargedBy(await call(buyer, agentId))).toBe(0);
    const refused = await call(buyer, agentId);
    expect([refused.status, refused.body.error?.code]).toEqual([402, 'insufficient_credits']);
  });

  it('is exact when 50 calls come at once at its edge', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await putFree(7);
    for (let n = 0; n < 2; n += 1) await call(buyer, agentId, n);
    agent.behave({ kind: 'slow', ms: 200 });
    const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => call(buyer, agentId, n)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(replies.filter((reply) => chargedBy(reply) === 0)).toHaveLength(5);
    expect(replies.filter((reply) => chargedBy(reply) === PRICE)).toHaveLength(45);
    expect(await walletOf(buyer)).toBe(1_000 - 45 * PRICE);
  });

  it('is exact when calls of such a storm fail: a failed call frees its slot for the next accepted one', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const agentId = await putFree(5);
    agent.behave(({ body }) => (isEven(body) ? { kind: 'status', status: 500 } : { kind: 'echo' }));
    const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => call(buyer, agentId, n)));
    const free = replies.filter((reply) => chargedBy(reply) === 0).length;
    expect(free).toBeLessThanOrEqual(5);
    const paid = replies.filter((reply) => chargedBy(reply) === PRICE).length;
    expect([free + paid, replies.filter(({ status }) => status === 502).length]).toEqual([25, 25]);
    agent.behave({ kind: 'echo' });
    const later = [];
    for (let n = 0; n < 7; n += 1) later.push(chargedBy(await call(buyer, agentId, n)));
    expect(later.filter((credits) => credits === 0)).toHaveLength(5 - free);
    expect(await walletOf(buyer)).toBe(1_000 - (paid + 7 - (5 - free)) * PRICE);
  });

  it('lets a call that finds no free slot hold and pay, even when a slot frees while it runs', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await putFree(1);
    agent.forget();
    agent.behave(({ body }) =>
      isEven(body)
        ? { kind: 'slow', ms: 300, then: { kind: 'status', status: 500 } }
        : { kind: 'slow', ms: 600 },
    );
    const failing = call(buyer, agentId, 0);
    await agent.waitForDeliveries(1);
    const paying = await call(buyer, agentId, 1);
    expect((await failing).status).toBe(502);
    expect(chargedBy(paying)).toBe(PRICE);
    agent.behave({ kind: 'echo' });
    expect([chargedBy(await call(buyer, agentId)), chargedBy(await call(buyer, agentId))]).toEqual([
      0,
      PRICE,
    ]);
  });

  it('is each buyer’s and each agent’s own', async () => {
    const [one, other] = [await register(market, 'buyer', 100), await register(market, 'buyer', 100)];
    const [first, second] = [await putFree(1), await putFree(1)];
    const charges = [];
    for (const buyer of [one, other]) {
      for (const agentId of [first, second, first]) charges.push(chargedBy(await call(buyer, agentId)));
    }
    expect(charges).toEqual([0, 0, PRICE, 0, 0, PRICE]);
  });

  it('begins anew with each UTC month, and counts the month in which a call was accepted', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await putFree(2);
    for (let n = 0; n < 2; n += 1) await call(buyer, agentId, n);
    const months = await market.owner.query<{ month: string }>(
      'SELECT DISTINCT free_month::text AS month FROM invocations WHERE agent_id = $1',
      [agentId],
    );
    expect(months.rows).toEqual([{ month: `${new Date().toISOString().slice(0, 7)}-01` }]);
    expect(chargedBy(await call(buyer, agentId))).toBe(PRICE);
    await market.owner.query(
      `UPDATE invocations SET free_month = free_month - interval '1 month' WHERE agent_id = $1 AND free`,
      [agentId],
    );
    await market.owner.query(`UPDATE free_calls SET month = month - interval '1 month' WHERE agent_id = $1`, [
      agentId,
    ]);
    const charges = [];
    for (let n = 0; n < 3; n += 1) charges.push(chargedBy(await call(buyer, agentId, n)));
    expect(charges).toEqual([0, 0, PRICE]);
  });

  it('follows the version that serves: calls used under an earlier one count', async () => {
    const buyer = await register(market, 'buyer', 200);
    const agentId = await putFree(1);
    const charges = [chargedBy(await call(buyer, agentId)), chargedBy(await call(buyer, agentId))];
    await putVersion(market, agentId, agent.url, { version: '1.1.0', credits: PRICE, freeTierCalls: 3 });
    for (let n = 0; n < 3; n += 1) charges.push(chargedBy(await call(buyer, agentId, n)));
    await putVersion(market, agentId, agent.url, { version: '1.2.0', credits: PRICE });
    charges.push(chargedBy(await call(buyer, agentId)));
    expect(charges).toEqual([0, PRICE, 0, 0, PRICE, PRICE]);
  });

  it('pays the developer nothing', async () => {
    const seller = await register(market, 'developer');
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, seller.userId, agent.url, { credits: PRICE, freeTierCalls: 1 });
    const before = await balance(market.owner, null, 'fees');
    await call(buyer, agentId);
    expect(await balance(market.owner, seller.userId, 'payable')).toBe(0);
    expect(await balance(market.owner, null, 'fees')).toBe(before);
  });
});

function isEven(body: Buffer): boolean {
  return (JSON.parse(body.toString()) as { n: number }).n % 2 === 0;
}
