import { URI } from 'otpauth';
import { Type } from '@sinclair/typebox';
import request from 'supertest';
import { defineOperation } from '../../../src/contract/operation';
import type { BindRoutes } from '../../../src/api/binding/route';
import { apiKeySha256 } from '../../../src/kit/crypto/api-key-format';
import { createSessionList } from '../../../src/services/accounts/session-list';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { sandboxMails, tokenOf } from '../../support/accounts/mails';

const PASSWORD = 'correct horse battery';
const OTHER = 'another long passphrase';

const operate = defineOperation({
  id: 'operate',
  method: 'get',
  path: '/v1/operator/test',
  tag: 'Operators',
  summary: 'Something that operators do',
  auth: 'session',
  roles: ['operator'],
  responses: { 200: Type.Object({ ok: Type.Boolean() }) },
});
const operatorRoute: BindRoutes<unknown> = (binder) => {
  binder.bind(operate, () => Promise.resolve({ ok: true }));
};

let api: TestApi;
/** The same database, with the rules of production. */
let strict: TestApi;
let mails: ReturnType<typeof sandboxMails>;
beforeAll(async () => {
  api = await startTestApi({ routes: [operatorRoute] });
  const env = { EMAIL_CONFIRMATION: 'required', SECOND_FACTOR: 'required' };
  strict = await startTestApi({ database: api.database, env, routes: [operatorRoute] });
  mails = sandboxMails(api.pool);
});
afterAll(async () => {
  await strict.close();
  await api.close();
  mails.close();
});

let counter = 0;
const newEmail = () => {
  counter += 1;
  return `person${counter}@example.com`;
};
const cookieOf = (response: request.Response) =>
  (response.headers['set-cookie'] as unknown as string[] | undefined)?.[0]?.split(';')[0] ?? '';
const signUp = (email: string, password = PASSWORD, at = api) =>
  request(at.url)
    .post('/v1/auth/register')
    .send({ email, password, displayName: 'Ada Lovelace', role: 'buyer' });
const logIn = (email: string, password = PASSWORD, more: object = {}) =>
  request(api.url)
    .post('/v1/auth/login')
    .send({ email, password, ...more });
const call = (method: 'get' | 'post' | 'delete', path: string, cookie: string, body?: object, at = api) => {
  const sent = request(at.url)[method](path).set('cookie', cookie);
  return body ? sent.send(body) : sent;
};
const errorOf = (response: request.Response) =>
  (response.body as { error: { code: string; message: string } }).error;

interface Person {
  email: string;
  cookie: string;
  userId: string;
}

async function newPerson(): Promise<Person> {
  const email = newEmail();
  const response = await signUp(email).expect(201);
  return { email, cookie: cookieOf(response), userId: (response.body as { user_id: string }).user_id };
}

/** A person whose address is confirmed by the token of the mail. */
async function confirmedPerson(): Promise<Person> {
  const person = await newPerson();
  const [mail] = await mails.to(person.email);
  await call('post', '/v1/auth/email/confirm', person.cookie, { token: tokenOf(mail) }).expect(204);
  return person;
}

/** Lets further mails of the same kind be sent at once. */
const forgetGaps = () =>
  api.pool.query(
    `UPDATE mails SET sent_at = sent_at - interval '2 minutes', due_at = CASE WHEN due_at IS NOT NULL THEN now() END`,
  );

describe('passwords', () => {
  it('that are among the 10,000 most common are refused at sign-up, change and reset, with the reason', async () => {
    const person = await newPerson();
    await request(api.url).post('/v1/auth/password-reset').send({ email: person.email }).expect(202);
    const reset = (await mails.to(person.email)).find(({ subject }) => subject === 'Reset your password');
    const refused = [
      await signUp(newEmail(), 'iloveyou1').expect(422),
      await call('post', '/v1/auth/password', person.cookie, {
        old_password: PASSWORD,
        new_password: 'Password1',
      }).expect(422),
      await request(api.url)
        .post('/v1/auth/password-reset/confirm')
        .send({ token: tokenOf(reset), new_password: 'qwerty123' })
        .expect(422),
    ];
    for (const { body } of refused) {
      expect((body as { detail: object[] }).detail).toEqual([
        expect.objectContaining({
          type: 'common_password',
          msg: expect.stringContaining('10,000 most common') as string,
        }),
      ]);
    }
    const email = newEmail();
    expect(errorOf(await signUp(email, email).expect(422)).code).toBe('validation_failed');
  });
});

