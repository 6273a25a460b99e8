/**
 * The console with the keyboard alone, in each role: every page is reached with Ctrl+K, Tab and Enter, its main action
 * is done, Tab leaves every place, and nothing waits for a pointer.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { testManifest } from '../support/agents/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { publish, registerDeveloper, request } from '../support/catalogue/publishing';
import { describeInBrowser, openBrowser, openTab } from '../support/console/browser';
import { keyboardOf, type Keyboard } from '../support/console/keyboard';
import { deposit, slash } from '../support/disputes/bonds';
import { openCase, registerOperator, respond, succeed } from '../support/disputes/disputes';
import { eventually, expectWholeLedger, putLive, register, startMarket, topUp, type TestMarket, type TestUser } from '../support/market'; // prettier-ignore
import { newSlug } from '../support/names';

jest.setTimeout(180_000);

const PASSWORD = 'correct horse battery';
const PAGES = readFileSync(join(__dirname, '../../console/src/page-table.ts'), 'utf8');
const ROUTES = ['/', ...[...PAGES.matchAll(/page\('([^']+)'/g)].map(([, path]) => path ?? '')];

/** The paths of a route of the router, such as `/calls/$invocationId`. */
const pathOf = (route: string) => new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`);

describeInBrowser('the console without a pointer', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let seller: TestUser;
  let operator: TestUser;
  let agentId: string;
  const slug = newSlug('keys');
  const visited = new Set<string>();

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([
      startMarket({ env: { PUBLIC_READS: 'true' } }),
      openBrowser(),
      startAgent(),
    ]);
    [seller, operator] = await Promise.all([registerDeveloper(market), registerOperator(market)]);
    ({ agentId } = await putLive(market, seller.userId, agent.url, {
      agentId: slug,
      displayName: `Echo ${slug}`,
    }));
    await topUp(market.owner, seller.userId, 2_000);
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
  });

  /** A tab that is driven by the keyboard. `look` checks the page and notes its route. */
  async function open(user?: TestUser) {
    const tab = await openTab(browser, market, user);
    const { page } = tab;
    await page.waitForSelector('h1');
    const keys = keyboardOf(page);
    const look = async (route: string) => {
      visited.add(route);
      const path = new URL(page.url()).pathname.replace(/^\/console/, '');
      expect(path.replace(/\/$/, '') || '/').toMatch(pathOf(route));
      expect({ route, problems: await keys.problems() }).toEqual({ route, problems: [] });
    };
    const button = (name: string | RegExp) => page.getByRole('main').getByRole('button', { name });
    const link = (name: string | RegExp) => page.getByRole('main').getByRole('link', { name });
    const firstOf = (table: string) => page.getByRole('table', { name: table }).getByRole('link');
    return { tab, page, keys, look, button, link, firstOf };
  }

  /** Fills the form of log-in or sign-up and sends it with Enter. */
  async function logIn(page: Page, keys: Keyboard, email: string) {
    await keys.type(page.getByLabel('Email'), email);
    await keys.type(page.locator('input[type=password]'), PASSWORD);
    await page.keyboard.press('Enter');
  }

  it('takes a visitor to an account, and a buyer through calls, money and keys', async () => {
    const { tab, page, keys, look, button, link, firstOf } = await open();
    await page.getByText(`Echo ${slug}`).first().waitFor();
    await look('/');
    await keys.find('Status', 'Status');
    await look('/status');
    const ofMails = ['/confirm-email', '/reset-password', '/invitation', '/confirm-deletion'];
    for (const path of ['/enter', ...ofMails, '/forgot-password', '/login']) {
      await tab.go(path);
      await look(path);
    }
    await tab.go('/login');
    await keys.follow(link('Forgot your password?'), 'Set a new password');
    await keys.type(page.getByLabel('Email'), 'ada@example.test');
    await page.keyboard.press('Enter');
    await page.getByText('Look into your mailbox').waitFor();

    await keys.find(slug, `Echo ${slug}`);
    await look('/agents/$agentId');
    await keys.follow(link('Test developer'), 'Test developer');
    await look('/developers/$developerId');
    await tab.go(`/compare?agents=${agentId}`);
    await keys.press(button(/^Leave out/));
    await page.getByText('No agent is chosen').waitFor();
    await look('/compare');
    await keys.find(slug, `Echo ${slug}`);
    await keys.tabTo(page.getByRole('tab', { name: 'Overview' }));
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/tab=trust/);
    await keys.follow(link('Try it'), /./);
    await keys.type(page.getByLabel(/^text/), 'typed by hand');
    await keys.follow(link('Log in to run this agent'), 'Log in');
    await keys.follow(link('Sign up'), 'Sign up');
    await look('/signup');
    await keys.type(page.getByRole('textbox', { name: 'Name' }), 'Ada');
    await logIn(page, keys, `${newSlug('keys')}@example.test`);
    await page.waitForURL(/\/try$/);
    expect(await page.getByLabel(/^text/).inputValue()).toBe('typed by hand');
    await look('/agents/$agentId/try');

    await keys.press(button(/^Run/));
    await keys.follow(link('Add credits'), 'Wallet');
    const amount = page.getByRole('dialog').getByLabel('Amount');
    await keys.type(amount, '4');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/try/);
    await page.getByRole('banner').getByText('400 credits').waitFor();
    await keys.type(page.getByLabel(/^text/), 'hello');
    await page.keyboard.press('Control+Enter');
    await keys.press(
      page.getByRole('region', { name: 'Receipt' }).getByRole('link', { name: 'Show this call' }),
    );
    await page.getByText('Settled').waitFor();
    await look('/calls/$invocationId');
    await keys.press(button('Dispute this call'));
    await keys.type(page.getByRole('dialog').getByLabel('What went wrong'), 'It is not what I asked for.');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/disputes\/dsp_/);
    await look('/disputes/$disputeId');

    await keys.find(slug, `Echo ${slug}`);
    await keys.press(button('Add to favourites'));
    await button('Remove from favourites').waitFor();
    await keys.find('Favourites', 'Favourites');
    await button('Remove from favourites').waitFor();
    await look('/favourites');
    await keys.find('Wallet', 'Wallet');
    await look('/wallet');
    await keys.find('Calls', 'Calls');
    await look('/calls');
    await keys.find('Disputes', 'Disputes');
    await look('/disputes');
    await keys.follow(firstOf('Disputes'), /./);
    await keys.find('API keys', 'API keys');
    await keys.press(button('Create a key'));
    await keys.type(page.getByRole('dialog').getByLabel('Name'), 'Server');
    await page.keyboard.press('Enter');
    await page.getByText(/^Copy this key now$/).waitFor();
    await look('/keys');
    await keys.find('Webhooks', 'Webhooks');
    await keys.press(button('Add a webhook'));
    await keys.type(page.getByRole('dialog').getByLabel('Address'), 'https://127.77.0.1/hook');
    await page.keyboard.press('Enter');
    await page.getByText(/^Copy this signing secret now$/).waitFor();
    await look('/webhooks');
    await keys.follow(firstOf('Webhooks'), /./);
    await keys.act(button('Send a test'));
    await page.getByRole('table', { name: 'Deliveries' }).getByText('webhook.test').waitFor();
    await look('/webhooks/$webhookId');
    await keys.find('Profile', 'Account');
    await keys.type(page.getByRole('textbox', { name: 'Name' }), 'Ada L.');
    await page.keyboard.press('Enter');
    await page.getByText('Your name is changed.').waitFor();
    await look('/account');
    await keys.find('Organisations', 'Organisations');
    await look('/organisations');
    await keys.press(button('Found an organisation'));
    await keys.type(page.getByRole('dialog').getByLabel('Name'), 'Acme');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    await page.getByRole('table', { name: 'Members' }).waitFor();
    await look('/organisations/$orgId');
    await keys.press(button('Act for yourself'));
    await page.getByRole('region', { name: 'For whom you act' }).waitFor({ state: 'detached' });
    for (const path of ['/welcome', '/notices', '/access']) {
      await tab.go(path);
      await look(path);
    }
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('takes a developer from the manifest to the answer to a slash', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const { invocationId } = await openCase(market, buyer, agentId);
    await deposit(market, seller, 1_000);
    await slash(market, operator, { agentId, credits: 5, calls: [invocationId] });
    await succeed(market, buyer, agentId);
    await market.owner.query(`SELECT payout_reserve($1, '2035-01-01', 0, 100000000, ARRAY['ach'], NULL)`, [
      seller.userId,
    ]);
    const draft = testManifest(agent.url, {
      agentId: slug,
      displayName: `Echo ${slug}`,
      version: '1.1.0',
    });
    expect((await publish(market, seller, draft, { submit: false })).status).toBe(201);
    const { tab, page, keys, look, button, link, firstOf } = await open(seller);
    await keys.find('Overview', 'Selling');
    await look('/developer');
    await keys.find('Agents', 'Your agents');
    await look('/developer/agents');
    await keys.follow(link('Register by its endpoint'), 'Register an agent by its endpoint');
    await look('/developer/register');

    // The editor lets Tab go on.
    await keys.find('Publish', 'Publish an agent');
    await look('/developer/publish');
    const other = testManifest(agent.url, { agentId: newSlug('typed') });
    await keys.type(page.getByLabel('Manifest'), '');
    await page.keyboard.insertText(JSON.stringify(other));
    await keys.press(button('Publish and verify'));
    await page.getByText('Buyers find this agent in the search.').waitFor({ timeout: 60_000 });

    await keys.find('Agents', 'Your agents');
    await keys.follow(page.getByRole('main').getByRole('link', { name: `Echo ${slug}` }), `Echo ${slug}`);
    await look('/developer/agents/$agentId');
    await keys.follow(link('1.1.0'), 'Version 1.1.0');
    await look('/developer/agents/$agentId/versions/$version');
    await keys.act(button('Delete'));
    await page.getByText('The draft 1.1.0 is deleted.').waitFor();
    await keys.follow(link('Edit'), /^Edit /);
    await look('/developer/agents/$agentId/edit');
    await keys.follow(link(`Echo ${slug}`), `Echo ${slug}`);
    await keys.follow(link('As buyers see it'), `Echo ${slug}`);
    await tab.go(`/developer/agents/${agentId}/preview`);
    await look('/developer/agents/$agentId/preview');
    await keys.follow(link('Your agent'), `Echo ${slug}`);
    await keys.follow(link('Calls'), /Calls/);
    await look('/developer/agents/$agentId/calls');

    await keys.find('Earnings', 'Earnings');
    await look('/developer/earnings');
    await keys.follow(firstOf('Payouts'), 'Payout');
    await look('/developer/payouts/$payoutId');
    await keys.find('Bond', 'Bond');
    await look('/developer/bond');
    await keys.type(page.getByRole('main').getByLabel('Credits'), '100');
    await keys.act(button('Deposit'));
    await keys.follow(firstOf('Slashes'), 'Slash');
    await look('/developer/slashes/$slashId');
    await keys.type(page.getByLabel('Your counter-argument'), 'The answer was right.');
    await keys.press(button('Send the answer'));
    await page.getByRole('region', { name: 'Your answer' }).waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('takes an operator through decisions, people, agents, calls and the state of the service', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const { disputeId } = await openCase(market, buyer, agentId);
    await respond(market, seller, disputeId, 'contest');
    const { tab, page, keys, look, button, firstOf } = await open(operator);
    await keys.find('Decisions', 'Decisions');
    const card = page.getByRole('article', { name: `Dispute ${disputeId}` });
    await keys.act(card.getByRole('button', { name: 'Refund' }), 'The answer is wrong.');
    await card.waitFor({ state: 'detached' });
    await look('/operator');
    for (const [words, heading, route] of [
      ['Numbers', 'Numbers', '/operator/figures'],
      ['Disputes', /^Disputes/, '/operator/disputes'],
      ['Slashes', 'Slashes', '/operator/slashes'],
      ['Payments', 'Payments', '/operator/payments'],
      ['Payouts', 'Payouts', '/operator/payouts'],
      ['Ledger', 'Ledger', '/operator/ledger'],
      ['Audit', 'Audit log', '/operator/audit'],
      ['Health', 'Health', '/platform'],
      ['Agents', /^Agents/, '/operator/agents'],
      ['Calls', /^Calls/, '/operator/calls'],
      ['Accounts', 'Accounts', '/operator/accounts'],
    ] as const) {
      await keys.find(words, heading);
      await look(route);
    }
    await keys.find(disputeId, /^Dispute/);
    await look('/operator/disputes/$disputeId');
    await keys.find('Slashes', 'Slashes');
    await keys.follow(firstOf('Slashes'), 'Slash');
    await look('/operator/slashes/$slashId');
    await keys.find('Calls', /^Calls/);
    await keys.follow(firstOf('Calls').first(), 'Call');
    await look('/operator/calls/$invocationId');
    await keys.find(buyer.userId, 'Test buyer');
    await look('/operator/accounts/$userId');
    await keys.act(button('Freeze the wallet'), 'The card was stolen.');
    const frozen = async () =>
      (
        await request<{ wallet_frozen: boolean }>(
          market,
          operator,
          'GET',
          `/v1/operator/accounts/${buyer.userId}`,
        )
      ).body.wallet_frozen;
    await eventually(frozen);
    await keys.find('Agents', /^Agents/);
    await keys.follow(page.getByRole('main').getByRole('link', { name: agentId }), agentId);
    await keys.act(button('Suspend'), 'It leaks.');
    await page.getByRole('button', { name: 'Reinstate' }).waitFor();
    await look('/operator/agents/$agentId');
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('leaves out no page', () => {
    expect(ROUTES.filter((route) => !visited.has(route))).toEqual([]);
  });
});
