/** A Monday with the USDC rail on, by the Schedule on the real engine, as developers and operators see it. */
import { payoutScheduleId } from '../../src/engine/payouts';
import { createLedgerService } from '../../src/services/ledger/ledger';
import { expectWhole } from '../support/ledger/ledger';
import { eventually, register, startMarket, type TestMarket, type TestUser } from '../support/market';
import { request } from '../support/catalogue/publishing';
import { NETWORK, startChain, type UsdcChain } from '../support/usdc/chain';
import { startFacilitator, type TestFacilitator } from '../support/usdc/facilitator';
import { earnAt, putPricedInUsd, usdcSettings } from '../support/usdc/scene';
import { isMade, makeUp } from '../support/stack/schedules';

const ADDRESSES = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
];
let market: TestMarket;
let chain: UsdcChain;
let facilitator: TestFacilitator;

beforeAll(async () => {
  chain = await startChain('127.77.0.16');
  facilitator = await startFacilitator(chain, '127.77.0.15');
  await chain.mint(chain.treasury.address, 100_000_000n);
  market = await startMarket({ env: usdcSettings(chain, facilitator) });
});
afterAll(async () => {
  await market.stop();
  await facilitator.stop();
  await chain.stop();
});

interface PayoutView {
  payout_id: string;
  status: string;
  pay_to?: string;
  amount_minor: number;
  transfer?: { network: string; asset: string; state: string; transaction: string | null };
}

async function payoutsOf(user: TestUser): Promise<PayoutView[]> {
  const path = '/v1/billing/developer/payouts';
  return (await request<{ items: PayoutView[] }>(market, user, 'GET', path)).body.items;
}

it('pays two addresses, each once, though the facilitator loses an answer and the workflow is terminated', async () => {
  const buyer = (await register(market, 'buyer', 100_000)).userId;
  const operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  const developer = await register(market, 'developer');
  const ledger = createLedgerService({ pool: market.container.pool });
  for (const payTo of [...ADDRESSES, ADDRESSES[0] ?? '']) {
    const agentId = await putPricedInUsd(market.owner, developer.userId, payTo);
    const maturesAt = new Date('2026-11-12T00:00:00Z');
    await earnAt({ ledger }, { buyer, developer: developer.userId, agentId }, 1_500, maturesAt);
  }
  facilitator.conduct = 'dies after settling';
  const { client } = market.environment;
  const handle = client.schedule.getHandle(payoutScheduleId(market.temporal.taskQueuePrefix));
  await isMade(handle);
  await makeUp(handle, new Date('2026-11-15T00:00:00Z'), new Date('2026-11-17T00:00:00Z'));
  await eventually(async () => facilitator.settled.length > 0, 30_000);
  facilitator.conduct = 'settles';
  // The worker's sweep starts it again, and nothing is sent twice.
  const transfers = client.workflow.getHandle(`${market.temporal.taskQueuePrefix}payout/usdc/2026-11-16/0`);
  await transfers?.terminate('by hand');
  await eventually(
    async () => (await payoutsOf(developer)).filter(({ status }) => status === 'paid').length === 2,
    40_000,
  );

  const paid = await payoutsOf(developer);
  expect(paid.map(({ pay_to: payTo, amount_minor: minor }) => [payTo, minor]).sort()).toEqual([
    [ADDRESSES[0], 29_100_000],
    [ADDRESSES[1], 14_550_000],
  ]);
  for (const { transfer } of paid) {
    expect(transfer).toMatchObject({ network: NETWORK, asset: chain.asset, state: 'confirmed' });
    expect(transfer?.transaction).toMatch(/^0x[0-9a-f]{64}$/);
  }
  expect(await Promise.all(ADDRESSES.map(chain.balanceOf))).toEqual([29_100_000n, 14_550_000n]);
  expect(facilitator.settled).toHaveLength(2);
  const settle = `/v1/operator/payouts/${paid[0]?.payout_id}/settle`;
  const refused = await request(market, operator, 'POST', settle, { result: 'returned', reason: 'by hand' });
  expect(refused.status).toBe(409);
  await expectWhole(market.container.pool);
});
