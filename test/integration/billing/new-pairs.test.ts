/** When earnings mature that a new buyer pays to a developer who was never paid. */
import { lowestIdAt, newId } from '../../../src/kit/ids/ids';
import { balance, expectWholeLedger, invoke, register, type TestUser, topUp } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { useScene } from '../../support/use-market';

const DAY_S = 86_400;
const scene = useScene({
  market: { operations: false, env: { PAYOUT_RESERVE_MS: String(14 * DAY_S * 1_000) } },
});

/** A call of the buyer; the days after which its earning matures. */
async function daysOfNextEarning(buyer: Pick<TestUser, 'cookie'> = scene.buyer): Promise<number> {
  const { market, agentId } = scene;
  const { body } = await invoke(market, buyer, agentId, { input: { text: 'a' } });
  const { rows } = await market.owner.query<{ days: number }>(
    `SELECT extract(epoch FROM matures_at - created_at)::float / ${DAY_S} AS days FROM earnings WHERE invocation_id = $1`,
    [body.invocation_id],
  );
  return Math.round(rows[0]?.days ?? -1);
}

/** A buyer whose account is 60 days old, and who has no credits. */
async function oldBuyer(): Promise<TestUser> {
  const { market } = scene;
  const young = await register(market, 'buyer');
  const userId = lowestIdAt('usr', Date.now() - 60 * DAY_S * 1_000);
  const email = `old-${young.email}`;
  await market.owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role)
     SELECT $2, $3, password_hash, display_name, role FROM users WHERE user_id = $1`,
    [young.userId, userId, email],
  );
  const login = await fetch(`${market.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'correct horse battery' }),
  });
  expect(login.status).toBe(200);
  return {
    userId,
    email,
    cookie: login.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  };
}

it('is later for an old account until its first top-up is old, and the line of the earning shows the reason', async () => {
  const { market, developer } = scene;
  const buyer = await oldBuyer();
  await topUp(market.owner, buyer.userId, 100);
  expect(await daysOfNextEarning(buyer)).toBe(14);
  await topUp(market.owner, buyer.userId, 100);
  await market.owner.query(
    `UPDATE topups SET completed_at = now() - interval '31 days'
     WHERE topup_id = (SELECT min(topup_id) FROM topups WHERE user_id = $1)`,
    [buyer.userId],
  );
  expect(await daysOfNextEarning(buyer)).toBe(3);
  const { body } = await request<{ items: { reserve?: { reason: string; matures_at: string } }[] }>(
    market,
    developer,
    'GET',
    '/v1/billing/developer/transactions?entry_type=invocation_earning',
  );
  const [usual, late] = body.items;
  expect(usual).not.toHaveProperty('reserve');
  expect(late?.reserve).toEqual({ reason: 'never_paid', matures_at: expect.any(String) as string });
  const days = (Date.parse(late?.reserve?.matures_at ?? '') - Date.now()) / (DAY_S * 1_000);
  expect(Math.round(days)).toBe(14);
  await expectWholeLedger(market);
});

it('is later until the first payout has arrived, and the balance shows the reason', async () => {
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
  expect(await balance(market.owner, developer.userId, 'payable')).toBe(4 * 970);
});
