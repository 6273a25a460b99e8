/** Organisations: members with roles act for one owner of wallet, keys and agents (docs/organisations.md). */
import { type TOTP, URI } from 'otpauth';
import { mailBox } from '../../support/accounts/mails';
import { balance, eventually, putLive, register, type TestUser, topUp } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

const box = mailBox();
const market = useMarket({ env: { MAIL_URL: box.url } });
const agent = useAgent();
afterAll(() => box.close());

interface Reply<T = Record<string, unknown>> {
  status: number;
  body: T;
  cookie: string;
}
interface Asked {
  cookie?: string;
  key?: string;
  owner?: string;
  body?: unknown;
}

async function ask<T = Record<string, unknown>>(
  method: string,
  path: string,
  asked: Asked,
): Promise<Reply<T>> {
  const response = await fetch(market.url + path, {
    method,
    headers: {
      ...(asked.cookie !== undefined && { cookie: asked.cookie }),
      ...(asked.key !== undefined && { 'x-api-key': asked.key }),
      ...(asked.owner !== undefined && { 'x-owner': asked.owner }),
      ...(asked.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return { status: response.status, body: (isJson ? JSON.parse(text) : text) as T, cookie };
}

const codeOf = ({ status, body }: Reply) => [status, (body as { error?: { code: string } }).error?.code];

async function found(owner: TestUser, name = 'Engines'): Promise<string> {
  const { status, body } = await ask<{ org_id: string }>('POST', '/v1/organisations', {
    cookie: owner.cookie,
    body: { name },
  });
  expect(status).toBe(201);
  return body.org_id;
}

const confirm = ({ userId }: TestUser) =>
  market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [userId]);

async function invite(orgId: string, by: TestUser, email: string, role: string): Promise<string> {
  const reply = await ask('POST', `/v1/organisations/${orgId}/invitations`, {
    cookie: by.cookie,
    body: { email, role },
  });
  expect(reply.status).toBe(201);
  const invitations = () => box.to(email).filter(({ subject }) => subject.includes('invited'));
  const before = invitations().length;
  await market.container.mails.ofAccounts.send();
  await eventually(() => invitations().length > Math.max(0, before - 1));
  const mail = invitations().at(-1);
  return /#(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
}

const accept = (member: TestUser, token: string) =>
  ask('POST', '/v1/organisations/invitations/accept', { cookie: member.cookie, body: { token } });

async function join(orgId: string, by: TestUser, role: string): Promise<TestUser> {
  const member = await register(market, 'buyer');
  await confirm(member);
  expect((await accept(member, await invite(orgId, by, member.email, role))).status).toBe(200);
  return member;
}

describe('an invitation', () => {
  it('is refused for another address and an unconfirmed one, and works once', async () => {
    const owner = await register(market, 'buyer');
    const orgId = await found(owner);
    const [member, other] = [await register(market, 'buyer'), await register(market, 'buyer')];
    const token = await invite(orgId, owner, member.email, 'viewer');
    await confirm(other);
    expect(codeOf(await accept(other, token))).toEqual([403, 'forbidden']);
    expect(codeOf(await accept(member, token))).toEqual([403, 'forbidden']);
    await confirm(member);
    expect((await accept(member, token)).body).toMatchObject({ org_id: orgId, role: 'viewer' });
    expect(codeOf(await accept(member, token))).toEqual([404, 'not_found']);
  });

  it('is not valid any more once it was revoked, or its organisation has ended', async () => {
    const owner = await register(market, 'buyer');
    const orgId = await found(owner);
    const member = await register(market, 'buyer');
    await confirm(member);
    const token = await invite(orgId, owner, member.email, 'buyer');
    const list = await ask<{ items: { invitation_id: string }[] }>(
      'GET',
      `/v1/organisations/${orgId}/invitations`,
      {
        cookie: owner.cookie,
      },
    );
    const path = `/v1/organisations/${orgId}/invitations/${list.body.items[0]?.invitation_id}`;
    expect((await ask('DELETE', path, { cookie: owner.cookie })).status).toBe(204);
    expect(codeOf(await accept(member, token))).toEqual([404, 'not_found']);
    const again = await invite(orgId, owner, member.email, 'buyer');
    await market.owner.query('UPDATE organisations SET ended_at = now() WHERE org_id = $1', [orgId]);
    expect(codeOf(await accept(member, again))).toEqual([404, 'not_found']);
  });

  it('is given by admins for all roles but owner', async () => {
    const owner = await register(market, 'buyer');
    const orgId = await found(owner);
    const admin = await join(orgId, owner, 'admin');
    const body = { email: 'someone@example.test', role: 'owner' };
    const path = `/v1/organisations/${orgId}/invitations`;
    expect(codeOf(await ask('POST', path, { cookie: admin.cookie, body }))).toEqual([403, 'forbidden']);
    const smaller = { ...body, role: 'finance' };
    expect((await ask('POST', path, { cookie: admin.cookie, body: smaller })).status).toBe(201);
    expect(codeOf(await ask('POST', path, { cookie: admin.cookie, body: smaller }))).toEqual([
      409,
      'invalid_state',
    ]);
  });
});

describe('a member', () => {
  let owner: TestUser;
  let orgId: string;
  let agentId: string;
  beforeAll(async () => {
    owner = await register(market, 'buyer');
    orgId = await found(owner);
    await topUp(market.owner, orgId, 100);
    const developer = await register(market, 'developer');
    ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 }));
  });

  const call = (asked: Asked) =>
    ask('POST', `/v1/agents/${agentId}/invoke`, { ...asked, body: { input: { text: 'hello' } } });

  it('calls with the credits of the organisation, by header, by the chosen owner and by a key', async () => {
    const buyer = await join(orgId, owner, 'buyer');
    expect((await call({ cookie: buyer.cookie, owner: orgId })).status).toBe(200);
    const choose = (who: string | null) =>
      ask('PUT', '/v1/auth/owner', { cookie: buyer.cookie, body: { owner: who } });
    expect((await choose(orgId)).status).toBe(204);
    expect((await call({ cookie: buyer.cookie })).status).toBe(200);
    const made = await ask<{ key: string }>('POST', '/v1/keys', {
      cookie: buyer.cookie,
      body: { name: 'k', scopes: ['agents:invoke', 'billing:read'] },
    });
    const { key } = made.body;
    expect((await call({ key })).status).toBe(200);
    expect((await ask('GET', '/v1/billing/balance', { key })).body).toMatchObject({ available_credits: 85 });
    expect(codeOf(await call({ key, owner: buyer.userId }))).toEqual([404, 'not_found']);
    expect((await choose(null)).status).toBe(204);
    expect(codeOf(await call({ cookie: buyer.cookie }))).toEqual([402, 'insufficient_credits']);
    expect(await balance(market.owner, orgId, 'wallet')).toBe(8_500);
  });

  it('loses access, keys and chosen owner at once when it is removed, and the log says who did it', async () => {
    const buyer = await join(orgId, owner, 'buyer');
    const { key } = (
      await ask<{ key: string }>('POST', '/v1/keys', {
        cookie: buyer.cookie,
        owner: orgId,
        body: { name: 'k', scopes: ['agents:invoke'] },
      })
    ).body;
    await ask('PUT', '/v1/auth/owner', { cookie: buyer.cookie, body: { owner: orgId } });
    const path = `/v1/organisations/${orgId}/members/${buyer.userId}`;
    expect((await ask('DELETE', path, { cookie: owner.cookie })).status).toBe(204);
    expect(codeOf(await call({ key }))).toEqual([401, 'not_authenticated']);
    expect(codeOf(await call({ cookie: buyer.cookie }))).toEqual([404, 'not_found']);
    expect(codeOf(await call({ cookie: buyer.cookie, owner: orgId }))).toEqual([404, 'not_found']);
    const log = await ask<{ items: unknown[] }>('GET', `/v1/organisations/${orgId}/log`, {
      cookie: owner.cookie,
    });
    expect(log.body.items).toContainEqual(
      expect.objectContaining({
        operation: 'createKey',
        user_id: buyer.userId,
        key_id: null,
        outcome: 'done',
      }),
    );
    expect(log.body.items).toContainEqual(
      expect.objectContaining({ operation: 'removeMember', user_id: owner.userId }),
    );
    const csv = await ask<string>('GET', `/v1/organisations/${orgId}/log.csv`, { cookie: owner.cookie });
    expect(csv.body).toContain('removeMember');
    const made = await ask<string>(
      'GET',
      `/v1/organisations/${orgId}/log.csv?operation=createKey&user_id=${buyer.userId}`,
      {
        cookie: owner.cookie,
      },
    );
    expect(made.body.trim().split('\n')).toHaveLength(2);
  });

  it('reads in the balance that the wallet of the organisation is frozen, but not of their own', async () => {
    const buyer = await join(orgId, owner, 'buyer');
    const balance = async (of: object) =>
      (await ask<{ wallet_frozen?: object }>('GET', '/v1/billing/balance', { cookie: buyer.cookie, ...of }))
        .body;
    expect(await balance({ owner: orgId })).not.toHaveProperty('wallet_frozen');
    await market.owner.query('SELECT wallet_set_frozen($1, true)', [orgId]);
    expect((await balance({ owner: orgId })).wallet_frozen).toMatchObject({
      cause: 'operator',
      owed_credits: 0,
    });
    expect(await balance({})).not.toHaveProperty('wallet_frozen');
    await market.owner.query('SELECT wallet_set_frozen($1, false)', [orgId]);
  });

  it('lists its log by member, operation and time', async () => {
    const admin = await join(orgId, owner, 'admin');
    const from = (cookie: string, name: string) =>
      ask('PATCH', `/v1/organisations/${orgId}`, { cookie, body: { name } });
    await from(owner.cookie, 'First');
    const between = new Date().toISOString();
    await from(admin.cookie, 'Second');
    await from(admin.cookie, 'Third');
    const log = async (query: Record<string, string>) => {
      const path = `/v1/organisations/${orgId}/log?${new URLSearchParams(query).toString()}`;
      const page = await ask<{ items: Record<string, string>[]; next_cursor: string | null }>('GET', path, {
        cookie: owner.cookie,
      });
      expect(page.status).toBe(200);
      return page.body;
    };
    const operation = 'changeOrganisation';
    const by = async (query: Record<string, string>) =>
      (await log({ operation, ...query })).items.map(({ user_id: id }) => id);
    expect(await by({})).toEqual([admin.userId, admin.userId, owner.userId]);
    expect(await by({ user_id: admin.userId })).toEqual([admin.userId, admin.userId]);
    expect(await by({ since: between })).toEqual([admin.userId, admin.userId]);
    expect(await by({ until: between })).toEqual([owner.userId]);
    expect(await by({ since: between, until: between })).toEqual([]);
    const first = await log({ operation, user_id: admin.userId, limit: '1' });
    const second = await log({
      operation,
      user_id: admin.userId,
      limit: '1',
      cursor: first.next_cursor ?? '',
    });
    expect(second.items).toHaveLength(1);
    expect(second.items[0]).not.toEqual(first.items[0]);
    const other = await ask(
      'GET',
      `/v1/organisations/${orgId}/log?operation=createKey&cursor=${first.next_cursor}`,
      {
        cookie: owner.cookie,
      },
    );
    expect(codeOf(other)).toEqual([422, 'validation_failed']);
    expect(
      codeOf(await ask('GET', `/v1/organisations/${orgId}/log?since=2026-02-30`, { cookie: owner.cookie })),
    ).toEqual([422, 'validation_failed']);
  });

  it('does what the role allows, and is 404 to people who are no members', async () => {
    const viewer = await join(orgId, owner, 'viewer');
    const stranger = await register(market, 'buyer');
    const read = (cookie: string) => ask('GET', '/v1/billing/balance', { cookie, owner: orgId });
    expect((await read(viewer.cookie)).status).toBe(200);
    expect(codeOf(await read(stranger.cookie))).toEqual([404, 'not_found']);
    expect(codeOf(await call({ cookie: viewer.cookie, owner: orgId }))).toEqual([403, 'forbidden']);
    const path = `/v1/organisations/${orgId}/members`;
    expect((await ask('GET', path, { cookie: viewer.cookie })).status).toBe(200);
    expect(codeOf(await ask('GET', path, { cookie: stranger.cookie }))).toEqual([404, 'not_found']);
    expect(codeOf(await read('')).slice(0, 1)).toEqual([401]);
    expect(
      codeOf(await ask('GET', '/v1/billing/balance', { cookie: viewer.cookie, owner: 'org_x' })),
    ).toEqual([404, 'not_found']);
  });

  it('acts with a second factor where the organisation demands one', async () => {
    const mine = await found(owner);
    const change = await ask('PATCH', `/v1/organisations/${mine}`, {
      cookie: owner.cookie,
      body: { require_second_factor: true },
    });
    expect(codeOf(change)).toEqual([401, 'second_factor_required']);
    await market.owner.query('UPDATE organisations SET require_second_factor = true WHERE org_id = $1', [
      mine,
    ]);
    expect(codeOf(await ask('GET', '/v1/billing/balance', { cookie: owner.cookie, owner: mine }))).toEqual([
      403,
      'forbidden',
    ]);
  });
});

