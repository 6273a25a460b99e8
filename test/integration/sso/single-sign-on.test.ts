/** Logins by the identity provider of an organisation, at a real OpenID provider (ADR 0380). */
import { endMembership } from '../../../src/stores/organisations/members';
import { register, type TestMarket, type TestUser } from '../../support/market';
import { openBrowser } from '../../support/sso/browser';
import {
  begin,
  type Company,
  DOMAIN,
  organisationOf,
  providersOf,
  type ProviderView,
  startCompany,
} from '../../support/sso/company';
import type { Claims, IdentityProvider } from '../../support/sso/identity-provider';

jest.setTimeout(60_000);

let company: Company;
let market: TestMarket;
let idp: IdentityProvider;
let owner: TestUser;
let orgId: string;
let provider: ProviderView;

beforeAll(async () => {
  company = await startCompany('127.77.0.19');
  ({ market, idp, owner, orgId, provider } = company);
});
afterAll(() => company.stop());
afterEach(() => {
  idp.fault = () => undefined;
});

const as = (user: Pick<TestUser, 'cookie'>) => company.as(user);
const path = () => providersOf(orgId);
const newPerson = (more?: Claims) => company.newPerson(more);
const signedIn = (subject: string) => company.signedIn(subject);
const registered = (email: string) => company.registered(email);

async function rolesOf({ userId }: TestUser): Promise<unknown[]> {
  const { rows } = await market.owner.query<object>(
    'SELECT org_id, role FROM organisation_members WHERE user_id = $1',
    [userId],
  );
  return rows;
}

describe('a first login', () => {
  it('makes a person and a member with the default role, once', async () => {
    const { subject, email } = await newPerson();
    const user = await signedIn(subject);
    expect(user.email).toBe(email);
    expect(await rolesOf(user)).toEqual([{ org_id: orgId, role: 'buyer' }]);
    const again = await signedIn(subject);
    expect(again.userId).toBe(user.userId);
    const { rows } = await market.owner.query('SELECT email_confirmed_at FROM users WHERE user_id = $1', [
      user.userId,
    ]);
    expect(rows[0]).not.toEqual({ email_confirmed_at: null });
    // The wallet of the session is the organisation's.
    const mine = await as(user).get('/v1/billing/balance').expect(200);
    const its = await as(owner).get('/v1/billing/balance').set('x-owner', orgId).expect(200);
    expect(mine.body).toEqual(its.body);
  });

  it('keeps the account when the address changes at the provider', async () => {
    const { subject } = await newPerson();
    const user = await signedIn(subject);
    await idp.setPeople({ [subject]: { email: `married@${DOMAIN}`, email_verified: true } });
    expect((await signedIn(subject)).userId).toBe(user.userId);
  });

  it('links an account whose address is confirmed, and reports it by mail', async () => {
    const { subject, email } = await newPerson();
    const local = await registered(email);
    expect((await signedIn(subject)).userId).toBe(local.userId);
    const { rows } = await market.owner.query(
      `SELECT FROM security_mails WHERE recipient = $1 AND kind = 'company_login_linked'`,
      [local.userId],
    );
    expect(rows).toHaveLength(1);
  });

  it.each([
    ['of an unconfirmed address', 'email_confirmed_at = NULL', /not confirmed/],
    ['of an operator', `role = 'operator'`, /operators log in with a password/],
    ['with an authenticator app', 'authenticator_since = now()', /authenticator app/],
  ])('does not link an account %s', async (_name, change, reason) => {
    const { subject, email } = await newPerson();
    const local = await registered(email);
    await market.owner.query(`UPDATE users SET ${change} WHERE user_id = $1`, [local.userId]);
    const page = await (await openBrowser(market)).signIn(begin(), subject);
    expect([page.status, page.body]).toEqual([403, expect.stringMatching(reason)]);
  });

  it.each([
    ['whose address is not verified', { email_verified: false }, /email_verified/],
    ['without an address', { email: undefined }, /no mail address/],
    ['of another domain', { email: 'ada@elsewhere.test' }, /has proven/],
    ['of a subdomain', { email: `ada@sub.${DOMAIN}` }, /has proven/],
  ])('refuses a person %s', async (_name, claims, reason) => {
    const { subject } = await newPerson(claims);
    const page = await (await openBrowser(market)).signIn(begin(), subject);
    expect([page.status, page.body]).toEqual([403, expect.stringMatching(reason)]);
  });

  it('reads the address from UserInfo where the ID token has none', async () => {
    await idp.start({ redirectUri: provider.redirect_uri, inUserInfo: true });
    const { subject, email } = await newPerson();
    expect((await signedIn(subject)).email).toBe(email);
  });
});

