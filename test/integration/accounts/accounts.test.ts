import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { operatorCommand } from '../../support/cli/operator-command';

const LOGINS = 15;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

let counter = 0;
const PASSWORD = 'correct horse battery';

function newcomer(fields: Record<string, unknown> = {}) {
  counter += 1;
  return {
    email: `user${counter}@example.com`,
    password: PASSWORD,
    displayName: 'Ada Lovelace',
    role: 'buyer',
    ...fields,
  };
}

async function signUp(fields: Record<string, unknown> = {}) {
  const person = newcomer(fields);
  const response = await request(api.url).post('/v1/auth/register').send(person).expect(201);
  return { ...person, cookie: cookieOf(response), userId: (response.body as { user_id: string }).user_id };
}

function cookieOf(response: request.Response): string {
  const [header] = response.headers['set-cookie'] as unknown as string[];
  return header?.split(';')[0] ?? '';
}

const me = (cookie: string) => request(api.url).get('/v1/auth/me').set('cookie', cookie);
const logIn = (email: string, password: string) =>
  request(api.url).post('/v1/auth/login').send({ email, password });

async function rows(sql: string, values: unknown[] = []) {
  return (await api.pool.query(sql, values)).rows as Record<string, unknown>[];
}

/** CPU time of this process in ms: hashes run in it, and other work on the machine does not change it. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

describe('registration', () => {
  it('creates the account and starts a session at once', async () => {
    const created = await request(api.url)
      .post('/v1/auth/register')
      .send({
        email: 'Grace@Example.com',
        password: PASSWORD,
        displayName: 'Grace Höpper',
        role: 'developer',
      })
      .expect(201);
    expect(created.body).toEqual({
      user_id: expect.stringMatching(/^usr_[0-9a-f]{32}$/) as string,
      email: 'grace@example.com',
      displayName: 'Grace Höpper',
      role: 'developer',
      developer_id: 'dev_grace-hopper',
      registration_paid: false,
      time_zone: 'UTC',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
    expect((created.headers['set-cookie'] as unknown as string[])[0]).toMatch(
      /^market_session=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    const profile = await me(cookieOf(created)).expect(200);
    expect(profile.body).toEqual({ ...created.body, acting_for: null });
  });

  it('keeps the password as an argon2id hash only', async () => {
    const { userId } = await signUp();
    const [user] = await rows('SELECT password_hash FROM users WHERE user_id = $1', [userId]);
    expect(user?.['password_hash']).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('makes developer ids unique, also when several of one name come at once', async () => {
    const people = await Promise.all(
      Array.from({ length: 12 }, () => signUp({ role: 'developer', displayName: 'Same  Name!' })),
    );
    const ids = await rows('SELECT developer_id FROM users WHERE user_id = ANY($1)', [
      people.map(({ userId }) => userId),
    ]);
    const names = ids.map((row) => String(row['developer_id']));
    expect(new Set(names).size).toBe(12);
    for (const name of names) expect(name).toMatch(/^dev_same-name(-\d+)?$/);
    const nameless = await signUp({ role: 'developer', displayName: '開発者' });
    const [row] = await rows('SELECT developer_id FROM users WHERE user_id = $1', [nameless.userId]);
    expect(row?.['developer_id']).toBe('dev_developer');
    const take = (displayName: string) => signUp({ role: 'developer', displayName });
    for (const n of ['', ' 9', ' 10', ' 11', ' 12', ' 13', ' 14', ' 15']) await take(`Taken${n}`);
    expect((await take('Taken')).userId).toMatch(/^usr_/);
  });

  it.each([
    ['role operator', { role: 'operator' }, 'role'],
    ['a balance', { balance: 1_000 }, 'balance'],
    ['a trust score', { trust_score: 100 }, 'trust_score'],
    ['a user id', { user_id: 'usr_00000000000000000000000000000000' }, 'user_id'],
    ['a paid registration', { registration_paid: true }, 'registration_paid'],
    ['a short password', { password: 'seven77' }, 'password'],
    ['a giant password', { password: 'x'.repeat(1_025) }, 'password'],
    ['no email', { email: undefined }, 'email'],
    ['an email with a NUL', { email: 'a\u0000@example.com' }, 'email'],
    ['an email that is a list', { email: ['a@example.com'] }, 'email'],
    ['an empty name', { displayName: '' }, 'displayName'],
    ['a blank name', { displayName: ' \u3000 ' }, 'displayName'],
    ['a name with a line break', { displayName: 'a\nb' }, 'displayName'],
    ['a name with a lone surrogate', { displayName: 'a\ud800' }, 'displayName'],
  ])('refuses %s and creates nothing', async (_what, fields, field) => {
    const before = await rows('SELECT count(*) FROM users');
    const response = await request(api.url).post('/v1/auth/register').send(newcomer(fields)).expect(422);
    const body = response.body as { error: { code: string }; detail: { loc: unknown[] }[] };
    expect(body.error.code).toBe('validation_failed');
    expect(body.detail.map(({ loc }) => loc)).toEqual([['body', field]]);
    expect(response.headers['set-cookie']).toBeUndefined();
    expect(await rows('SELECT count(*) FROM users')).toEqual(before);
  });
});

describe('login', () => {
  it('answers with the profile, whatever the letter case of the email', async () => {
    const person = await signUp();
    const response = await logIn(person.email.toUpperCase(), PASSWORD).expect(200);
    expect(response.body).toMatchObject({ user_id: person.userId, role: 'buyer', developer_id: null });
    await me(cookieOf(response)).expect(200);
  });

  it('answers the same for a wrong password and for an unknown email', async () => {
    const person = await signUp();
    const wrong = await logIn(person.email, 'wrong password').expect(401);
    const unknown = await logIn('nobody@example.com', 'wrong password').expect(401);
    const message = (response: request.Response) => (response.body as { error: unknown }).error;
    expect(message(wrong)).toMatchObject({ code: 'invalid_credentials' });
    expect(message(unknown)).toEqual(message(wrong));
    expect(unknown.headers['set-cookie']).toBeUndefined();
  });

  it('ignores credentials in the query', async () => {
    const person = await signUp();
    const query = { email: person.email, password: PASSWORD };
    await request(api.url).post('/v1/auth/login').query(query).send({ email: '', password: '' }).expect(422);
    await request(api.url).post('/v1/auth/login').query(query).send({}).expect(422);
  });

  it('does as much work for an unknown email as for a known one', async () => {
    const person = await signUp();
    await logIn('nobody@example.com', 'x').expect(401);
    const times = { known: [] as number[], unknown: [] as number[] };
    const pairs = [
      ['known', person.email],
      ['unknown', 'nobody@example.com'],
    ] as const;
    for (let round = 0; round < LOGINS; round += 1) {
      for (const [kind, email] of pairs) {
        const startedAt = cpuMs();
        await logIn(email, 'wrong password').expect(401);
        times[kind].push(cpuMs() - startedAt);
      }
    }
    const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(LOGINS / 2)] ?? NaN;
    // Without the dummy hash the gap is a whole hash, about 27 ms; the machine may be busy with other tests.
    expect(Math.abs(median(times.known) - median(times.unknown))).toBeLessThan(10);
  });
});

describe('sessions', () => {
  it('never adopt an id that the client sent', async () => {
    const person = await signUp();
    const planted = 'market_session=s%3Aplanted-session-id.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
    const response = await logIn(person.email, PASSWORD).set('cookie', planted).expect(200);
    expect(cookieOf(response)).not.toContain('planted');
    await me(planted).expect(401);
    expect(await rows(`SELECT 1 FROM sessions WHERE sid LIKE 'planted%'`)).toEqual([]);
  });

  it('end when the person logs in again with them', async () => {
    const person = await signUp();
    const second = await logIn(person.email, PASSWORD).set('cookie', person.cookie).expect(200);
    expect(cookieOf(second)).not.toBe(person.cookie);
    await me(person.cookie).expect(401);
    await me(cookieOf(second)).expect(200);
  });

  it('end at logout, and their cookie is cleared', async () => {
    const person = await signUp();
    const response = await request(api.url).post('/v1/auth/logout').set('cookie', person.cookie).expect(204);
    expect((response.headers['set-cookie'] as unknown as string[])[0]).toMatch(
      /^market_session=; Path=\/; Expires=Thu, 01 Jan 1970/,
    );
    expect(response.text).toBe('');
    await me(person.cookie).expect(401);
    await request(api.url).post('/v1/auth/logout').set('cookie', person.cookie).expect(401);
  });

  it('all end when the password changes, but for a new one of the person who changed it', async () => {
    const person = await signUp();
    const elsewhere = cookieOf(await logIn(person.email, PASSWORD));
    const change = { old_password: PASSWORD, new_password: 'a better passphrase' };
    const post = () => request(api.url).post('/v1/auth/password').set('cookie', person.cookie);
    const wrong = await post()
      .send({ ...change, old_password: 'wrong' })
      .expect(401);
    expect((wrong.body as { error: { code: string } }).error.code).toBe('invalid_credentials');
    await me(elsewhere).expect(200);
    const changed = await post().send(change).expect(204);
    await me(elsewhere).expect(401);
    await me(person.cookie).expect(401);
    await me(cookieOf(changed)).expect(200);
    await logIn(person.email, PASSWORD).expect(401);
    await logIn(person.email, change.new_password).expect(200);
  });

  it('are refused when the cookie is forged, expired, or of a deleted user', async () => {
    const person = await signUp();
    await me(person.cookie.slice(0, -2) + 'xx').expect(401);
    await me('market_session=nonsense').expect(401);
    await request(api.url).get('/v1/auth/me').expect(401);
    await api.pool.query(
      `UPDATE sessions SET expire = now() - interval '1 s' WHERE sess -> 'passport' ->> 'user' = $1`,
      [person.userId],
    );
    await me(person.cookie).expect(401);
  });

  it('are extended, with a new cookie, when they are older, and not when they are fresh', async () => {
    const person = await signUp();
    const fresh = await me(person.cookie).expect(200);
    expect(fresh.headers['set-cookie']).toBeUndefined();
    const where = `WHERE sess -> 'passport' ->> 'user' = '${person.userId}'`;
    await api.pool.query(`UPDATE sessions SET expire = now() + interval '3 days' ${where}`);
    const rolled = await me(person.cookie).expect(200);
    expect(cookieOf(rolled)).toBe(person.cookie);
    const [session] = await rows(
      `SELECT expire > now() + interval '13.9 days' AS extended FROM sessions ${where}`,
    );
    expect(session).toEqual({ extended: true });
    const again = await me(person.cookie).expect(200);
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  it('are Secure and still given out in production, where TLS ends at a proxy', async () => {
    const production = await startTestApi({
      env: {
        NODE_ENV: 'production',
        SESSION_SECRET: randomBytes(32).toString('hex'),
        MASTER_KEYS: `a:1=${randomBytes(32).toString('base64')}`,
        MAIL_URL: 'smtps://market:secret@mail.example.com',
        MAIL_FROM: 'Marketplace <no-reply@example.com>',
        PAYMENT_PROVIDER: 'sandbox',
        ALLOW_SANDBOX_PAYMENTS: 'true',
        PAYOUT_SETTLEMENT: 'sandbox',
      },
    });
    try {
      const created = await request(production.url).post('/v1/auth/register').send(newcomer()).expect(201);
      expect((created.headers['set-cookie'] as unknown as string[])[0]).toMatch(
        /; HttpOnly; Secure; SameSite=Lax$/,
      );
    } finally {
      await production.close();
    }
  });
});

describe('the role operator', () => {
  const grant = (...args: string[]) =>
    operatorCommand(['operator', 'grant', ...args], { ...process.env, DATABASE_URL: api.database.appUrl });

  it('is granted to an account by a command of the operator, and holds from the next request', async () => {
    const person = await signUp();
    const { stdout } = await grant(person.email.toUpperCase());
    expect(stdout).toBe(`${person.email} (${person.userId}) is an operator now.\n`);
    expect((await me(person.cookie).expect(200)).body).toMatchObject({ role: 'operator' });
  });

  it('is not granted to an email without an account', async () => {
    expect(await grant('nobody@example.com')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No account has this email.') as string,
    });
  });
});