it('keeps one owner when two owners remove each other at the same moment', async () => {
  const first = await register(market, 'buyer');
  const orgId = await found(first);
  const second = await join(orgId, first, 'owner');
  const remove = (by: TestUser, who: TestUser) =>
    ask('DELETE', `/v1/organisations/${orgId}/members/${who.userId}`, { cookie: by.cookie });
  const replies = await Promise.all([remove(first, second), remove(second, first)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([204, 404]);
  const left = replies[0]?.status === 204 ? first : second;
  expect(codeOf(await remove(left, left))).toEqual([409, 'invalid_state']);
});

it('turns an account into an organisation that keeps agents, credits, keys and history', async () => {
  const developer = await register(market, 'developer', 50);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 });
  const { key } = (
    await ask<{ key: string }>('POST', '/v1/keys', {
      cookie: developer.cookie,
      body: { name: 'k', scopes: ['agents:invoke', 'agents:publish'] },
    })
  ).body;
  const converted = await ask<{ user_id: string }>('POST', '/v1/organisations/convert', {
    cookie: developer.cookie,
    body: { name: 'Engines', password: 'correct horse battery' },
  });
  expect(converted.body).toMatchObject({ organisation: { org_id: developer.userId, role: 'owner' } });
  expect((await ask('GET', '/v1/auth/me', { cookie: developer.cookie })).body).toMatchObject({
    user_id: converted.body.user_id,
    email: developer.email,
    role: 'buyer',
  });
  const asOrg = { cookie: developer.cookie, owner: developer.userId };
  expect((await ask('GET', '/v1/billing/balance', asOrg)).body).toMatchObject({ available_credits: 50 });
  const call = await ask('POST', `/v1/agents/${agentId}/invoke`, { key, body: { input: { text: 'hello' } } });
  expect(call.status).toBe(200);
  expect((await ask('GET', `/v1/developer/agents/${agentId}`, { key })).status).toBe(200);
  const login = await ask('POST', '/v1/auth/login', {
    body: { email: developer.email, password: 'correct horse battery' },
  });
  expect(login.body).toMatchObject({ user_id: converted.body.user_id });
});

