/** Private agents in the console: who sees one, the link for requests, and the page of requests. */
import type { Browser } from 'playwright-core';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { registerDeveloper, request, type TestDeveloper } from '../support/catalogue/publishing';
import { describeInBrowser, openBrowser, openTab } from '../support/console/browser';
import { act } from '../support/console/console-steps';
import { expectWholeLedger, putLive, register, startMarket, type TestMarket } from '../support/market';

jest.setTimeout(120_000);

const NAME = 'Ledger reader';
const REASON = 'We read the ledgers of Acme.';

describeInBrowser('private agents in the console', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let seller: TestDeveloper;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([
      startMarket({ env: { PUBLIC_READS: 'true' } }),
      openBrowser(),
      startAgent(),
    ]);
    seller = await registerDeveloper(market);
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
  });

  const listingOf = async (who: { cookie: string }, agentId: string) =>
    (await request(market, who, 'GET', `/v1/listings/${agentId}`)).status;

  it('makes an agent private, shows it to accounts by their ids, and hides it again', async () => {
    const { agentId } = await putLive(market, seller.userId, agent.url);
    const [buyer, other] = [await register(market, 'buyer'), await registerDeveloper(market)];
    const tab = await openTab(browser, market, seller);
    const { page } = tab;
    await tab.go(`/developer/agents/${agentId}`);
    const card = page.getByRole('region', { name: 'Who may see this agent' });
    await card.getByRole('radio', { name: 'Private' }).check();
    await act(page, 'Make it private', { within: card });
    await page.getByText('Only you and the accounts below see this agent.').waitFor();
    expect(await listingOf(buyer, agentId)).toBe(404);

    const dialog = page.getByRole('dialog');
    await card.getByRole('button', { name: 'Add accounts' }).click();
    await dialog.getByLabel('Ids').fill(`${buyer.userId}, dev_nobody-has-this`);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText(/no account has the id dev_nobody/i).waitFor();
    await dialog.getByLabel('Ids').fill(`${buyer.userId}\n${other.developerId}`);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await card.getByText('2 of 2 accounts shown.').waitFor();
    expect([await listingOf(buyer, agentId), await listingOf(other, agentId)]).toEqual([200, 200]);
    expect(await tab.allViolations()).toEqual([]);
    for (const width of [360, 768]) expect([width, await tab.overflowAt(width)]).toEqual([width, 0]);

    await act(page, `Remove ${other.developerId}`, { within: card });
    await card.getByText('1 of 1 accounts shown.').waitFor();
    expect(await listingOf(other, agentId)).toBe(404);
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('finds an account of a long audience by a part of its id', async () => {
    const { agentId } = await putLive(market, seller.userId, agent.url);
    const audience = await Promise.all(Array.from({ length: 12 }, () => registerDeveloper(market)));
    const accounts = audience.map(({ developerId }) => developerId);
    const path = `/v1/developer/agents/${agentId}/audience`;
    expect((await request(market, seller, 'POST', path, { accounts })).status).toBe(200);
    const tab = await openTab(browser, market, seller);
    await tab.go(`/developer/agents/${agentId}`);
    const card = tab.page.getByRole('region', { name: 'Who may see this agent' });
    await card.getByText('12 of 12 accounts shown.').waitFor();
    const [wanted = ''] = accounts;
    await card.getByLabel('Find an account').fill(wanted.slice(4).toUpperCase());
    await card.getByText('1 of 1 accounts shown.').waitFor();
    await card.getByText(wanted).first().waitFor();
    await card.getByLabel('Find an account').fill('no-such-account');
    await card.getByText('No account has this in its id').waitFor();
    await tab.close();
  });

  it('leads from a link over the log-in to a request, and from the notice to the decision', async () => {
    const { agentId } = await putLive(market, seller.userId, agent.url, { displayName: NAME });
    await request(market, seller, 'PATCH', `/v1/developer/agents/${agentId}/visibility`, {
      visibility: 'private',
    });
    const tab = await openTab(browser, market, seller);
    const { page } = tab;
    await tab.go(`/developer/agents/${agentId}`);
    const card = page.getByRole('region', { name: 'Who may see this agent' });
    await card.getByRole('button', { name: 'Make a link' }).click();
    const link = (await card.getByLabel('link for requests', { exact: true }).innerText()).trim();
    expect(link).toMatch(/\/console\/access#acl_[A-Za-z0-9_-]{43}$/);
    expect(await tab.violations()).toEqual([]);

    const buyer = await register(market, 'buyer');
    const [, hash = ''] = link.split('#');
    const visitor = await openTab(browser, market);
    await visitor.page.goto(`${market.url}/console/access#${hash}`);
    await visitor.page.getByText('Log in to ask for access').waitFor();
    expect(visitor.page.url()).not.toContain('acl_');
    await visitor.close();

    const asking = await openTab(browser, market, buyer);
    await asking.page.goto(`${market.url}/console/access#${hash}`);
    await asking.page.getByText(NAME).waitFor();
    await asking.page.getByLabel('Why do you ask?').fill(REASON);
    expect(await asking.allViolations()).toEqual([]);
    await asking.page.getByRole('button', { name: 'Ask for access' }).click();
    await asking.page.getByText('You have asked').waitFor();

    await tab.go('/notices');
    await page.getByRole('table', { name: 'Notices' }).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Access requests' }).waitFor();
    const waiting = page.getByRole('table', { name: 'Requests for your agents' });
    await waiting.getByText(REASON).waitFor();
    expect(await tab.allViolations()).toEqual([]);
    for (const width of [360, 768]) expect([width, await tab.overflowAt(width)]).toEqual([width, 0]);
    await waiting.getByRole('button', { name: /^Grant/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Grant' }).click();
    await page.getByText('Nothing waits').waitFor();

    await asking.page.reload();
    await asking.page
      .getByRole('table', { name: 'Your requests' })
      .getByRole('link', { name: agentId })
      .click();
    await asking.page.getByRole('heading', { level: 1, name: NAME }).waitFor();
    expect([...tab.complaints, ...asking.complaints]).toEqual([]);
    await Promise.all([tab.close(), asking.close()]);
  });

  it('says that a link has ended, and forgets it', async () => {
    const buyer = await register(market, 'buyer');
    const tab = await openTab(browser, market, buyer);
    await tab.page.goto(`${market.url}/console/access#acl_${'A'.repeat(43)}`);
    await tab.page.getByRole('alert').getByText('Not found').waitFor();
    await tab.page.reload();
    await tab.page.getByText('No requests yet').waitFor();
    expect(await tab.page.getByRole('alert').getByText('Not found').count()).toBe(0);
    await tab.close();
  });
});
