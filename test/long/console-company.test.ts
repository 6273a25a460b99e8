/**
 * A company of three in the console: it is founded, invites, buys within a budget, publishes a private agent for the
 * organisation of a customer, earns, and one member leaves.
 */
import type { Browser, Page } from 'playwright-core';
import { newId } from '../../src/kit/ids/ids';
import { organisation } from '../support/accounts/organisation-rows';
import { makeKey } from '../support/accounts/keys';
import { mailBox, tokenOf } from '../support/accounts/mails';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { request } from '../support/catalogue/publishing';
import { act } from '../support/console/console-steps';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../support/console/browser';
import { balance, eventually, expectWholeLedger, putLive, register, startMarket, topUp, type TestMarket, type TestUser } from '../support/market'; // prettier-ignore

jest.setTimeout(180_000);

const OTHER_PRICE = 10;

describeInBrowser('a company in the console', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  const mails = mailBox();
  /** Owner, buyer and developer of the company. */
  let [ada, bob, dan]: TestUser[] = [];
  let tabs: { ada: Tab; bob: Tab; dan: Tab };
  let orgId: string;
  /** An agent of another developer, which the company buys. */
  let bought: string;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([
      startMarket({ env: { PUBLIC_READS: 'true', MAIL_URL: mails.url } }),
      openBrowser(),
      startAgent(),
    ]);
    [ada, bob, dan] = await Promise.all([1, 2, 3].map(() => person()));
    const seller = await register(market, 'developer');
    ({ agentId: bought } = await putLive(market, seller.userId, agent.url));
    const [first, second, third] = await Promise.all(
      [ada, bob, dan].map((one) => openTab(browser, market, one)),
    );
    tabs = { ada: first as Tab, bob: second as Tab, dan: third as Tab };
  });
  afterAll(async () => {
    mails.close();
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
  });

  async function person(): Promise<TestUser> {
    const user = await register(market, 'buyer');
    await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [user.userId]);
    return user;
  }

  const bar = (page: Page) => page.getByRole('region', { name: 'For whom you act' });
  const wallet = (id: string) => balance(market.owner, id, 'wallet');

  /** Chooses the owner of a session, without the console. */
  async function choose({ cookie }: TestUser, owner: string | null) {
    const { status } = await fetch(`${market.url}/v1/auth/owner`, {
      method: 'PUT',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ owner }),
    });
    expect(status).toBe(204);
  }

  /** The path of the invitation in the newest mail. */
  async function invitationOf({ email }: TestUser): Promise<string> {
    const find = () => mails.to(email).find(({ text }) => text.includes('/console/invitation#'));
    await eventually(() => find() !== undefined);
    return `/console/invitation#${tokenOf(find())}`;
  }

  async function invite(page: Page, { email }: TestUser, role: string) {
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByLabel('Role').selectOption(role);
    await dialog.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByRole('table', { name: 'Invitations' }).getByText(email).waitFor();
  }

  async function accept({ page }: Tab, user: TestUser) {
    await page.goto(`${market.url}${await invitationOf(user)}`);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByText('You are a member').waitFor();
    await page.getByRole('button', { name: 'Act for it' }).click();
    await bar(page).getByText('You act for Acme').waitFor();
  }

  it('is founded by one, and two accept by the links of their mails', async () => {
    const { page } = tabs.ada;
    await tabs.ada.go('/organisations');
    await page.getByText('You are in no organisation').waitFor();
    expect(await tabs.ada.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Found an organisation' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Acme');
    await page.getByRole('button', { name: 'Found it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    await bar(page).getByText('You act for Acme, as owner.').waitFor();
    orgId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(orgId).toMatch(/^org_/);

    await page.getByRole('tab', { name: 'Invitations' }).click();
    await invite(page, bob as TestUser, 'buyer');
    await invite(page, dan as TestUser, 'developer');
    expect(await tabs.ada.violations()).toEqual([]);
    await accept(tabs.bob, bob as TestUser);
    await accept(tabs.dan, dan as TestUser);
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.reload();
    const members = page.getByRole('table', { name: 'Members' });
    for (const { email } of [ada, bob, dan] as TestUser[]) await members.getByText(email).waitFor();
    for (const tab of ['Members', 'Rules', 'Settings', 'Company sign-in', 'Log']) {
      await page.getByRole('tab', { name: tab }).click();
      expect({ tab, found: await tabs.ada.violations() }).toEqual({ tab, found: [] });
      expect({ tab, over: await tabs.ada.overflowAt(360) }).toEqual({ tab, over: 0 });
    }
    await page.getByLabel('Filter what is shown').fill('invite');
    await page.getByRole('table', { name: 'Log' }).getByText('Invite member').first().waitFor();
    await page.getByLabel('Filter what is shown').fill('');
    await page.getByRole('textbox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Invite member' }).click();
    await page.waitForURL(/operation=inviteMember/);
    const rows = page.getByRole('table', { name: 'Log' }).getByRole('row');
    await eventually(async () =>
      (await rows.allInnerTexts()).slice(1).every((row) => row.includes('Invite member')),
    );
  });

  it('buys with the wallet of the company, within a budget, and shows a buyer no more than the role permits', async () => {
    const { page } = tabs.ada;
    await tabs.ada.go('/wallet');
    await page.getByRole('main').getByRole('button', { name: 'Add credits' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Pay US$10.00 into the wallet of Acme' })
      .click();
    await page.getByText('1,000 credits loaded.').waitFor();
    expect(await wallet(orgId)).toBe(100_000);
    await tabs.ada.go(`/organisations/${orgId}`);
    const row = page.getByRole('row').filter({ hasText: (bob as TestUser).email });
    await row.getByRole('button', { name: 'Set a budget' }).click();
    await page.getByRole('dialog').getByLabel('Budget in credits').fill(String(OTHER_PRICE));
    await page.getByRole('dialog').getByRole('button', { name: 'Save the budget' }).click();
    await row.getByText(`of ${OTHER_PRICE} credits`).waitFor();

    const buyer = tabs.bob.page;
    await tabs.bob.go('/wallet');
    await buyer.reload();
    await buyer.getByText('Left for you').waitFor();
    await buyer.getByText('As buyer of Acme, you may not see movements of money.').waitFor();
    await buyer.getByText('As buyer of Acme, you may not move money or set its limits.').first().waitFor();
    expect(await buyer.getByRole('main').getByRole('button', { name: 'Add credits' }).count()).toBe(0);
    expect(await buyer.getByRole('tab', { name: 'Movements' }).count()).toBe(0);
    expect(await tabs.bob.violations()).toEqual([]);

    await tabs.bob.go(`/agents/${bought}/try`);
    const run = buyer.getByRole('button', { name: `Run for ${OTHER_PRICE} credits from the wallet of Acme` });
    await buyer.getByLabel(/^text/).fill('hello');
    await run.click();
    await buyer.getByRole('region', { name: 'Receipt' }).waitFor();
    expect(await wallet(orgId)).toBe(99_000);
    expect(await wallet((bob as TestUser).userId)).toBe(0);
    await buyer.getByLabel(/^text/).fill('more than the budget');
    await run.click();
    await buyer
      .getByRole('alert')
      .filter({ hasText: /budget/i })
      .waitFor();
    expect(await wallet(orgId)).toBe(99_000);
  });

  it('is followed by the other tabs of a member, and a page pays from the wallet that it shows', async () => {
    await act(tabs.ada.page, 'Remove the budget');
    await tabs.ada.go('/wallet?tab=spending');
    await tabs.ada.page.getByText('Member', { exact: true }).click();
    await tabs.ada.page.getByText('Tag', { exact: true }).first().click();
    await tabs.ada.page
      .getByRole('table', { name: 'Spending' })
      .getByText(/Test buyer/)
      .waitFor();
    const { page } = tabs.bob;
    const other = await page.context().newPage();
    await other.goto(`${market.url}/console/`);
    await bar(other).getByText('You act for Acme').waitFor();
    await bar(other).getByRole('button', { name: 'Act for yourself' }).click();
    await bar(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Run for ${OTHER_PRICE} credits`, exact: true }).waitFor();
    await other.getByTitle('Account menu').click();
    await other.getByRole('menuitem', { name: 'Acme' }).click();
    await bar(page).getByText('You act for Acme, as buyer.').waitFor();
    await other.close();

    // The session acts for the person now, and this page has not heard of it.
    await choose(bob as TestUser, null);
    await page.getByLabel(/^text/).fill('by the page');
    await page
      .getByRole('button', { name: `Run for ${OTHER_PRICE} credits from the wallet of Acme` })
      .click();
    await eventually(async () => (await wallet(orgId)) === 98_000);
    await choose(bob as TestUser, orgId);
  });

  it('publishes a private agent that the organisation of a customer calls, and sees its payout', async () => {
    const { page } = tabs.ada;
    await topUp(market.owner, orgId, 1_000);
    await tabs.ada.go('/developer');
    await page.getByRole('main').getByRole('button', { name: 'Start selling' }).click();
    await page.getByRole('button', { name: 'Pay 1,000 credits from the wallet of Acme' }).click();
    await page.getByRole('dialog').getByText('are taken from the wallet of Acme, once.').waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Pay 1,000 credits from the wallet of Acme' })
      .click();
    await page.getByText('The fee is paid.').waitFor();
    expect(await wallet(orgId)).toBe(98_000);

    const { agentId } = await putLive(market, orgId, agent.url);
    const customer = await person();
    const customerOrg = await organisation(market, { owner: customer });
    await topUp(market.owner, customerOrg, 100);
    const path = `/v1/developer/agents/${agentId}`;
    const developer = dan as TestUser;
    await request(market, developer, 'PATCH', `${path}/visibility`, { visibility: 'private' });
    await request(market, developer, 'POST', `${path}/audience`, { accounts: [customerOrg] });

    await tabs.dan.go('/developer/agents');
    await tabs.dan.page.getByRole('main').getByText(agentId).first().waitFor();
    await tabs.dan.go('/developer');
    await tabs.dan.page.getByText('As developer of Acme, you may not see movements of money.').waitFor();
    const stranger = await openTab(browser, market, await person());
    await stranger.go(`/agents/${agentId}`);
    await stranger.page.getByText('No agent to show').waitFor();
    await stranger.close();

    await choose(customer, customerOrg);
    const tab = await openTab(browser, market, customer);
    await tab.go(`/agents/${agentId}/try`);
    await tab.page.getByLabel(/^text/).fill('for the customer');
    await tab.page.getByRole('button', { name: /^Run for 10 credits from the wallet of Acme/ }).click();
    await tab.page.getByRole('region', { name: 'Receipt' }).waitFor();
    await tab.close();
    expect(await wallet(customerOrg)).toBe(9_000);
    await eventually(async () => (await balance(market.owner, orgId, 'payable')) > 0);

    await market.owner.query(
      `INSERT INTO payout_methods (method_id, developer_user_id, method, sealed, masked) VALUES ($1, $2, 'ach', 'x', '{}')`,
      [newId('pmt'), orgId],
    );
    await market.owner.query(`SELECT payout_reserve($1, '2035-01-01', 0, 100000000, ARRAY['ach'], NULL)`, [
      orgId,
    ]);
    await tabs.ada.go('/developer/earnings');
    await page.getByRole('table', { name: 'Payouts' }).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Payout' }).waitFor();
  });

  it('loses a member who leaves, with the keys that the member made', async () => {
    const { page } = tabs.bob;
    const { key } = await makeKey(market, bob as TestUser, { scopes: ['billing:read'] });
    const byKey = async () =>
      (await fetch(`${market.url}/v1/billing/balance`, { headers: { 'x-api-key': key } })).status;
    expect(await byKey()).toBe(200);
    await tabs.bob.go(`/organisations/${orgId}`);
    await act(page, 'Leave');
    await page.getByText('You are in no organisation').waitFor();
    await bar(page).waitFor({ state: 'detached' });
    expect(await byKey()).toBe(401);
    await tabs.bob.go(`/agents/${bought}/try`);
    await page.getByRole('button', { name: `Run for ${OTHER_PRICE} credits`, exact: true }).waitFor();
    await tabs.ada.go(`/organisations/${orgId}`);
    const members = tabs.ada.page.getByRole('table', { name: 'Members' });
    await members.getByText((dan as TestUser).email).waitFor();
    expect(await members.getByText((bob as TestUser).email).count()).toBe(0);
  });

  it('lets a person take the data along, ask for the deletion of the account, and take that back', async () => {
    const { page } = tabs.bob;
    await tabs.bob.go('/account');
    await act(page, 'Ask for an archive');
    await page
      .getByRole('table', { name: 'Archives' })
      .getByText(/Waiting|Running|Ready/)
      .waitFor();
    await page.getByRole('button', { name: 'Ask for the deletion' }).click();
    await page.getByRole('dialog').getByLabel('Your password').fill('correct horse battery');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete your account' }).click();
    await page.getByText('Nothing is deleted without the confirmation.').waitFor();
    expect(await tabs.bob.violations()).toEqual([]);
    await act(page, 'Take it back');
    await page.getByRole('button', { name: 'Ask for the deletion' }).waitFor();
    await tabs.ada.go('/account');
    // An owner who acts for the organisation would delete the organisation, and reads so.
    await tabs.ada.page.getByRole('heading', { name: 'Delete Acme' }).waitFor();
    await tabs.ada.page
      .getByText(', not your account. Members lose access, and keep their accounts.')
      .waitFor();
    await bar(tabs.ada.page).getByRole('button', { name: 'Act for yourself' }).click();
    await bar(tabs.ada.page).waitFor({ state: 'detached' });
    await tabs.ada.go('/account');
    await tabs.ada.page.getByRole('heading', { name: 'Delete your account' }).waitFor();
    await tabs.ada.page.getByText('The account is the only owner of an organisation.').waitFor();
  });

  it('leads an address to the sign-in of its company, and refuses one without a company', async () => {
    const tab = await openTab(browser, market);
    await tab.go('/login');
    await tab.page.getByRole('link', { name: 'Log in with your company' }).click();
    await tab.page.getByLabel('Your address at the company').fill('ada@unknown.example');
    expect(await tab.violations()).toEqual([]);
    await tab.page.getByRole('button', { name: 'Continue' }).click();
    await tab.page.getByText('No company sign-in is set up for this address').waitFor();
    await tab.close();
    for (const one of Object.values(tabs)) {
      expect(one.complaints).toEqual([]);
      await one.close();
    }
  });
});