it('moves the authenticator app to the account that takes over the login', async () => {
  const person = await register(market, 'buyer');
  const begun = await ask<{ otpauth_uri: string }>('POST', '/v1/auth/authenticator', {
    cookie: person.cookie,
    body: { password: 'correct horse battery' },
  });
  const app = URI.parse(begun.body.otpauth_uri) as TOTP;
  const codeAt = (steps: number) => app.generate({ timestamp: Date.now() + steps * 30_000 });
  const path = '/v1/auth/authenticator/confirm';
  const confirmed = await ask('POST', path, { cookie: person.cookie, body: { totp_code: codeAt(-1) } });
  expect(confirmed.status).toBe(200);
  const credentials = { email: person.email, password: 'correct horse battery' };
  const logIn = (steps: number) =>
    ask('POST', '/v1/auth/login', { body: { ...credentials, totp_code: codeAt(steps) } });
  const { cookie } = await logIn(0);
  const body = { name: 'Engines', password: credentials.password };
  expect((await ask('POST', '/v1/organisations/convert', { cookie, body })).status).toBe(200);
  await market.owner.query('UPDATE authenticators SET last_step = 0');
  expect((await logIn(1)).status).toBe(200);
});

describe('what people outside of an organisation do to it', () => {
  it('leaves no entry in its log, and is 404, also for an organisation that does not exist', async () => {
    const owner = await register(market, 'buyer');
    const orgId = await found(owner);
    const stranger = await register(market, 'buyer');
    for (const org of [orgId, `org_${'0'.repeat(32)}`]) {
      const path = `/v1/organisations/${org}/invitations`;
      const body = { email: 'a@example.test', role: 'owner' };
      expect(codeOf(await ask('POST', path, { cookie: stranger.cookie, body }))).toEqual([404, 'not_found']);
    }
    const log = await ask('GET', `/v1/organisations/${orgId}/log`, { cookie: owner.cookie });
    expect(log.body).toEqual({ items: [], next_cursor: null });
  });
});