describe('a login', () => {
  it('is used once, by the browser that began it', async () => {
    const { subject } = await newPerson();
    const browser = await openBrowser(market);
    const callback = await browser.toCallback(begin(), subject);
    expect((await (await openBrowser(market)).load(callback)).status).toBe(409);
    expect((await browser.load(callback)).status).toBe(303);
    expect((await browser.load(callback)).status).toBe(409);
  });

  it('expires after ten minutes', async () => {
    const { subject } = await newPerson();
    const browser = await openBrowser(market);
    const callback = await browser.toCallback(begin(), subject);
    await market.owner.query(`UPDATE sso_attempts SET expires_at = now() - interval '1 s'`);
    const page = await browser.load(callback);
    expect([page.status, page.body]).toEqual([409, expect.stringContaining('expired')]);
  });

  it('works after the provider has rotated its keys', async () => {
    const { subject } = await newPerson();
    const first = await signedIn(subject);
    await idp.start({ redirectUri: provider.redirect_uri });
    expect((await signedIn(subject)).userId).toBe(first.userId);
  });

  it('goes back to a page of the console only', async () => {
    const { subject } = await newPerson();
    const browser = await openBrowser(market);
    const to = async (page: string) =>
      (await browser.signIn(`${begin()}&return_to=${encodeURIComponent(page)}`, subject)).location?.pathname;
    expect(await to('/console/wallet')).toBe('/console/wallet');
    expect(await to('https://evil.test/console/')).toBe('/console/');
    expect(await to('//evil.test')).toBe('/console/');
  });

  it('refuses another nonce, another iss, and another state', async () => {
    const { subject } = await newPerson();
    const browser = await openBrowser(market);
    const nonce = await browser.toCallback(begin(), subject, (url) =>
      url.searchParams.set('nonce', 'another'),
    );
    expect((await browser.load(nonce)).status).toBe(403);
    const iss = await browser.toCallback(begin(), subject);
    iss.searchParams.set('iss', 'https://another.test');
    expect((await browser.load(iss)).status).toBe(403);
    const state = await browser.toCallback(begin(), subject);
    state.searchParams.set('state', 'another');
    expect((await browser.load(state)).status).toBe(409);
    const twice = await browser.toCallback(begin(), subject);
    twice.searchParams.append('code', 'another');
    expect((await browser.load(twice)).status).toBe(422);
  });

  it('ends as a person says at the provider', async () => {
    const { subject } = await newPerson();
    const browser = await openBrowser(market);
    const callback = await browser.toCallback(begin(), subject);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    const page = await browser.load(callback);
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('access_denied')]);
  });
});

