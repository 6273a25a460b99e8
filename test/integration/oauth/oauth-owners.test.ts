/** For whom a person permits an application or a device: the person, or an organisation (ADR 0399). */
import { setBudget } from '../../support/accounts/members';
import { organisation } from '../../support/accounts/organisation-rows';
import {
  authorizeAddress,
  nextOf,
  openBrowser,
  originOf,
  pkce,
  post,
  type RawClient,
  registerClient,
} from '../../support/accounts/oauth';
import { bearer } from '../../support/accounts/oauth-tokens';
import { untilWaiting, withLock } from '../../support/accounts/lock-waits';
import { balance, expectWholeLedger, putLive, register, type TestUser, topUp } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

jest.setTimeout(120_000);

const market = useMarket();
const agent = useAgent();
let client: RawClient;
let agentId: string;
let [ada, bob] = [{} as TestUser, {} as TestUser];
let orgId: string;

beforeAll(async () => {
  client = await registerClient(market);
  const developer = await register(market, 'developer');
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 }));
  [ada, bob] = [await register(market, 'buyer'), await register(market, 'buyer', 50)];
  orgId = await organisation(market, { owner: ada, buyer: bob });
  await topUp(market.owner, orgId, 1_000);
});
afterAll(() => expectWholeLedger(market));

const redeem = (form: Record<string, string>) => post(market, '/oauth/token', form);
const refresh = (token: string) =>
  redeem({ grant_type: 'refresh_token', refresh_token: token, client_id: client.clientId });
const asked = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(market.url + path, { ...init, headers: { ...headers, 'content-type': 'application/json' } });
const remove = (who: TestUser, org = orgId, by = ada) =>
  asked(`/v1/organisations/${org}/members/${who.userId}`, { cookie: by.cookie }, { method: 'DELETE' });

/** What a person sees who is sent to the page, and the answer to what they choose there. */
async function decide(person: TestUser, fields: Record<string, string>) {
  const { verifier, challenge } = pkce();
  const resource = `${originOf(market)}/mcp`;
  const address = authorizeAddress(client, resource, challenge);
  const browser = openBrowser(market, person.cookie);
  const page = await browser.open(address);
  const answer = await browser.submit(page, address, { action: 'allow', credit_cap: '100', ...fields });
  return { page, answer, verifier };
}

async function tokensFor(person: TestUser, owner: string) {
  const { answer, verifier } = await decide(person, { owner });
  const { status, body } = await redeem({
    grant_type: 'authorization_code',
    code: nextOf(answer).searchParams.get('code') ?? '',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
  });
  expect(status).toBe(200);
  return { access: body['access_token'] as string, refresh: body['refresh_token'] as string };
}

/** Calls the agent by the market's MCP server. */
const callBy = (access: string) =>
  asked(
    '/mcp',
    { ...bearer(access), accept: 'application/json, text/event-stream' },
    {
      method: 'POST',
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'call_agent',
          arguments: { agent_id: agentId, input: { text: 'hello' }, max_cost_credits: 9 },
        },
      }),
    },
  );

const grantsOf = async (who: TestUser, owner: string) => {
  const answer = await asked('/v1/oauth/grants', { cookie: who.cookie, 'x-owner': owner });
  return ((await answer.json()) as { items: { grant_id: string }[] }).items;
};

/** Another member of the organisation. */
async function newMember(role = 'buyer'): Promise<TestUser> {
  const member = await register(market, 'buyer');
  await market.owner.query('INSERT INTO organisation_members (org_id, user_id, role) VALUES ($1, $2, $3)', [
    orgId,
    member.userId,
    role,
  ]);
  return member;
}

