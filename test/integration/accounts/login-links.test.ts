import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { createLoginLinks } from '../../../src/services/accounts/login-links';
import { startTestApi, type TestApi } from '../../support/stack/api';

const PRODUCTION = {
  NODE_ENV: 'production',
  SESSION_SECRET: randomBytes(32).toString('hex'),
  MASTER_KEYS: `main:1=${randomBytes(32).toString('base64')}`,
  MAIL_URL: 'smtps://market:secret@mail.example.com',
  MAIL_FROM: 'Marketplace <no-reply@example.com>',
  PAYMENT_PROVIDER: 'sandbox',
  ALLOW_SANDBOX_PAYMENTS: 'true',
  PAYOUT_SETTLEMENT: 'sandbox',
};
const PASSWORD = 'correct horse battery';
const OTHER = 'another long passphrase';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

let counter = 0;
const newEmail = () => `person${(counter += 1)}@example.com`;
const cookieOf = (response: request.Response) =>
  (response.headers['set-cookie'] as unknown as string[] | undefined)?.[0]?.split(';')[0] ?? '';
const signUp = (email: string) =>
  request(api.url)
    .post('/v1/auth/register')
    .send({ email, password: PASSWORD, displayName: 'Ada Lovelace', role: 'buyer' });

describe('a one-time login link of the local stack', () => {
  const enter = (token: string) => request(api.url).post('/v1/auth/login-link').send({ token });

  it('starts one session of its account, and no second one', async () => {
    const email = newEmail();
    const { user_id: userId } = (await signUp(email).expect(201)).body as { user_id: string };
    const links = createLoginLinks({ pool: api.pool, accounts: api.accounts });
    const token = await links.issue(userId);
    const entered = await enter(token).expect(200);
    expect(entered.body).toMatchObject({ user_id: userId, email });
    await request(api.url).get('/v1/auth/me').set('cookie', cookieOf(entered)).expect(200);
    const again = await enter(token).expect(422);
    expect(again.headers['set-cookie']).toBeUndefined();
    expect(again.body.detail[0]).toMatchObject({ loc: ['body', 'token'], type: 'token' });
  });

  it('expires after 15 minutes, and is no token of a mail', async () => {
    const { user_id: userId } = (await signUp(newEmail()).expect(201)).body as { user_id: string };
    const links = createLoginLinks({ pool: api.pool, accounts: api.accounts });
    const token = await links.issue(userId);
    const reset = { token, new_password: OTHER };
    await request(api.url).post('/v1/auth/password-reset/confirm').send(reset).expect(422);
    const left = await api.pool.query<{ minutes: number }>(
      `SELECT round(extract(epoch FROM expires_at - now()) / 60)::int AS minutes FROM mail_tokens
        WHERE user_id = $1 AND purpose = 'log_in'`,
      [userId],
    );
    expect(left.rows).toEqual([{ minutes: 15 }]);
    await api.pool.query("UPDATE mail_tokens SET expires_at = now() WHERE purpose = 'log_in'");
    await enter(token).expect(422);
  });

  it('does not exist in production', async () => {
    const production = await startTestApi({ database: api.database, env: PRODUCTION });
    const { user_id: userId } = (await signUp(newEmail()).expect(201)).body as { user_id: string };
    const token = await createLoginLinks({ pool: api.pool, accounts: api.accounts }).issue(userId);
    const answer = await request(production.url).post('/v1/auth/login-link').send({ token });
    await production.close();
    expect(answer.status).toBe(404);
    await enter(token).expect(200);
  });
});