describe('an email address', () => {
  it('is confirmed by the token of the mail in the session of its account, once', async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const [mail] = await mails.to(person.email);
    const token = tokenOf(mail);
    const confirm = (cookie: string, value = token) =>
      call('post', '/v1/auth/email/confirm', cookie, { token: value });
    const stored = await api.pool.query('SELECT * FROM mail_tokens WHERE user_id = $1', [person.userId]);
    expect(JSON.stringify(stored.rows)).not.toContain(token);
    await confirm(person.cookie, `${token.slice(0, -1)}_`).expect(422);
    // A stolen link, or one that the owner of the address follows after another person signed up with the address.
    await confirm(other.cookie).expect(422);
    await confirm(person.cookie).expect(204);
    await confirm(person.cookie).expect(422);
    const security = await call('get', '/v1/auth/security', person.cookie).expect(200);
    expect(security.body).toMatchObject({ email: person.email, email_confirmed: true });
  });

  it('permits more than reading only after it is confirmed, with the rules of production', async () => {
    const email = newEmail();
    const cookie = cookieOf(await signUp(email, PASSWORD, strict).expect(201));
    const createKey = () => call('post', '/v1/keys', cookie, { name: 'k', scopes: ['agents:read'] }, strict);
    expect(errorOf(await createKey().expect(403)).code).toBe('email_unconfirmed');
    await call('get', '/v1/keys', cookie, undefined, strict).expect(200);
    await call('post', '/v1/auth/email/confirmation', cookie, undefined, strict).expect(202);
    const [mail] = await mails.to(email);
    await call('post', '/v1/auth/email/confirm', cookie, { token: tokenOf(mail) }, strict).expect(204);
    await createKey().expect(201);
  });
});

describe('a forgotten password', () => {
  const ask = (email: string) => request(api.url).post('/v1/auth/password-reset').send({ email });
  const reset = (token: string, password = OTHER) =>
    request(api.url).post('/v1/auth/password-reset/confirm').send({ token, new_password: password });
  const resetMails = async (email: string) =>
    (await mails.to(email)).filter(({ subject }) => subject === 'Reset your password');

  it('is replaced by the token of a mail, once, and every session ends', async () => {
    const person = await confirmedPerson();
    await ask(person.email.toUpperCase()).expect(202);
    const token = tokenOf((await resetMails(person.email))[0]);
    await reset(`${token.slice(0, -1)}_`).expect(422);
    await reset(token).expect(204);
    await call('get', '/v1/auth/me', person.cookie).expect(401);
    await logIn(person.email).expect(401);
    await logIn(person.email, OTHER).expect(200);
    await reset(token, 'one more passphrase').expect(422);
    expect((await mails.to(person.email)).map(({ subject }) => subject)).toContain(
      'Your password was changed',
    );
  });

  it('is not replaced by an expired token, nor by one that confirms an address', async () => {
    const person = await newPerson();
    await reset(tokenOf((await mails.to(person.email))[0])).expect(422);
    await ask(person.email).expect(202);
    const token = tokenOf((await resetMails(person.email))[0]);
    await api.pool.query(`UPDATE mail_tokens SET expires_at = now() - interval '1 s' WHERE user_id = $1`, [
      person.userId,
    ]);
    await reset(token).expect(422);
  });

  it('sends nothing to an address without an account, and one mail for requests of the same minute', async () => {
    const nobody = newEmail();
    await ask(nobody).expect(202);
    expect(await mails.to(nobody)).toEqual([]);
    const person = await confirmedPerson();
    for (let round = 0; round < 5; round += 1) await ask(person.email).expect(202);
    expect(await resetMails(person.email)).toHaveLength(1);
    await ask(person.email).expect(202);
    expect(await resetMails(person.email)).toHaveLength(1);
    await forgetGaps();
    expect(await resetMails(person.email)).toHaveLength(2);
  });

  it('is reset for an address that was not confirmed, which confirms it and ends what was made before', async () => {
    const person = await newPerson();
    const made = await call('post', '/v1/keys', person.cookie, { name: 'k', scopes: ['agents:read'] }).expect(
      201,
    );
    const production = sandboxMails(api.pool, { trustsUnconfirmed: false });
    await ask(person.email).expect(202);
    const mail = (await production.to(person.email)).find(({ subject }) => subject === 'Reset your password');
    production.close();
    await reset(tokenOf(mail)).expect(204);
    const { key } = made.body as { key: string };
    await request(api.url).get('/v1/keys').set('x-api-key', key).expect(401);
    const cookie = cookieOf(await logIn(person.email, OTHER).expect(200));
    const security = await call('get', '/v1/auth/security', cookie).expect(200);
    expect(security.body).toMatchObject({ email_confirmed: true, api_keys: 0, oauth_grants: 0 });
  });
});