describe('the page of an application', () => {
  it('shows for whom it asks, and gives a grant that spends the credits of the organisation', async () => {
    const { page } = await decide(bob, { action: 'deny' });
    expect(page.html).toContain('It acts for, and spends the credits of');
    expect(page.html).toContain(`<option value="${orgId}">Acme, where you are buyer</option>`);
    expect(page.html).toContain(`<option value="${bob.userId}">yourself, ${bob.email}</option>`);
    const { answer } = await decide(bob, { owner: orgId });
    expect(answer.html).toContain('for Acme');
    const before = await balance(market.owner, orgId, 'wallet');
    const { access } = await tokensFor(bob, orgId);
    const called = await callBy(access);
    expect([called.status, await called.text()]).toEqual([200, expect.stringContaining('hello')]);
    expect(await balance(market.owner, orgId, 'wallet')).toBe(before - 500);
    expect(await balance(market.owner, bob.userId, 'wallet')).toBe(5_000);
    const { rows } = await market.owner.query(
      `SELECT DISTINCT user_id, created_by FROM api_keys WHERE kind = 'oauth' AND user_id = $1`,
      [orgId],
    );
    expect(rows).toEqual([{ user_id: orgId, created_by: bob.userId }]);
  });

  it('is for the person where the form names no owner, and opens with the owner of the session', async () => {
    const { answer } = await decide(bob, {});
    expect(answer.html).not.toContain('Acme');
    const mine = await register(market, 'buyer');
    const { page } = await decide(mine, { action: 'deny' });
    expect(page.html).not.toContain('name="owner"');
    const choose = (owner: string | null) =>
      asked('/v1/auth/owner', { cookie: bob.cookie }, { method: 'PUT', body: JSON.stringify({ owner }) });
    await choose(orgId);
    const chosen = await decide(bob, { action: 'deny' });
    expect(chosen.page.html).toContain(`<option value="${orgId}" selected>`);
    await choose(null);
  });

  it('offers no organisation whose role or demands do not permit it, and refuses its id', async () => {
    const viewer = await newMember('viewer');
    const stranger = await register(market, 'buyer');
    for (const person of [viewer, stranger]) {
      const { page, answer } = await decide(person, { owner: orgId });
      expect(page.html).not.toContain('name="owner"');
      expect([answer.status, answer.html]).toEqual([403, expect.stringContaining('for that account')]);
    }
    const strict = await organisation(market, { owner: ada });
    await market.owner.query('UPDATE organisations SET require_second_factor = true WHERE org_id = $1', [
      strict,
    ]);
    expect((await decide(ada, { owner: strict })).answer.status).toBe(403);
    for (const owner of ['', 'acme', "'; --", strict]) {
      const { status } = (await decide(ada, { owner })).answer;
      expect([owner, status]).toEqual([owner, owner === '' ? 200 : 403]);
    }
  });

  it('lets a member permit a private agent of the organisation, for the organisation alone', async () => {
    const { agentId: own } = await putLive(market, orgId, agent.url, { credits: 1 });
    await market.owner.query(`UPDATE agents SET visibility = 'private', listed = false WHERE agent_id = $1`, [
      own,
    ]);
    const { challenge } = pkce();
    const address = authorizeAddress(client, `${originOf(market)}/mcp/a/${own}`, challenge);
    const browser = openBrowser(market, bob.cookie);
    const page = await browser.open(address);
    expect(page.html).toContain(`<option value="${orgId}">`);
    expect(page.html).not.toContain(`<option value="${bob.userId}">`);
    const refused = await browser.submit(page, address, { action: 'allow', credit_cap: '1' });
    expect(refused.status).toBe(403);
    const permitted = await browser.submit(page, address, { action: 'allow', credit_cap: '1', owner: orgId });
    expect(nextOf(permitted).searchParams.get('code')).toMatch(/^amc_/);
    const stranger = await register(market, 'buyer');
    const hidden = await openBrowser(market, stranger.cookie).open(address);
    expect([hidden.status, hidden.html]).toEqual([400, expect.stringContaining('No live agent')]);
  });
});

