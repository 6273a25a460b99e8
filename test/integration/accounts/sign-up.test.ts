/** Sign-ups and guesses: one account for an email, answers that cost the client address, and accounts that make way. */
import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { startTestApi, type TestApi } from '../../support/stack/api';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ env: { TRUSTED_PROXIES: '127.0.0.1/32', LOGIN_FAILURES: '3' } });
});
afterAll(() => api.close());

const PASSWORD = 'correct horse battery';
let counter = 0;
/** Addresses of clients that no other test uses. */
const newAddress = () => {
  counter += 1;
  return `203.0.${Math.floor(counter / 250)}.${(counter % 250) + 1}`;
};
const newEmail = () => `p${randomBytes(6).toString('hex')}@example.com`;
const signUp = (email: string, from = newAddress(), password = PASSWORD) =>
  request(api.url)
    .post('/v1/auth/register')
    .set('x-forwarded-for', from)
    .send({ email, password, displayName: 'Ada Lovelace', role: 'buyer' });
const logIn = (email: string, password = PASSWORD, from = newAddress()) =>
  request(api.url).post('/v1/auth/login').set('x-forwarded-for', from).send({ email, password });
const codeOf = ({ body }: request.Response) => (body as { error?: { code: string } }).error?.code;
const age = (email: string, hours: number) =>
  api.pool.query('UPDATE users SET created_at = now() - make_interval(hours => $2) WHERE email = $1', [
    email,
    hours,
  ]);

describe('an email', () => {
  it('belongs to one account, confirmed or not, which keeps its login', async () => {
    const email = newEmail();
    const first = await signUp(email).expect(201);
    const second = await signUp(email.toUpperCase(), newAddress(), 'a password of another person').expect(
      409,
    );
    expect([codeOf(second), second.headers['set-cookie']]).toEqual(['email_taken', undefined]);
    const mine = await logIn(email).expect(200);
    expect((mine.body as { user_id: string }).user_id).toBe((first.body as { user_id: string }).user_id);
    await api.pool.query('UPDATE users SET email_confirmed_at = now() WHERE email = $1', [email]);
    await signUp(email).expect(409);
  });

  it('belongs to one of many who sign up with it at once', async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 9 }, () => signUp(email)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(8).fill(409)]);
  });

  it.each([
    ['an IPv4 address', () => '198.51.100.7', () => '198.51.100.8'],
    ['a /64 network', () => `2001:db8:7:1::${randomBytes(2).toString('hex')}`, () => '2001:db8:7:2::1'],
  ])(
    'is reported as taken at most ten times an hour to %s, which is then refused altogether',
    async (_what, from, other) => {
      const email = newEmail();
      await signUp(email).expect(201);
      const answers = await Promise.all(Array.from({ length: 25 }, () => signUp(email, from())));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array<number>(10).fill(409), ...Array<number>(15).fill(429)]);
      const free = await signUp(newEmail(), from()).expect(429);
      expect(Number(free.headers['retry-after'])).toBeGreaterThan(3_000);
      await signUp(newEmail(), other()).expect(201);
    },
  );

  it('is reported as taken at most a hundred times an hour to a /48 network', async () => {
    const email = newEmail();
    await signUp(email).expect(201);
    const from = (n: number) => `2001:db8:9:${n.toString(16)}::1`;
    for (let n = 0; n < 100; n += 1) await signUp(email, from(n)).expect(409);
    await signUp(newEmail(), from(100)).expect(429);
    await signUp(newEmail(), '2001:db8:a::1').expect(201);
  });

  it('is free a day after a sign-up that was not confirmed and owns nothing', async () => {
    const email = newEmail();
    const first = await signUp(email).expect(201);
    await age(email, 23);
    await signUp(email).expect(409);
    await age(email, 25);
    const second = await signUp(email).expect(201);
    expect((second.body as { user_id: string }).user_id).not.toBe(
      (first.body as { user_id: string }).user_id,
    );
    const cookie = (first.headers['set-cookie'] as unknown as string[])[0] ?? '';
    await request(api.url).get('/v1/auth/me').set('cookie', cookie).expect(401);
  });

  it('stays with an account that has a key, or that confirmed it', async () => {
    const [keyed, confirmed] = [newEmail(), newEmail()];
    const { headers } = await signUp(keyed).expect(201);
    const [cookie = ''] = headers['set-cookie'] as unknown as string[];
    await request(api.url).get('/v1/auth/me').set('cookie', cookie).expect(200);
    await api.pool.query(
      `INSERT INTO api_keys (key_id, user_id, name, scopes, hint)
       SELECT 'key_' || md5(email) , user_id, 'k', '{agents:read}', 'abcd' FROM users WHERE email = $1`,
      [keyed],
    );
    await signUp(confirmed).expect(201);
    await api.pool.query('UPDATE users SET email_confirmed_at = now() WHERE email = $1', [confirmed]);
    for (const email of [keyed, confirmed]) {
      await age(email, 48);
      await signUp(email).expect(409);
    }
  });
});

