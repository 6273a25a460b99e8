/** The second factor that the only owner of an organisation lost: an operator removes it with a reason. */
import { organisation } from '../../support/accounts/organisation-rows';
import { mailBox } from '../../support/accounts/mails';
import { registerOperator } from '../../support/disputes/disputes';
import { eventually, register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const box = mailBox();
afterAll(() => box.close());
const market = useMarket({ env: { MAIL_URL: box.url } });

async function post(path: string, body: object, { cookie }: Partial<Pick<TestUser, 'cookie'>> = {}) {
  const answer = await fetch(`${market.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie !== undefined && { cookie }) },
    body: JSON.stringify(body),
  });
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]).join('; '); // prettier-ignore
  return { status: answer.status, cookie: cookies };
}

it('is removed by an operator, after which the owner enrols another app and acts again', async () => {
  const operator = await registerOperator(market);
  const owner = await register(market, 'buyer');
  const orgId = await organisation(market, { owner });
  await market.owner.query('UPDATE organisations SET require_second_factor = true WHERE org_id = $1', [
    orgId,
  ]);
  await market.owner.query('UPDATE users SET authenticator_since = now() WHERE user_id = $1', [owner.userId]);
  await market.owner.query(`INSERT INTO authenticators (user_id, sealed) VALUES ($1, 'x')`, [owner.userId]);
  const login = () => post('/v1/auth/login', { email: owner.email, password: 'correct horse battery' });
  expect((await login()).status).toBe(401);

  const path = `/v1/operator/accounts/${owner.userId}/remove-authenticator`;
  const why = { reason: 'Lost phone; identified by a video call.' };
  expect((await post(path, why, owner)).status).toBe(403);
  expect((await post(path, why, operator)).status).toBe(200);
  expect((await post(path, why, operator)).status).toBe(409);
  // A session of before, which may be in the wrong hands, has ended.
  expect((await fetch(`${market.url}/v1/auth/me`, { headers: { cookie: owner.cookie } })).status).toBe(401);
  await eventually(() => box.to(owner.email).some(({ subject }) => subject.includes('was removed')));

  const again = await login();
  expect(again.status).toBe(200);
  const begun = await post('/v1/auth/authenticator', { password: 'correct horse battery' }, again);
  expect(begun.status).toBeLessThan(300);
  const { rows } = await market.owner.query(
    `SELECT operator_user_id, reason FROM operator_actions WHERE subject = $1 AND action = 'authenticator.remove'`,
    [owner.userId],
  );
  expect(rows).toEqual([{ operator_user_id: operator.userId, ...why }]);
});