describe('a provider that fails', () => {
  const huge = { body: JSON.stringify({ keys: 'x'.repeat(300_000) }) };
  it.each([
    ['its keys are others', '/jwks', { body: JSON.stringify({ keys: [] }) }],
    ['its keys are too large', '/jwks', huge],
    ['its keys are no JSON', '/jwks', { body: '<html>' }],
    ['its keys are away', '/jwks', 'away'],
    ['its tokens are an error', '/token', { status: 500, body: 'oops' }],
    ['its tokens are a redirect', '/token', { status: 302, body: '' }],
    ['its tokens have no ID token', '/token', { body: '{"access_token":"a","token_type":"Bearer"}' }],
    ['its ID token is unsigned', '/token', { body: unsigned() }],
    ['its tokens are away', '/token', 'away'],
  ] as const)('refuses a login when %s', async (_name, at, fault) => {
    const { subject } = await newPerson();
    const browser = await openBrowser(market);
    const callback = await browser.toCallback(begin(), subject);
    idp.fault = (asked) => (asked.startsWith(at) ? fault : undefined);
    const page = await browser.load(callback);
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('Example login')]);
    expect(browser.cookie()).not.toContain('market_session');
  });

  it('is given ten seconds for each step', async () => {
    const { subject } = await newPerson();
    const browser = await openBrowser(market);
    const callback = await browser.toCallback(begin(), subject);
    idp.fault = (asked) => (/^\/(token|\.well-known)/.test(asked) ? 'hangs' : undefined);
    const since = Date.now();
    const [page, tested] = await Promise.all([
      browser.load(callback),
      as(owner).post(`${path()}/${provider.provider_id}/test`).expect(200),
    ]);
    const took = Date.now() - since;
    expect(took).toBeGreaterThan(9_000);
    expect(took).toBeLessThan(20_000);
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('within 10 seconds')]);
    expect(tested.body).toMatchObject({
      ok: false,
      problem: expect.stringContaining('within 10 seconds') as string,
    });
    idp.fault = () => undefined;
    const again = await as(owner).post(`${path()}/${provider.provider_id}/test`).expect(200);
    expect(again.body).toMatchObject({ ok: true });
  });

  it('refuses a login when its ID token has expired', async () => {
    await idp.start({ redirectUri: provider.redirect_uri, behindSeconds: 2 * 3_600 });
    const { subject } = await newPerson();
    const browser = await openBrowser(market);
    const page = await browser.signIn(begin(), subject);
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('ID token has expired')]);
    expect(browser.cookie()).not.toContain('market_session');
    await idp.start({ redirectUri: provider.redirect_uri });
    await signedIn(subject);
  });

  it.each([
    [
      'of another issuer',
      (body: string) => ({ body: body.replaceAll(idp.issuer, 'https://127.77.0.20') }),
      /another issuer/,
    ],
    [
      'without TLS',
      (body: string) => ({ body: body.replace(`${idp.issuer}/token`, 'http://127.77.0.19/token') }),
      /token_endpoint/,
    ],
    ['that is away', () => 'away' as const, /does not answer|not valid/],
    ['that is too large', () => ({ body: JSON.stringify({ issuer: 'x'.repeat(300_000) }) }), /256 KiB/],
  ])('reports a discovery document %s', async (_name, fault, reason) => {
    idp.fault = (_path, body) => fault(body);
    const tested = await as(owner).post(`${path()}/${provider.provider_id}/test`).expect(200);
    expect(tested.body).toMatchObject({ ok: false, problem: expect.stringMatching(reason) as string });
  });

  it('is in order again at the next test', async () => {
    const tested = await as(owner).post(`${path()}/${provider.provider_id}/test`).expect(200);
    expect(tested.body).toEqual({ ok: true, problem: null, keys: 1 });
  });
});

describe('passwords switched off', () => {
  const switched = (user: TestUser, required: boolean) =>
    as(user).put(`/v1/organisations/${orgId}/require-sso`).send({ required });
  const acts = (user: TestUser) => as(user).get('/v1/billing/balance').set('x-owner', orgId);

  it('leaves acting for the organisation to sessions of its provider, until an operator permits passwords', async () => {
    const { subject, email } = await newPerson();
    const local = await registered(email);
    const user = await signedIn(subject);
    await switched(owner, true).expect(409);
    await market.owner.query(`UPDATE organisation_members SET role = 'owner' WHERE user_id = $1`, [
      user.userId,
    ]);
    await switched(user, true).expect(204);
    await acts(user).expect(200);
    await acts(local).expect(403);
    await as(local).get('/v1/billing/balance').expect(200);
    await as(local).get(path()).expect(403);
    await as(user).delete(`${path()}/${provider.provider_id}`).expect(409);
    await as(user).patch(`${path()}/${provider.provider_id}`).send({ enabled: false }).expect(409);

    const operator = await registered('operator-of-sso@example.test');
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
    const escape = `/v1/operator/organisations/${orgId}/password-logins`;
    await as(local).post(escape).send({ reason: 'no operator' }).expect(403);
    await as(operator).post(escape).send({ reason: 'The provider is lost.' }).expect(200);
    await as(operator).post(escape).send({ reason: 'Once more.' }).expect(409);
    await acts(local).expect(200);
    const { rows } = await market.owner.query(
      `SELECT FROM operator_actions WHERE action = 'organisation.permit_passwords' AND subject = $1`,
      [orgId],
    );
    expect(rows).toHaveLength(1);
  });
});

