/** A case that is open keeps the earnings of its call from maturing. */
import { startAgent } from '../../support/agents/test-agent';
import { dispute, registerOperator, resolve, respond, succeed } from '../../support/disputes/disputes';
import { eventually, expectWholeLedger, putLive, register, startMarket } from '../../support/market';
import { request } from '../../support/catalogue/publishing';

it('a success that becomes a case keeps its earnings from maturing', async () => {
  const agent = await startAgent();
  const short = await startMarket({ env: { DISPUTE_WINDOW_MS: '3000' } });
  try {
    const seller = await register(short, 'developer');
    const customer = await register(short, 'buyer', 100);
    const live = await putLive(short, seller.userId, agent.url, { credits: 10 });
    const ids = [await succeed(short, customer, live.agentId), await succeed(short, customer, live.agentId)];
    const opened = await dispute(short, customer, ids[0] ?? '');
    expect(opened.body).toMatchObject({ status: 'open', resolution: null, refunded_credits: 0 });
    const matured = async () =>
      (
        await request<{ matured_credits: number; pending_payout_credits: number }>(
          short,
          seller,
          'GET',
          '/v1/billing/developer/balance',
        )
      ).body;
    expect(await matured()).toMatchObject({ matured_credits: 0, pending_payout_credits: 19.4 });
    await eventually(async () => (await matured()).matured_credits > 0);
    expect(await matured()).toMatchObject({ matured_credits: 9.7, pending_payout_credits: 19.4 });
    const late = await dispute(short, customer, ids[1] ?? '');
    expect([late.status, late.body.error?.code]).toEqual([409, 'invalid_state']);
    await respond(short, seller, opened.body.dispute_id, 'contest');
    const judge = await registerOperator(short);
    await resolve(short, judge, opened.body.dispute_id, 'developer');
    expect(await matured()).toMatchObject({ matured_credits: 19.4 });
    await expectWholeLedger(short);
  } finally {
    await agent.stop();
    await short.stop();
  }
});