describe('a change of the password', () => {
  const change = (cookie: string, more: object = {}) =>
    call('post', '/v1/auth/password', cookie, { old_password: PASSWORD, new_password: OTHER, ...more });
  const keyOf = async (cookie: string) => {
    const made = await call('post', '/v1/keys', cookie, { name: 'k', scopes: ['agents:read'] }).expect(201);
    return (made.body as { key: string }).key;
  };
  const isKey = (key: string) =>
    api.pool
      .query('SELECT FROM api_key_secrets WHERE sha256 = $1', [apiKeySha256(key)])
      .then(({ rowCount }) => rowCount === 1);

  it('ends tokens that reset it, and keeps keys unless asked, which the mail and the account say', async () => {
    const person = await confirmedPerson();
    const key = await keyOf(person.cookie);
    await request(api.url).post('/v1/auth/password-reset').send({ email: person.email }).expect(202);
    const token = tokenOf(
      (await mails.to(person.email)).find(({ subject }) => subject === 'Reset your password'),
    );
    const cookie = cookieOf(await change(person.cookie).expect(204));
    await request(api.url)
      .post('/v1/auth/password-reset/confirm')
      .send({ token, new_password: 'the password of a thief' })
      .expect(422);
    expect(await isKey(key)).toBe(true);
    const security = await call('get', '/v1/auth/security', cookie).expect(200);
    expect(security.body).toMatchObject({ api_keys: 1, oauth_grants: 0 });
    const all = await mails.to(person.email);
    expect(all.map(({ subject }) => subject)).toContain('An API key was created');
    const changed = all.find(({ subject }) => subject === 'Your password was changed');
    expect(changed?.text).toContain('API keys that still work: 1; OAuth grants that still work: 0.');
  });

  it('ends keys and grants when it is asked to', async () => {
    const person = await confirmedPerson();
    const key = await keyOf(person.cookie);
    await api.pool.query(
      `INSERT INTO api_keys (key_id, user_id, kind, name, scopes, expires_at)
       VALUES ('key_' || md5($1), $1, 'oauth', 'client', '{agents:read}', now() + interval '1 day')`,
      [person.userId],
    );
    await change(person.cookie, { end_keys: 'yes' }).expect(422);
    const cookie = cookieOf(await change(person.cookie, { end_keys: true, end_grants: true }).expect(204));
    expect(await isKey(key)).toBe(false);
    const security = await call('get', '/v1/auth/security', cookie).expect(200);
    expect(security.body).toMatchObject({ api_keys: 0, oauth_grants: 0 });
  });
});

