/** The first load of a page: its code and what it shows are asked for together, and nothing is asked for in vain. */
import type { Browser, Route } from 'playwright-core';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { followAccount } from '../../support/calls/event-stream';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../../support/console/browser';
import { openCase } from '../../support/disputes/disputes';
import { keptMarket } from '../../support/kept-market';
import {
  eventually,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { registerDeveloper } from '../../support/catalogue/publishing';
import { cleanEvidence } from '../../support/verification/run-evidence';
import { runWith } from '../../support/verification/trust';

jest.setTimeout(180_000);

describeInBrowser('the first load of a page', () => {
  let market: TestMarket;
  /** The same market with its shop open. */
  let open: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let developer: TestUser;
  let buyer: TestUser;
  let operator: TestUser;
  let agentId: string;
  let call: string;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([keptMarket(), openBrowser(), startAgent()]);
    open = await startMarket({ share: market, env: { PUBLIC_READS: 'true' } });
    [developer, buyer, operator] = await Promise.all([
      registerDeveloper(market),
      register(market, 'buyer', 1_000),
      register(market, 'buyer'),
    ]);
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
    ({ agentId } = await putLive(market, developer.userId, agent.url));
    ({ invocationId: call } = await openCase(market, buyer, agentId));
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await open.stop();
    await market.stop();
  });

  /** Loads the page as a whole. Returns what it asked for early and did not use, for twice, and in vain. */
  async function load(tab: Tab, path: string, { url } = market) {
    await tab.page.goto(`${url}/console${path}`);
    await tab.page.waitForSelector('h1');
    await tab.page.waitForSelector('[aria-label=Loading]', { state: 'detached' });
    const marks = await tab.page.evaluate<string[]>(
      `performance.getEntriesByType('mark').map(({ name }) => name)`,
    );
    const asked = await tab.page.evaluate<string[]>(
      `performance.getEntriesByType('resource').filter((one) => one.responseStatus < 400)
        .map(({ name }) => name.slice(location.origin.length))`,
    );
    const refused = await tab.page.evaluate<string[]>(
      `performance.getEntriesByType('resource').filter((one) => one.responseStatus >= 400).map(({ name }) => name)`,
    );
    const withPrefix = (prefix: string) =>
      marks.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    const [early, taken] = [withPrefix('early read: '), withPrefix('early read taken: ')];
    return {
      early,
      unused: early.filter((address) => !taken.includes(address)),
      twice: early.filter((address) => asked.filter((one) => one === address).length > 1),
      refused,
      /** The browser asks for the icon of the tab by itself. */
      icons: asked.filter((one) => one.endsWith('/icon.svg')).length,
    };
  }

  /** As if these accounts had followed their events for an hour. The first stream of an account begins with itself. */
  async function follow(...users: TestUser[]): Promise<void> {
    const ids = users.map(({ userId }) => userId);
    await market.owner.query('SELECT event_follow($1, 86400000)', [ids]);
    await market.owner.query(
      'UPDATE event_followers SET since = since - 3600000000 WHERE user_id = ANY ($1)',
      [ids],
    );
  }

  it('requests the data of the page once, and uses all of it', async () => {
    await follow(buyer, developer, operator);
    const tabs = [buyer, developer, operator].map((user) => openTab(browser, market, user));
    const visitors = await openTab(browser, open);
    const [buyers, developers, operators] = (await Promise.all(tabs)) as [Tab, Tab, Tab];
    for (const [tab, path, least] of [
      [visitors, `/agents/${agentId}`, 2],
      [buyers, `/agents/${agentId}`, 3],
      [buyers, '/calls', 3],
      [buyers, `/calls/${call}`, 3],
      [buyers, '/wallet', 3],
      [buyers, '/developer', 1],
      [developers, '/developer', 4],
      [developers, `/developer/agents/${agentId}`, 7],
      [operators, '/operator', 9],
      [operators, '/platform', 2],
    ] as const) {
      const { early, unused, twice, refused, icons } = await load(
        tab,
        path,
        tab === visitors ? open : market,
      );
      expect({ path, unused, twice, refused }).toEqual({ path, unused: [], twice: [], refused: [] });
      expect(icons).toBeLessThanOrEqual(1);
      expect(early.length).toBeGreaterThanOrEqual(least);
    }
    await Promise.all([visitors, buyers, developers, operators].map((tab) => tab.close()));
  });

  it.each([
    ['of an account that followed its events before', true],
    ['of another account', false],
  ])('shows what happened after its reads and before its stream of events: %s', async (_who, isFollowing) => {
    const user = await register(market, 'buyer', 100);
    const tab = await openTab(browser, market, user);
    const { page } = tab;
    const held: Route[] = [];
    await page.route('**/v1/events/stream*', (route) => void held.push(route));
    await follow(user);
    if (!isFollowing)
      await market.owner.query('DELETE FROM event_followers WHERE user_id = $1', [user.userId]);
    await page.goto(`${market.url}/console/calls`);
    await page.getByText('Calls appear here as soon as they are accepted.').waitFor();
    await eventually(() => held.length > 0);
    // Events get their places while an account follows.
    const other = await followAccount(market, { cookie: developer.cookie });
    await invoke(market, user, agentId, { input: { text: 'in between' } });
    await other.next(1);
    await other.leave();
    const calls = page.getByRole('table', { name: 'Calls' });
    expect(await calls.count()).toBe(0);
    await Promise.all(held.map((route) => route.continue()));
    await calls.getByRole('link').first().waitFor({ timeout: 10_000 });
    await tab.close();
  });

  it('asks a visitor to log in while PUBLIC_READS is off, and returns to the requested page', async () => {
    const tab = await openTab(browser, market);
    const { page } = tab;
    for (const path of ['/', `/agents/${agentId}`, '/wallet']) {
      await page.goto(`${market.url}/console${path}`);
      await page.getByRole('alert').getByText('Log in to see this').first().waitFor();
      expect({ path, violations: await tab.violations() }).toEqual({ path, violations: [] });
      expect(await page.getByText('Echo agent').count()).toBe(0);
    }
    const wanted = `/console/agents/${agentId}?tab=versions`;
    await page.goto(`${market.url}${wanted}`);
    await page.getByRole('alert').getByRole('link', { name: 'Log in' }).first().click();
    await page.getByLabel('Email').fill(buyer.email);
    await page.locator('input[type=password]').fill('correct horse battery');
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Echo agent' }).waitFor();
    expect(page.url()).toBe(`${market.url}${wanted}`);
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('shows a visitor the agents while PUBLIC_READS is on, and asks for a log-in where an account is needed', async () => {
    const tab = await openTab(browser, open);
    await tab.page.locator('main a[href*="/agents/agt_"]').first().waitFor();
    await tab.go(`/agents/${agentId}`);
    await tab.page.getByRole('region', { name: 'Price' }).waitFor();
    expect(await tab.page.getByText('Log in to see this').count()).toBe(0);
    await tab.go('/wallet');
    await tab.page.getByRole('alert').getByRole('link', { name: 'Log in' }).first().waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('puts agents that a visitor chose side by side, and keeps the choice while the page is left', async () => {
    const other = await putLive(market, developer.userId, agent.url, { credits: 25 });
    const tab = await openTab(browser, open);
    const { page } = tab;
    for (const id of [agentId, other.agentId]) {
      await tab.go(`/?q=${id}`);
      await page
        .getByRole('checkbox', { name: /^Compare/ })
        .first()
        .check();
    }
    await page.getByRole('region', { name: 'Comparison' }).getByText('2 agents chosen.').waitFor();
    await page.getByRole('link', { name: 'Compare 2 agents' }).click();
    const row = (name: string) => page.getByRole('table', { name: 'Comparison' }).getByRole('row', { name });
    await row('Price').getByText('25 credits a call').waitFor();
    await row('Price').getByText('10 credits a call').waitFor();
    expect(await tab.violations()).toEqual([]);
    expect(await tab.overflowAt(360)).toBe(0);
    await page
      .getByRole('button', { name: /^Leave out/ })
      .first()
      .click();
    await row('Price').getByText('10 credits a call').waitFor({ state: 'detached' });
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('keeps the buttons of a card beside its facts, however many these are, and below them on a phone', async () => {
    const tab = await openTab(browser, open);
    const { page } = tab;
    const card = page.getByRole('article').first();
    const facts = card.locator('.listing-facts');
    await facts.waitFor();
    await page.evaluate(`{
      const facts = document.querySelector('article .listing-facts');
      for (let fact = 0; fact < 30; fact += 1) facts.append(facts.children[0].cloneNode(true));
    }`);
    const boxes = async () => {
      const [left, right] = await Promise.all([
        facts.boundingBox(),
        card.locator('.listing-try').boundingBox(),
      ]);
      if (!left || !right) throw new Error('the card has no facts or no buttons');
      return { left, right };
    };
    await page.setViewportSize({ width: 1_440, height: 900 });
    const wide = await boxes();
    expect(wide.right.x).toBeGreaterThan(wide.left.x + wide.left.width);
    expect(wide.right.y + wide.right.height).toBeLessThanOrEqual(wide.left.y + wide.left.height + 1);
    await page.setViewportSize({ width: 360, height: 900 });
    const narrow = await boxes();
    expect(narrow.right.y).toBeGreaterThanOrEqual(narrow.left.y + narrow.left.height);
    expect(await tab.overflowAt(360)).toBe(0);
    await tab.close();
  });

  it('moves the focus to the heading of a page whose code comes late', async () => {
    const tab = await openTab(browser, open);
    const { page } = tab;
    await page.locator('main a[href*="/agents/agt_"]').first().waitFor();
    let isHeld = true;
    const held: Route[] = [];
    await page.route('**/console/assets/*.js', (route) =>
      isHeld ? void held.push(route) : route.continue(),
    );
    await page.getByRole('link', { name: 'Status', exact: true }).first().click();
    await page.locator('main [aria-label=Loading]').first().waitFor();
    isHeld = false;
    await Promise.all(held.map((route) => route.continue()));
    await page.locator('h1:focus').waitFor();
    expect(await page.locator('h1').innerText()).toContain('Status');
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('shows beside a declaration that the newest trust report contradicts it', async () => {
    const evidence = cleanEvidence();
    evidence.dynamic.idempotency = { coverage: { wanted: 1, looked: 1, gaps: [] }, sameAnswer: false };
    const stated = await putLive(market, developer.userId, agent.url);
    const tab = await openTab(browser, market, buyer);
    await tab.go(`/agents/${stated.agentId}`);
    await tab.page.getByText('Idempotent', { exact: true }).waitFor();
    const contradicted = tab.page.getByText(/^(Yes|No) \(contradicted by the trust report\)$/);
    expect(await contradicted.count()).toBe(0);
    await runWith(market, stated, evidence);
    await tab.page.reload();
    await contradicted.waitFor();
    expect(await tab.violations()).toEqual([]);
    await tab.go(`/agents/${stated.agentId}?tab=trust`);
    await tab.page.getByText('Declared, but contradicted by this run').waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });
});
