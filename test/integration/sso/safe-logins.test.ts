/** What a login by an identity provider must not do to a browser, an account or a log (ADR 0398). */
import { MAX_MEMBERS } from '../../../src/domain/accounts/roles';
import { register, type TestUser } from '../../support/market';
import { type Browser, openBrowser } from '../../support/sso/browser';
import { begin, type Company, providersOf, startCompany } from '../../support/sso/company';
import { eventually } from '../../support/waits';

jest.setTimeout(60_000);

let company: Company;
beforeAll(async () => {
  company = await startCompany('127.77.0.21');
});
afterAll(() => company.stop());

const userOf = async ({ cookie }: Pick<Browser, 'cookie'>) => {
  const me = await company.as({ cookie: cookie() }).get('/v1/auth/me').expect(200);
  return (me.body as { user_id: string }).user_id;
};

async function log(): Promise<{ operation: string; outcome: string | null; subject: string }[]> {
  const at = `/v1/organisations/${company.orgId}/log?limit=100`;
  const { body } = await company.as(company.owner).get(at).expect(200);
  return (body as { items: Awaited<ReturnType<typeof log>> }).items;
}

describe('a browser with a session of another account', () => {
  const refused = [409, expect.stringContaining('You are logged in as another account. Log out first.')];

  it('keeps it, and no account is made or linked', async () => {
    const { market } = company;
    const visitor = await register(market, 'buyer');
    const browser = await openBrowser(market, visitor);
    const { subject, email } = await company.newPerson();
    const first = await browser.signIn(begin(), subject);
    expect([first.status, first.body]).toEqual(refused);
    expect(await userOf(browser)).toBe(visitor.userId);
    const made = await market.owner.query('SELECT FROM users WHERE email = $1', [email]);
    expect(made.rows).toEqual([]);

    const local = await company.registered(email);
    expect((await browser.signIn(begin(), subject)).status).toBe(409);
    const linked = await market.owner.query('SELECT FROM sso_identities WHERE user_id = $1', [local.userId]);
    expect(linked.rows).toEqual([]);

    await company.signedIn(subject);
    expect((await browser.signIn(begin(), subject)).status).toBe(409);
    expect(await userOf(browser)).toBe(visitor.userId);
  });

  it('logs in again with a session of the same account, and after a log-out', async () => {
    const { market, as } = company;
    const { subject } = await company.newPerson();
    const user = await company.signedIn(subject);
    const same = await openBrowser(market, user);
    expect((await same.signIn(begin(), subject)).status).toBe(303);
    const visitor = await register(market, 'buyer');
    await as(visitor).post('/v1/auth/logout').expect(204);
    const left = await openBrowser(market, visitor);
    expect((await left.signIn(begin(), subject)).status).toBe(303);
    expect(await userOf(left)).toBe(user.userId);
  });
});

describe('a beginning that another site sends', () => {
  const load = async (browser: Browser, at: string, from: string) =>
    browser.load(`${company.market.url}${at}`, undefined, { 'sec-fetch-site': from });

  it.each(['cross-site', 'same-site'])('waits for a click if it is %s', async (from) => {
    const { market, orgId, idp } = company;
    await market.owner.query(`UPDATE users SET display_name = 'Example <b>& Co' WHERE user_id = $1`, [orgId]);
    const browser = await openBrowser(market);
    const at = `/v1/auth/sso?organisation=${orgId}&return_to=${encodeURIComponent('/console/wallet?a=1&b="2')}`;
    const page = await load(browser, at, from);
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(page.body).toContain('Continue to the sign-in of Example &lt;b&gt;&amp; Co');
    expect(page.body).toContain(new URL(idp.issuer).host);
    expect(browser.cookie()).toBe('');
    const [, link = ''] = /href="([^"]*)"/.exec(page.body) ?? [];
    const next = link.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
    expect(next).toMatch(/^\/v1\/auth\/sso\?/);
    expect(new URLSearchParams(next.split('?')[1]).get('return_to')).toBe('/console/wallet?a=1&b="2');
    const begun = await load(browser, next, 'same-origin');
    expect([begun.status, begun.location?.host]).toEqual([303, new URL(idp.issuer).host]);
    expect(browser.cookie()).toContain('market_sso');
  });

  it.each(['none', 'same-origin'])('goes on at once if it is %s', async (from) => {
    const page = await load(await openBrowser(company.market), begin(), from);
    expect(page.status).toBe(303);
  });

  it('says that no provider is set up', async () => {
    const page = await load(
      await openBrowser(company.market),
      '/v1/auth/sso?email=ada@elsewhere.test',
      'cross-site',
    );
    expect([page.status, page.body]).toEqual([404, expect.stringContaining('No company sign-in')]);
  });
});