describe('sessions', () => {
  interface Session {
    session_id: string;
    current: boolean;
    user_agent: string | null;
    network: string | null;
  }
  const list = async (cookie: string) =>
    ((await call('get', '/v1/auth/sessions', cookie).expect(200)).body as { items: Session[] }).items;

  it('are listed and ended by their owner alone', async () => {
    const person = await newPerson();
    const stranger = await newPerson();
    const second = cookieOf(await logIn(person.email).set('user-agent', 'phone/1.0'));
    const sessions = await list(person.cookie);
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    const phone = sessions.find(({ user_agent }) => user_agent === 'phone/1.0');
    expect(phone).toMatchObject({ current: false, network: expect.stringContaining('127.0.0.1') as string });
    expect(second).not.toContain(phone?.session_id.slice(4));
    const path = `/v1/auth/sessions/${phone?.session_id}`;
    await call('delete', path, stranger.cookie).expect(404);
    await call('delete', path, person.cookie).expect(204);
    await call('delete', path, person.cookie).expect(404);
    await call('get', '/v1/auth/me', second).expect(401);
    await call('get', '/v1/auth/me', person.cookie).expect(200);
  });

  it('end but for that of the request, and are paged', async () => {
    const person = await newPerson();
    const others = [cookieOf(await logIn(person.email)), cookieOf(await logIn(person.email))];
    const first = await call('get', '/v1/auth/sessions?limit=2', person.cookie).expect(200);
    const { next_cursor: cursor } = first.body as { next_cursor: string };
    const second = await call('get', `/v1/auth/sessions?limit=2&cursor=${cursor}`, person.cookie).expect(200);
    expect((second.body as { items: Session[] }).items).toHaveLength(1);
    await call('delete', '/v1/auth/sessions', person.cookie).expect(204);
    for (const cookie of others) await call('get', '/v1/auth/me', cookie).expect(401);
    expect(await list(person.cookie)).toEqual([expect.objectContaining({ current: true })]);
  });

  it('are at most 100: the oldest ends', async () => {
    const person = await newPerson();
    await api.pool.query(
      `INSERT INTO sessions (sid, sess, expire) SELECT 'made-' || $1 || n, json_build_object('passport', json_build_object('user', $1::text)), now() + n * interval '1 s' FROM generate_series(1, 130) n`,
      [person.userId],
    );
    await logIn(person.email).expect(200);
    const { rowCount } = await api.pool.query(
      `SELECT FROM sessions WHERE sess -> 'passport' ->> 'user' = $1`,
      [person.userId],
    );
    expect(rowCount).toBeLessThanOrEqual(101);
  });

  it('are deleted in batches after they have expired, and no others', async () => {
    const expired = `INSERT INTO sessions SELECT 'expired-' || n, '{}', now() - interval '1 s' FROM generate_series(1, 2100) n`;
    await api.pool.query(expired);
    const count = async () => {
      const { rows } = await api.pool.query(
        `SELECT count(*) FILTER (WHERE expire < now())::int AS expired, count(*) FILTER (WHERE expire > now())::int AS live FROM sessions`,
      );
      return rows[0] as { expired: number; live: number };
    };
    const { live } = await count();
    await createSessionList({ pool: api.pool }).purge();
    expect(await count()).toEqual({ expired: 0, live });
    expect(live).toBeGreaterThan(0);
  });
});