describe('a grant of an organisation', () => {
  it('spends what the budget of the member who permitted it has left', async () => {
    const maker = await newMember();
    const budget = await setBudget(
      market,
      { orgId, by: ada, member: maker },
      { credits: 9, window: 'month' },
    );
    const { access } = await tokensFor(maker, orgId);
    expect(await (await callBy(access)).text()).toContain('hello');
    const refused = await (await callBy(access)).text();
    expect(refused).toContain('(9 credits a month) has 4 credits left for this month, until');
    expect(refused).toContain(budget.window_ends_at);
    const other = await newMember();
    expect(await (await callBy((await tokensFor(other, orgId)).access)).text()).toContain('hello');
  });

  it('is seen and ended by its maker and by admins, not by other buyers', async () => {
    const [maker, other] = [await newMember(), await newMember()];
    const { access } = await tokensFor(maker, orgId);
    const [grant] = await grantsOf(maker, orgId);
    const id = grant?.grant_id ?? '';
    expect(await grantsOf(other, orgId)).toEqual([]);
    expect((await grantsOf(ada, orgId)).map(({ grant_id }) => grant_id)).toContain(id);
    const end = (who: TestUser) =>
      asked(`/v1/oauth/grants/${id}`, { cookie: who.cookie, 'x-owner': orgId }, { method: 'DELETE' });
    const change = (who: TestUser) =>
      asked(
        `/v1/oauth/grants/${id}`,
        { cookie: who.cookie, 'x-owner': orgId },
        { method: 'PATCH', body: JSON.stringify({ credit_cap: 7 }) },
      );
    expect([(await end(other)).status, (await change(other)).status]).toEqual([404, 404]);
    expect([(await change(maker)).status, (await end(ada)).status]).toEqual([200, 204]);
    expect((await callBy(access)).status).toBe(401);
  });

  it('ends with a program of a member, when the member is removed', async () => {
    const maker = await newMember('developer');
    const body = JSON.stringify({ name: 'night job' });
    const headers = { cookie: maker.cookie, 'x-owner': orgId };
    const made = await asked('/v1/oauth/grants', headers, { method: 'POST', body });
    const { client_id: id, client_secret: secret } = (await made.json()) as Record<string, string>;
    const form = { grant_type: 'client_credentials', client_id: id ?? '', client_secret: secret ?? '' };
    const { status, body: tokens } = await redeem(form);
    expect(status).toBe(200);
    expect((await remove(maker)).status).toBe(204);
    expect((await redeem(form)).status).toBe(401);
    expect((await callBy(tokens['access_token'] as string)).status).toBe(401);
  });

  it.each([
    ['before', 200],
    ['after', 400],
  ])('ends when its maker is removed, also if a refresh token rotates just %s', async (when, rotated) => {
    const maker = await newMember();
    const tokens = await tokensFor(maker, orgId);
    const [grant] = await grantsOf(maker, orgId);
    const lock = {
      text: `SELECT FROM api_keys k JOIN oauth_grants g USING (key_id) WHERE g.grant_id = $1 FOR UPDATE OF k`,
      values: [grant?.grant_id],
    };
    const [rotation, removal] = await withLock(market.owner, lock, async () => {
      const rotate = () => refresh(tokens.refresh);
      const first = when === 'before' ? rotate() : remove(maker);
      await untilWaiting(market.owner, 1);
      const second = when === 'before' ? remove(maker) : rotate();
      await untilWaiting(market.owner, 2);
      return when === 'before' ? ([first, second] as const) : ([second, first] as const);
    }).then((both) => Promise.all(both));
    const { status, body } = rotation as Awaited<ReturnType<typeof refresh>>;
    expect([status, (removal as Response).status]).toEqual([rotated, 204]);
    const newest = (body['refresh_token'] as string | undefined) ?? tokens.refresh;
    expect((await refresh(newest)).body['error']).toBe('invalid_grant');
    expect((await callBy((body['access_token'] as string | undefined) ?? tokens.access)).status).toBe(401);
    // A membership that begins again revives nothing.
    await market.owner.query(
      `INSERT INTO organisation_members (org_id, user_id, role) VALUES ($1, $2, 'buyer')`,
      [orgId, maker.userId],
    );
    expect((await callBy(tokens.access)).status).toBe(401);
    expect(await grantsOf(maker, orgId)).toEqual([]);
  });

  it('ends with a new password of its maker, if grants are to end, and so do keys', async () => {
    const maker = await newMember();
    const { access } = await tokensFor(maker, orgId);
    const made = await asked(
      '/v1/keys',
      { cookie: maker.cookie, 'x-owner': orgId },
      { method: 'POST', body: JSON.stringify({ name: 'a key', scopes: ['billing:read'] }) },
    );
    const { key } = (await made.json()) as { key: string };
    const change = (oldPassword: string, newPassword: string, ends: { keys: boolean; grants: boolean }) =>
      market.container.accounts.changePassword(maker.userId, { oldPassword, newPassword, ends });
    const statuses = async () => [
      (await callBy(access)).status,
      (await asked('/v1/billing/balance', { 'x-api-key': key })).status,
    ];
    await change('correct horse battery', 'another long passphrase', { keys: false, grants: false });
    expect(await statuses()).toEqual([200, 200]);
    expect(await market.container.accounts.countAccess(maker.userId)).toEqual({ keys: 1, grants: 1 });
    await change('another long passphrase', 'a third long passphrase', { keys: true, grants: true });
    expect(await statuses()).toEqual([401, 401]);
  });

  it('is not made by a member who is removed while the page is open', async () => {
    const maker = await newMember();
    const lock = { text: 'SELECT FROM organisations WHERE org_id = $1 FOR NO KEY UPDATE', values: [orgId] };
    const [removal, decision] = await withLock(market.owner, lock, async () => {
      const first = remove(maker);
      await untilWaiting(market.owner, 1);
      const second = decide(maker, { owner: orgId });
      await untilWaiting(market.owner, 2);
      return [first, second] as const;
    }).then((both) => Promise.all(both));
    expect([removal.status, decision.answer.status]).toEqual([204, 404]);
    const { rows } = await market.owner.query('SELECT FROM api_keys WHERE created_by = $1', [maker.userId]);
    expect(rows).toEqual([]);
  });
});

