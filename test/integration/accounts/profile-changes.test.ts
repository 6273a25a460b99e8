/** What a person changes at the own account: name, email address, the role of a seller. */
import { type TOTP, URI } from 'otpauth';
import request from 'supertest';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { sandboxMails, tokenOf } from '../../support/accounts/mails';
import { newSlug } from '../../support/names';

const PASSWORD = 'correct horse battery';

let api: TestApi;
let mails: ReturnType<typeof sandboxMails>;
beforeAll(async () => {
  api = await startTestApi({ env: { EMAIL_CONFIRMATION: 'required' } });
  mails = sandboxMails(api.pool);
});
afterAll(async () => {
  await api.close();
  mails.close();
});

interface Person {
  email: string;
  cookie: string;
  userId: string;
}

const newEmail = () => `${newSlug('person')}@example.com`;

async function signUp(name = 'Ada Lovelace', role = 'buyer'): Promise<Person> {
  const email = newEmail();
  const body = { email, password: PASSWORD, displayName: name, role };
  const answer = await request(api.url).post('/v1/auth/register').send(body).expect(201);
  const cookies = answer.headers['set-cookie'] as unknown as string[];
  return {
    email,
    cookie: cookies[0]?.split(';')[0] ?? '',
    userId: (answer.body as { user_id: string }).user_id,
  };
}

const send = (person: Person, method: 'get' | 'post' | 'patch', path: string, body?: object) => {
  const sent = request(api.url)[method](path).set('cookie', person.cookie);
  return body ? sent.send(body) : sent;
};
const ask = (person: Person, email: string, more: object = {}) =>
  send(person, 'post', '/v1/auth/email', { email, password: PASSWORD, ...more });
const confirm = (person: Person, token: string) => send(person, 'post', '/v1/auth/email/confirm', { token });
const security = async (person: Person) =>
  (await send(person, 'get', '/v1/auth/security').expect(200)).body as Record<string, unknown>;
const codeOf = (answer: request.Response) => (answer.body as { error: { code: string } }).error.code;
const logIn = (email: string) => request(api.url).post('/v1/auth/login').send({ email, password: PASSWORD });