describe('an authenticator app', () => {
  /** Codes of the app for the next steps, so that a test needs not wait for a new one. */
  async function enrol(person: Person) {
    const begun = await call('post', '/v1/auth/authenticator', person.cookie, { password: PASSWORD }).expect(
      200,
    );
    const app = URI.parse((begun.body as { otpauth_uri: string }).otpauth_uri);
    if (!('period' in app)) throw new Error('not TOTP');
    const codeAt = (steps: number) => app.generate({ timestamp: Date.now() + steps * 30_000 });
    const confirmed = await call('post', '/v1/auth/authenticator/confirm', person.cookie, {
      totp_code: codeAt(-1),
    }).expect(200);
    return { codeAt, recoveryCodes: (confirmed.body as { recovery_codes: string[] }).recovery_codes };
  }
  /** Forgets which codes were used. */
  const forgetSteps = (person: Person) =>
    api.pool.query('UPDATE authenticators SET last_step = 0 WHERE user_id = $1', [person.userId]);

  it('is needed to log in once it is enrolled; each code works once', async () => {
    const person = await newPerson();
    await call('post', '/v1/auth/authenticator', person.cookie, { password: 'wrong' }).expect(401);
    const elsewhere = cookieOf(await logIn(person.email));
    const { codeAt, recoveryCodes } = await enrol(person);
    await call('get', '/v1/auth/me', elsewhere).expect(401);
    await call('get', '/v1/auth/me', person.cookie).expect(200);
    expect(errorOf(await logIn(person.email).expect(401)).code).toBe('second_factor_required');
    expect(errorOf(await logIn(person.email, 'wrong password').expect(401)).code).toBe('invalid_credentials');
    const code = codeAt(0);
    await logIn(person.email, PASSWORD, { totp_code: code }).expect(200);
    expect(errorOf(await logIn(person.email, PASSWORD, { totp_code: code }).expect(401)).message).toContain(
      'used before',
    );
    await logIn(person.email, 'wrong password', { totp_code: codeAt(1) }).expect(401);
    const [recovery = ''] = recoveryCodes;
    expect(recoveryCodes).toHaveLength(10);
    await logIn(person.email, PASSWORD, { totp_code: recovery.toUpperCase() }).expect(200);
    await logIn(person.email, PASSWORD, { totp_code: recovery }).expect(401);
    const subjects = (await mails.to(person.email)).map(({ subject }) => subject);
    expect(subjects).toEqual(
      expect.arrayContaining(['An authenticator app was added', 'A recovery code was used']),
    );
    const stored = await api.pool.query(
      'SELECT * FROM authenticators NATURAL JOIN recovery_codes WHERE user_id = $1',
      [person.userId],
    );
    expect(stored.rowCount).toBe(9);
  });

  it('accepts a code with blanks, and does not count malformed codes as guesses', async () => {
    const person = await newPerson();
    const { codeAt, recoveryCodes } = await enrol(person);
    const [recovery = ''] = recoveryCodes;
    for (const text of ['12345', 'no code', '1234567', '\u00a0', `${recovery}a`]) {
      for (let round = 0; round < 4; round += 1)
        await logIn(person.email, PASSWORD, { totp_code: text }).expect(401);
    }
    const code = codeAt(0);
    const typed = `\u2007${code.slice(0, 3)}\u00a0${code.slice(3)}\u200b `;
    await logIn(person.email, PASSWORD, { totp_code: typed }).expect(200);
    await logIn(person.email, PASSWORD, { totp_code: recovery.replaceAll('-', ' ') }).expect(200);
  });

  it('stays in use after a reset of the password', async () => {
    const person = await confirmedPerson();
    const { codeAt } = await enrol(person);
    await request(api.url).post('/v1/auth/password-reset').send({ email: person.email }).expect(202);
    const mail = (await mails.to(person.email)).find(({ subject }) => subject === 'Reset your password');
    await request(api.url)
      .post('/v1/auth/password-reset/confirm')
      .send({ token: tokenOf(mail), new_password: OTHER })
      .expect(204);
    await logIn(person.email, OTHER).expect(401);
    await logIn(person.email, OTHER, { totp_code: codeAt(0) }).expect(200);
  });

  it('is removed with a code, and then not needed any more', async () => {
    const person = await newPerson();
    const { codeAt } = await enrol(person);
    await call('post', '/v1/auth/authenticator', person.cookie, { password: PASSWORD }).expect(409);
    await call('post', '/v1/auth/authenticator/remove', person.cookie, { totp_code: '000000x' }).expect(401);
    await call('post', '/v1/auth/authenticator/remove', person.cookie, { totp_code: codeAt(0) }).expect(204);
    await logIn(person.email).expect(200);
  });

  it('is required of operators with the rules of production, and of every account that enrolled one', async () => {
    const person = await confirmedPerson();
    await api.pool.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [person.userId]);
    const act = (cookie: string, at = api) => call('get', '/v1/operator/test', cookie, undefined, at);
    await act(person.cookie).expect(200);
    expect(errorOf(await act(person.cookie, strict).expect(403)).message).toContain('market totp enrol');
    const before = person.cookie;
    const { codeAt } = await enrol(person);
    await act(before, strict).expect(200);
    await forgetSteps(person);
    // A session that began without a code, such as one of a role that was granted later.
    await api.pool.query(
      `UPDATE sessions SET sess = (sess::jsonb - 'secondFactor')::json WHERE sess -> 'passport' ->> 'user' = $1`,
      [person.userId],
    );
    for (const at of [api, strict]) {
      expect(errorOf(await act(before, at).expect(401)).code).toBe('second_factor_required');
    }
    const cookie = cookieOf(await logIn(person.email, PASSWORD, { totp_code: codeAt(0) }).expect(200));
    await act(cookie, strict).expect(200);
    const changed = await call('post', '/v1/auth/password', cookie, {
      old_password: PASSWORD,
      new_password: OTHER,
    }).expect(204);
    await act(cookieOf(changed), strict).expect(200);
  });

  it('does not replace the confirmed address of an operator with the rules of production', async () => {
    const person = await newPerson();
    await api.pool.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [person.userId]);
    await enrol(person);
    const refused = await call('get', '/v1/operator/test', person.cookie, undefined, strict).expect(403);
    expect(errorOf(refused).code).toBe('email_unconfirmed');
  });
});