it('demands the second factor for changes of the organisation itself, too', async () => {
  const owner = await register(market, 'buyer');
  const orgId = await found(owner);
  await market.owner.query('UPDATE organisations SET require_second_factor = true WHERE org_id = $1', [
    orgId,
  ]);
  const body = { email: 'a@example.test', role: 'viewer' };
  const path = `/v1/organisations/${orgId}/invitations`;
  expect(codeOf(await ask('POST', path, { cookie: owner.cookie, body }))).toEqual([403, 'forbidden']);
});

it.each(['removed', 'demoted'])('ends the invitations of an admin who is %s', async (how) => {
  const owner = await register(market, 'buyer');
  const orgId = await found(owner);
  const admin = await join(orgId, owner, 'admin');
  const friend = await register(market, 'buyer');
  await confirm(friend);
  const token = await invite(orgId, admin, friend.email, 'admin');
  const path = `/v1/organisations/${orgId}/members/${admin.userId}`;
  const change = how === 'removed' ? ['DELETE', {}] : ['PATCH', { body: { role: 'viewer' } }];
  const [method, more] = change as [string, object];
  expect((await ask(method, path, { cookie: owner.cookie, ...more })).status).toBe(204);
  expect(codeOf(await accept(friend, token))).toEqual([404, 'not_found']);
});

it('keeps the memberships and keys of a person whose account becomes an organisation', async () => {
  const owner = await register(market, 'buyer');
  const orgId = await found(owner);
  const member = await join(orgId, owner, 'buyer');
  const made = await ask<{ key: string }>('POST', '/v1/keys', {
    cookie: member.cookie,
    owner: orgId,
    body: { name: 'k', scopes: ['billing:read'] },
  });
  const body = { name: 'Engines', password: 'correct horse battery' };
  const path = '/v1/organisations/convert';
  const converted = await ask<{ user_id: string }>('POST', path, { cookie: member.cookie, body });
  const members = await ask<{ items: { user_id: string }[] }>('GET', `/v1/organisations/${orgId}/members`, {
    cookie: owner.cookie,
  });
  expect(members.body.items.map(({ user_id }) => user_id).sort()).toEqual(
    [owner.userId, converted.body.user_id].sort(),
  );
  expect((await ask('GET', '/v1/billing/balance', { key: made.body.key })).status).toBe(200);
});
