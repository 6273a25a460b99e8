/** The first load of a page: its code and what it shows are asked for together, and nothing is asked for in vain. */
import type { Browser } from 'playwright-core';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../support/browser';
import { openCase } from '../support/disputes';
import { keptMarket } from '../support/kept-market';
import { putLive, register, type TestMarket, type TestUser } from '../support/market';
import { registerDeveloper } from '../support/publishing';

jest.setTimeout(180_000);

describeInBrowser('the first load of a page', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let developer: TestUser;
  let buyer: TestUser;
  let operator: TestUser;
  let agentId: string;
  let call: string;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([keptMarket(), openBrowser(), startAgent()]);
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
    await market.stop();
  });

  /** Loads the page as a whole. Returns what it asked for early and did not use, and what it asked for twice. */
  async function load(tab: Tab, path: string) {
    await tab.page.goto(`${market.url}/console${path}`);
    await tab.page.waitForSelector('h1');
    await tab.page.waitForSelector('[aria-label=Loading]', { state: 'detached' });
    const marks = await tab.page.evaluate<string[]>(
      `performance.getEntriesByType('mark').map(({ name }) => name)`,
    );
    // What is refused, such as the payout method that is not set, may be asked for again.
    const asked = await tab.page.evaluate<string[]>(
      `performance.getEntriesByType('resource').filter((one) => one.responseStatus < 400)
        .map(({ name }) => name.slice(location.origin.length))`,
    );
    const withPrefix = (prefix: string) =>
      marks.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    const [early, taken] = [withPrefix('early read: '), withPrefix('early read taken: ')];
    return {
      early,
      unused: early.filter((address) => !taken.includes(address)),
      twice: early.filter((address) => asked.filter((one) => one === address).length > 1),
      /** The browser asks for the icon of the tab by itself. */
      icons: asked.filter((one) => one.endsWith('/icon.svg')).length,
    };
  }

  it('asks for what the page shows once, and uses all of it', async () => {
    const tabs = [undefined, buyer, developer, operator].map((user) => openTab(browser, market, user));
    const [visitors, buyers, developers, operators] = (await Promise.all(tabs)) as [Tab, Tab, Tab, Tab];
    for (const [tab, path, least] of [
      [visitors, `/agents/${agentId}`, 3],
      [buyers, '/calls', 3],
      [buyers, `/calls/${call}`, 3],
      [buyers, '/wallet', 3],
      [developers, '/developer', 6],
      [developers, `/developer/agents/${agentId}`, 7],
      [operators, '/operator', 10],
      [operators, '/platform', 2],
    ] as const) {
      const { early, unused, twice, icons } = await load(tab, path);
      expect({ path, unused, twice }).toEqual({ path, unused: [], twice: [] });
      expect(icons).toBeLessThanOrEqual(1);
      expect(early.length).toBeGreaterThanOrEqual(least);
    }
  });
});