describe('members and settings', () => {
  it('refuses a login of a removed member', async () => {
    const { subject } = await newPerson();
    const user = await signedIn(subject);
    await endMembership(market.owner, orgId, user.userId);
    const page = await (await openBrowser(market)).signIn(begin(), subject);
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('no member')]);
  });

  it('refuses accounts that are being deleted', async () => {
    const { subject, email } = await newPerson();
    await registered(email);
    await market.owner.query('UPDATE users SET closed_at = now() WHERE email = $1', [email]);
    const page = await (await openBrowser(market)).signIn(begin(), subject);
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('is being deleted')]);
    const known = await newPerson();
    const user = await signedIn(known.subject);
    await market.owner.query('UPDATE users SET closed_at = now() WHERE user_id = $1', [user.userId]);
    expect((await (await openBrowser(market)).signIn(begin(), known.subject)).status).toBe(403);
    expect((await as(user).get('/v1/auth/me')).status).toBe(401);
  });

  it('shows settings to owners and admins, and no secret to anyone', async () => {
    const { subject } = await newPerson();
    await as(await signedIn(subject))
      .get(path())
      .expect(403);
    await as(await register(market, 'buyer'))
      .get(path())
      .expect(404);
    const shown = await as(owner).get(path()).expect(200);
    expect(JSON.stringify(shown.body)).not.toContain(idp.clientSecret);
    const { rows } = await market.owner.query<{ sealed: Buffer }>('SELECT sealed FROM identity_providers');
    expect(rows.some(({ sealed }) => sealed.includes(idp.clientSecret))).toBe(false);
  });

  it('gives a domain to one provider', async () => {
    const other = await register(market, 'buyer');
    const at = providersOf(await organisationOf(market, other));
    const body = {
      name: 'Another',
      issuer: idp.issuer,
      client_id: 'market',
      client_secret: 'another secret',
    };
    const { provider_id: id } = (await as(other).post(at).send(body).expect(201)).body as ProviderView;
    const view = (await as(other).put(`${at}/${id}/domains/${DOMAIN}`).expect(200)).body as ProviderView;
    await as(other).post(`${at}/${id}/domains/${DOMAIN}/verify`).expect(409);
    const [domain] = view.domains;
    const { records } = company;
    const before = records[domain?.txt_name ?? ''];
    records[domain?.txt_name ?? ''] = { texts: [domain?.txt_value ?? ''] };
    const refused = await as(other).post(`${at}/${id}/domains/${DOMAIN}/verify`).expect(409);
    expect(JSON.stringify(refused.body)).toContain('Another identity provider');
    records[domain?.txt_name ?? ''] = before ?? 'missing';
  });

  it('ends the sessions of a provider that is switched off', async () => {
    const { subject } = await newPerson();
    const user = await signedIn(subject);
    const at = `${path()}/${provider.provider_id}`;
    await as(owner).patch(at).send({ enabled: false }).expect(200);
    await as(user).get('/v1/auth/me').expect(401);
    expect((await (await openBrowser(market)).load(`${market.url}${begin()}`)).status).toBe(404);
    await as(owner).patch(at).send({ enabled: true }).expect(200);
    await signedIn(subject);
  });

  it.each(['http://login.example.com', 'https://169.254.169.254', 'https://localhost:1', 'ftp://x'])(
    'refuses the issuer %s',
    async (issuer) => {
      const body = { name: 'n', issuer, client_id: 'market', client_secret: 's' };
      const { status } = await as(owner).post(path()).send(body);
      expect([400, 422]).toContain(status);
    },
  );

  it('answers an address without a provider with a page', async () => {
    const page = await (await openBrowser(market)).load(`${market.url}/v1/auth/sso?email=ada@elsewhere.test`);
    expect([page.status, page.body]).toEqual([404, expect.stringContaining('No company sign-in')]);
  });
});

/** Tokens with an ID token of the algorithm `none`. */
function unsigned(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: 'https://127.77.0.19', sub: 'x', aud: 'market', exp: now + 60, iat: now, nonce: 'n' };
  const idToken = `${part({ alg: 'none' })}.${part(claims)}.`;
  return JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: idToken });
}