describe('an account that changes while its link waits for the organisation', () => {
  async function linkedAfter(change: (user: TestUser) => Promise<unknown>) {
    const { market, orgId } = company;
    const { subject, email } = await company.newPerson();
    const local = await company.registered(email);
    const browser = await openBrowser(market);
    const callback = await browser.toCallback(begin(), subject);
    await market.owner.query('BEGIN');
    await market.owner.query('SELECT FROM organisations WHERE org_id = $1 FOR UPDATE', [orgId]);
    const answer = browser.load(callback);
    try {
      await eventually(async () => {
        const { rows } = await market.owner.query(
          `SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
        );
        return rows.length > 0;
      });
      await change(local);
    } finally {
      await market.owner.query('COMMIT');
    }
    const page = await answer;
    const { rows } = await market.owner.query('SELECT user_id FROM sso_identities WHERE subject = $1', [
      subject,
    ]);
    return { page, rows, local };
  }
  const set = (columns: string) => (user: TestUser) =>
    company.market.owner.query(`UPDATE users SET ${columns} WHERE user_id = $1`, [user.userId]);

  it.each([
    ['gets an authenticator app', 'authenticator_since = now()', 403, /authenticator app/],
    ['becomes an operator', `role = 'operator'`, 403, /operators log in with a password/],
    ['loses its confirmation', 'email_confirmed_at = NULL', 403, /not confirmed/],
    ['gets another address', `email = 'moved-' || email`, 409, /changed just now/],
  ])('is not linked if it %s', async (_name, columns, status, reason) => {
    const { page, rows } = await linkedAfter(set(columns));
    expect([page.status, page.body, rows]).toEqual([status, expect.stringMatching(reason), []]);
  });

  it('is not linked if it becomes an organisation', async () => {
    const { page, rows } = await linkedAfter((user) =>
      company.market.owner.query('SELECT account_convert($1, $2, $3, NULL)', [
        user.userId,
        `usr_${'9'.repeat(32)}`,
        'Converted Ltd',
      ]),
    );
    expect([page.status, page.body, rows]).toEqual([409, expect.stringMatching(/changed just now/), []]);
  });

  it('is linked if it stays as it is', async () => {
    const { page, rows, local } = await linkedAfter(() => Promise.resolve());
    expect([page.status, rows]).toEqual([303, [{ user_id: local.userId }]]);
  });
});

describe('the log of the organisation', () => {
  it('has one entry for each change of a provider', async () => {
    const { as, owner, orgId, provider } = company;
    const before = await log();
    const at = `${providersOf(orgId)}/${provider.provider_id}`;
    await as(owner).patch(at).send({ name: 'Example login' }).expect(200);
    const after = await log();
    expect(after.length).toBe(before.length + 1);
    expect(after[0]).toMatchObject({ operation: 'changeIdentityProvider', outcome: 'done' });
  });

  it('has one entry for a first login, and none for later ones', async () => {
    const { subject } = await company.newPerson();
    const before = await log();
    await company.signedIn(subject);
    await company.signedIn(subject);
    const after = await log();
    expect(after.length).toBe(before.length + 1);
    const { provider_id: providerId } = company.provider;
    expect(after[0]).toMatchObject({ operation: 'finishSso', outcome: 'done', subject: providerId });
  });
});

it('refuses a first login when the places of the organisation are taken, with open invitations', async () => {
  const { market, orgId, owner } = company;
  await market.owner.query(
    `INSERT INTO organisation_invitations (invitation_id, org_id, email, role, invited_by, sha256, expires_at)
     SELECT 'oin_' || lpad(n::text, 32, '0'), $1, 'guest-' || n || '@example.test', 'viewer', $2, sha256(n::text::bytea),
            now() + interval '1 day' FROM generate_series(1, $3) n`,
    [orgId, owner.userId, MAX_MEMBERS],
  );
  const { subject } = await company.newPerson();
  const page = await (await openBrowser(market)).signIn(begin(), subject);
  expect([page.status, page.body]).toEqual([409, expect.stringContaining('at most')]);
  await market.owner.query('DELETE FROM organisation_invitations WHERE org_id = $1', [orgId]);
});