describe('a change of the email address', () => {
  it('waits for the new address to be confirmed, by the link of the mail, and reports to the old one', async () => {
    const person = await signUp();
    const next = newEmail();
    await ask(person, next.toUpperCase()).expect(202);
    expect(await security(person)).toMatchObject({
      email: person.email,
      pending_email: next,
      email_confirmed: false,
    });
    await logIn(next).expect(401);

    const [mail] = await mails.to(next);
    const token = tokenOf(mail);
    expect(mail?.subject).toBe('Confirm your new email address');
    expect(mail?.text).toContain(`https://market.example/console/confirm-email#${token}\n`);
    const toOld = (await mails.to(person.email)).map(({ subject }) => subject);
    expect(toOld).toContain('A change of your email address was asked for');

    await confirm(await signUp(), token).expect(422);
    await confirm(person, token).expect(204);
    expect(await security(person)).toMatchObject({ email: next, pending_email: null, email_confirmed: true });
    await logIn(person.email).expect(401);
    await logIn(next).expect(200);
    const last = (await mails.to(person.email)).at(-1);
    expect(last?.subject).toBe('Your email address was changed');
    await confirm(person, token).expect(422);
  });

  it('makes every token useless that the address before, or an earlier wish, was sent', async () => {
    const person = await signUp();
    await request(api.url).post('/v1/auth/password-reset').send({ email: person.email }).expect(202);
    const toOld = await mails.to(person.email);
    const confirmation = tokenOf(toOld.find(({ subject }) => subject === 'Confirm your email address'));
    const reset = tokenOf(toOld.find(({ subject }) => subject === 'Reset your password'));

    const [first, second] = [newEmail(), newEmail()];
    await ask(person, first).expect(202);
    const ofFirst = tokenOf((await mails.to(first))[0]);
    await ask(person, second).expect(202);
    await api.pool.query('UPDATE mails SET due_at = now() WHERE due_at IS NOT NULL');
    const ofSecond = tokenOf((await mails.to(second))[0]);
    await confirm(person, ofFirst).expect(422);
    await confirm(person, ofSecond).expect(204);

    await confirm(person, confirmation).expect(422);
    const taken = { token: reset, new_password: 'another long passphrase' };
    await request(api.url).post('/v1/auth/password-reset/confirm').send(taken).expect(422);
    await logIn(second).expect(200);
  });

  it('needs the password, the code of an authenticator app, and an address without an account', async () => {
    const [person, other] = [await signUp(), await signUp()];
    expect(codeOf(await ask(person, newEmail(), { password: 'wrong' }).expect(401))).toBe(
      'invalid_credentials',
    );
    expect(codeOf(await ask(person, other.email).expect(409))).toBe('email_taken');
    await ask(person, 'nowhere').expect(422);
    const begun = await send(person, 'post', '/v1/auth/authenticator', { password: PASSWORD }).expect(200);
    const app = URI.parse((begun.body as { otpauth_uri: string }).otpauth_uri) as TOTP;
    await send(person, 'post', '/v1/auth/authenticator/confirm', { totp_code: app.generate() }).expect(200);
    expect(codeOf(await ask(person, newEmail()).expect(401))).toBe('second_factor_required');
    const code = app.generate({ timestamp: Date.now() + 30_000 });
    await ask(person, newEmail(), { totp_code: code }).expect(202);
  });

  it('is withdrawn by the present address, and by a new password', async () => {
    const person = await signUp();
    await ask(person, newEmail()).expect(202);
    await ask(person, person.email).expect(202);
    expect(await security(person)).toMatchObject({ pending_email: null });

    const next = newEmail();
    await ask(person, next).expect(202);
    const token = tokenOf((await mails.to(next))[0] ?? (await resent(person, next)));
    const change = { old_password: PASSWORD, new_password: 'another long passphrase' };
    const changed = await send(person, 'post', '/v1/auth/password', change).expect(204);
    const cookie = (changed.headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '';
    await confirm({ ...person, cookie }, token).expect(422);
    expect(await security({ ...person, cookie })).toMatchObject({ pending_email: null, email: person.email });
  });

  it('ends with email_taken when another account has taken the address meanwhile', async () => {
    const person = await signUp();
    const next = newEmail();
    await ask(person, next).expect(202);
    const token = tokenOf((await mails.to(next))[0]);
    const body = { email: next, password: PASSWORD, displayName: 'Grace', role: 'buyer' };
    await request(api.url).post('/v1/auth/register').send(body).expect(201);
    expect(codeOf(await confirm(person, token).expect(409))).toBe('email_taken');
    expect(await security(person)).toMatchObject({ email: person.email });
  });

  it('is asked for ten times an hour at most', async () => {
    const person = await signUp();
    for (let asked = 0; asked < 10; asked += 1) await ask(person, newEmail()).expect(202);
    expect(codeOf(await ask(person, newEmail()).expect(429))).toBe('rate_limited');
  });

  /** The mail of a wish that came within a minute of another one. */
  async function resent(person: Person, address: string) {
    await send(person, 'post', '/v1/auth/email/confirmation').expect(202);
    await api.pool.query('UPDATE mails SET due_at = now() WHERE due_at IS NOT NULL');
    return (await mails.to(address))[0];
  }
});

describe('a mail', () => {
  it('leads to a page of the console, with its token where no server receives it', async () => {
    const person = await signUp();
    await request(api.url).post('/v1/auth/password-reset').send({ email: person.email }).expect(202);
    const received = await mails.to(person.email);
    for (const [subject, page] of [
      ['Confirm your email address', 'confirm-email'],
      ['Reset your password', 'reset-password'],
    ] as const) {
      const mail = received.find((one) => one.subject === subject);
      expect(mail?.text).toContain(`https://market.example/console/${page}#${tokenOf(mail)}\n`);
    }
  });
});

describe('a profile', () => {
  it('gets another name, and keeps the developer id', async () => {
    const person = await signUp('Ada Byron', 'developer');
    const before = (await send(person, 'get', '/v1/auth/me')).body as { developer_id: string };
    const renamed = await send(person, 'patch', '/v1/auth/me', { displayName: 'Ada Lovelace' }).expect(200);
    expect(renamed.body).toMatchObject({ displayName: 'Ada Lovelace', developer_id: before.developer_id });
    await send(person, 'patch', '/v1/auth/me', { displayName: ' ' }).expect(422);
    await send(person, 'patch', '/v1/auth/me', { displayName: 'x'.repeat(81) }).expect(422);
  });

  it('of a buyer becomes that of a developer, once, with the same wallet and an id of its own', async () => {
    const name = `Seller ${newSlug('name')}`;
    const [first, second] = [await signUp(name), await signUp(name)];
    const start = async (person: Person) =>
      (await send(person, 'post', '/v1/users/start-selling').expect(200)).body as Record<string, unknown>;
    const [one, two] = [await start(first), await start(second)];
    expect(one).toMatchObject({ role: 'developer', user_id: first.userId, registration_paid: false });
    expect(one['developer_id']).toMatch(/^dev_seller-/);
    expect(two['developer_id']).toBe(`${String(one['developer_id'])}-2`);
    expect(await start(first)).toEqual(one);
    expect((await send(first, 'get', '/v1/auth/me').expect(200)).body).toEqual({ ...one, acting_for: null });
  });
});

describe('a time zone', () => {
  it.each([
    // The clock goes on in Berlin: a day of 23 hours, and one of 25.
    ['day', '2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['day', '2026-10-25T12:00:00Z', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['week', '2026-03-29T22:00:00Z', 'Europe/Berlin', '2026-03-29T22:00:00.000Z', '2026-04-05T22:00:00.000Z'],
    [
      'month',
      '2026-10-31T23:30:00Z',
      'Europe/Berlin',
      '2026-10-31T23:00:00.000Z',
      '2026-11-30T23:00:00.000Z',
    ],
    ['month', '2028-02-29T23:59:59Z', 'UTC', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['month', '2026-01-31T10:59:59Z', 'Pacific/Apia', '2025-12-31T11:00:00.000Z', '2026-01-31T11:00:00.000Z'],
    ['week', '2026-12-31T23:59:59Z', 'UTC', '2026-12-28T00:00:00.000Z', '2027-01-04T00:00:00.000Z'],
    // Midnight comes twice in Havana, and does not come in Cairo.
    ['day', '2026-11-01T04:30:00Z', 'America/Havana', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    ['day', '2026-11-01T05:30:00Z', 'America/Havana', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    ['day', '2026-04-24T10:00:00Z', 'Africa/Cairo', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
  ])('is for the %s of %s in %s', async (window, at, zone, start, end) => {
    const { rows } = await api.pool.query<{ start: Date; end: Date }>(
      `SELECT budget_window_start($1, $2, $3) AS start, budget_window_end($1, $2, $3) AS end`,
      [window, at, zone],
    );
    expect(rows.map((row) => [row.start.toISOString(), row.end.toISOString()])).toEqual([[start, end]]);
  });
});