describe('the login of a device', () => {
  const begin = async () =>
    (await post(market, '/oauth/device_authorization', { client_id: 'market-cli' })).body as Record<
      string,
      string
    >;
  const poll = ({ device_code: code = '' }: Record<string, string>) =>
    redeem({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: code,
      client_id: 'market-cli',
    });
  async function approve(person: TestUser, login: Record<string, string>, owner: string) {
    const path = `/oauth/device?user_code=${login['user_code']}`;
    const browser = openBrowser(market, person.cookie);
    const page = await browser.open(path);
    return { page, done: await browser.submit(page, path, { action: 'allow', credit_cap: '7', owner }) };
  }
  const balanceBy = (key: string) => asked('/v1/billing/balance', { 'x-api-key': key });

  it('gives a key of the organisation, which ends with the membership', async () => {
    const member = await newMember();
    const login = await begin();
    const { page, done } = await approve(member, login, orgId);
    expect(page.html).toContain(`<option value="${orgId}">Acme, where you are buyer</option>`);
    expect(done.html).toContain('It acts for Acme.');
    const { status, body } = await poll(login);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ email: member.email, organisation: orgId, organisation_name: 'Acme' }),
    ]);
    const key = body['access_token'] as string;
    expect((await balanceBy(key)).status).toBe(200);
    expect((await remove(member)).status).toBe(204);
    expect((await balanceBy(key)).status).toBe(401);
  });

  it('refuses an organisation of others, and names none for the person', async () => {
    const stranger = await register(market, 'buyer');
    const login = await begin();
    expect((await approve(stranger, login, orgId)).done.status).toBe(403);
    expect((await approve(stranger, login, stranger.userId)).done.status).toBe(200);
    const { body } = await poll(login);
    expect(body).not.toHaveProperty('organisation');
  });

  it('gives nothing after the removal of the member who approved it', async () => {
    const member = await newMember();
    const login = await begin();
    await approve(member, login, orgId);
    expect((await remove(member)).status).toBe(204);
    expect((await poll(login)).body['error']).toBe('invalid_grant');
  });

  it('gives nothing after a change of the password of the member who approved it', async () => {
    const member = await newMember();
    const login = await begin();
    await approve(member, login, orgId);
    await market.container.accounts.changePassword(member.userId, {
      oldPassword: 'correct horse battery',
      newPassword: 'another long passphrase',
      ends: { keys: false, grants: false },
    });
    expect((await poll(login)).body['error']).toBe('invalid_grant');
  });

  it('leaves no key behind when the member is removed while the device fetches it', async () => {
    const member = await newMember();
    const login = await begin();
    await approve(member, login, orgId);
    const lock = { text: 'SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', values: [orgId] };
    const [given, removal] = await withLock(market.owner, lock, async () => {
      const first = poll(login);
      await untilWaiting(market.owner, 1);
      const second = remove(member);
      await untilWaiting(market.owner, 2);
      return [first, second] as const;
    }).then((both) => Promise.all(both));
    expect([given.status, removal.status]).toEqual([200, 204]);
    expect((await balanceBy(given.body['access_token'] as string)).status).toBe(401);
    const { rows } = await market.owner.query(
      'SELECT FROM api_keys WHERE created_by = $1 AND deleted_at IS NULL',
      [member.userId],
    );
    expect(rows).toEqual([]);
  });
});