describe('guesses of a password', () => {
  it('are bounded over all addresses, but not where the owner is logged in, and a reset by mail ends it', async () => {
    const email = newEmail();
    const home = newAddress();
    await signUp(email, home).expect(201);
    for (let n = 0; n < 30; n += 1) await logIn(email, `guess ${n}`).expect(401);
    const refused = await logIn(email).expect(429);
    expect((refused.body as { error: { message: string } }).error.message).toContain(
      'reset the password by mail',
    );
    await logIn(email, PASSWORD, home).expect(200);
    // An unknown email is counted in the same way, so that the limit reveals nothing.
    const unknown = newEmail();
    for (let n = 0; n < 30; n += 1) await logIn(unknown, `guess ${n}`).expect(401);
    await logIn(unknown).expect(429);
    await api.loginGuard.forget(email);
    await logIn(email).expect(200);
  });

  it.each([
    ['letters that grow when they become small ones', `${'\u0130'.repeat(250)}@a.b`],
    ['a NUL', 'a\u0000@x.y'],
  ])('are counted for an email with %s', async (_what, email) => {
    const from = newAddress();
    const attempt = () => api.loginGuard.attempt(email, from, () => wrong(email));
    for (let n = 0; n < 3; n += 1) expect(await attempt()).toBeUndefined();
    await expect(attempt()).rejects.toMatchObject({ code: 'rate_limited' });
    const { status } = await request(api.url).post('/v1/auth/password-reset').send({ email });
    expect(status).toBe(422);
  });

  const wrong = (email: string) => api.accounts.authenticate(email, 'x');
});

describe('a password', () => {
  const composed = 'P\u00e4ssw\u00f6rd twelve';
  const typed = composed.normalize('NFD').replace(' ', '\u00a0');

  it('is the same password however a keyboard writes its letters and spaces', async () => {
    const email = newEmail();
    await signUp(email, newAddress(), typed).expect(201);
    await logIn(email, composed).expect(200);
    await logIn(email, typed).expect(200);
    await logIn(email, `${composed} `).expect(401);
  });

  it('that an earlier version stored still logs in as it was typed', async () => {
    const email = newEmail();
    await signUp(email).expect(201);
    const { hash } = await import('@node-rs/argon2');
    await api.pool.query('UPDATE users SET password_hash = $2 WHERE email = $1', [email, await hash(typed)]);
    await logIn(email, typed).expect(200);
    await logIn(email, 'something else').expect(401);
  });

  it('is too short when its composed letters are', async () => {
    const answer = await signUp(newEmail(), newAddress(), 'a\u0308'.repeat(4)).expect(422);
    expect((answer.body as { detail: object[] }).detail).toMatchObject([{ loc: ['body', 'password'] }]);
  });
});

describe('the address of a client behind a proxy', () => {
  const remaining = async (forwarded: string) => {
    const { headers } = await request(api.url).get('/v1/auth/me').set('x-forwarded-for', forwarded);
    return Number(headers['x-ratelimit-remaining']);
  };

  it.each([
    ['a port', '192.0.2.1:51234', '192.0.2.2:51234'],
    ['brackets and a port', '[2001:db8:51::1]:443', '[2001:db8:52::1]:443'],
    ['quotes', '"192.0.2.3:1"', '"[2001:db8:53::1]"'],
  ])('is read with %s, and each has its own limit', async (_what, one, two) => {
    const before = await remaining(one);
    await remaining(one);
    expect(await remaining(one)).toBe(before - 2);
    expect(await remaining(two)).toBe(before);
  });

  it.each([['unknown'], ['010.1.2.3'], ['_hidden'], ['192.0.2.9, unknown'], ['']])(
    'is the address of the proxy for %p',
    async (text) => {
      const before = await remaining('127.0.0.1');
      expect(await remaining(text)).toBe(before - 1);
    },
  );
});
