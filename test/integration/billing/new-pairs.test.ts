/** When earnings mature that a new buyer pays to a developer who was never paid. */
import { newId } from '../../../src/kit/ids/ids';
import { balance, invoke } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { useScene } from '../../support/use-market';

const DAY_S = 86_400;
const scene = useScene({
  market: { operations: false, env: { PAYOUT_RESERVE_MS: String(14 * DAY_S * 1_000) } },
});

/** A call of the buyer; the days after which its earning matures. */
async function daysOfNextEarning(): Promise<number> {
  const { market, buyer, agentId } = scene;
  const { body } = await invoke(market, buyer, agentId, { input: { text: 'a' } });
  const { rows } = await market.owner.query<{ days: number }>(
    `SELECT extract(epoch FROM matures_at - created_at)::float / ${DAY_S} AS days FROM earnings WHERE invocation_id = $1`,
    [body.invocation_id],
  );
  return Math.round(rows[0]?.days ?? -1);
}

it('is later until the first payout has arrived, and the balance says why', async () => {
  const { market, developer } = scene;
  expect(await daysOfNextEarning()).toBe(14);
  const read = async () =>
    (await request<Record<string, unknown>>(market, developer, 'GET', '/v1/billing/developer/balance')).body;
  const reserve = { reason: 'never_paid', buyers_younger_than_days: 30, matures_after_seconds: 14 * DAY_S };
  expect(await read()).toMatchObject({ matured_credits: 0, reserve });
  const payoutId = newId('pay');
  await market.owner.query(
    `INSERT INTO payouts (payout_id, developer_user_id, as_of, period_start, status, method, pay_to, lots_units, carried_units,
       amount_units, remainder_units, amount_minor, currency, completed_at)
     VALUES ($1, $2, now(), now(), 'paid', 'usdc', '0x52908400098527886E0F7030069857D2E4169EE7', 100, 0, 100, 0, 1, 'USDC', now())`,
    [payoutId, developer.userId],
  );
  expect(await daysOfNextEarning()).toBe(3);
  expect(await read()).not.toHaveProperty('reserve');
  // The payout stands for one of before, without its movements: without it the ledger is whole.
  await market.owner.query(
    `ALTER TABLE payouts DISABLE TRIGGER USER; DELETE FROM payouts WHERE payout_id = '${payoutId}';
     ALTER TABLE payouts ENABLE TRIGGER USER`,
  );
  expect(await balance(market.owner, developer.userId, 'payable')).toBe(2 * 970);
});
