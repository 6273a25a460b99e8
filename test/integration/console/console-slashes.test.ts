/** Slashes in the console: what was requested and what was taken, as operator, developer and buyer read it. */
import type { Browser, Page } from 'playwright-core';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { registerDeveloper } from '../../support/catalogue/publishing';
import { describeInBrowser, openBrowser, openTab } from '../../support/console/browser';
import { act } from '../../support/console/console-steps';
import { counter, decide, deposit, slash } from '../../support/disputes/bonds';
import { registerOperator, succeed } from '../../support/disputes/disputes';
import { expectWholeLedger, putLive, register, startMarket, topUp, type LiveAgent, type TestMarket, type TestUser } from '../../support/market'; // prettier-ignore
import { cleanEvidence } from '../../support/verification/run-evidence';
import { runWith } from '../../support/verification/trust';

jest.setTimeout(120_000);

describeInBrowser('slashes and declarations in the console', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let seller: TestUser;
  let buyer: TestUser;
  let operator: TestUser;
  let live: LiveAgent;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([startMarket(), openBrowser(), startAgent()]);
    seller = await registerDeveloper(market);
    live = await putLive(market, seller.userId, agent.url);
    [buyer, operator] = await Promise.all([register(market, 'buyer', 1_000), registerOperator(market)]);
    await topUp(market.owner, seller.userId, 600);
    await deposit(market, seller, 600);
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
  });

  const fact = (page: Page, name: string) =>
    page.locator('dl.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd');

  it('say both what was requested and what was taken, until and after the decision', async () => {
    const invocationId = await succeed(market, buyer, live.agentId);
    const about = { agentId: live.agentId, credits: 400, calls: [invocationId] };
    const { slash_id: slashId, credits: taken } = (await slash(market, operator, about)).body;
    expect(taken).toBeLessThan(400);
    const figures = `${taken} ${taken === 1 ? 'credit' : 'credits'} taken, 400 requested`;
    const developer = await openTab(browser, market, seller);
    const { page } = developer;
    await developer.go('/developer/bond');
    await page.getByRole('table', { name: 'Slashes' }).getByText(figures).waitFor();
    await developer.go(`/developer/slashes/${slashId}`);
    await page.getByText('Less was taken than requested').waitFor();
    expect(await fact(page, 'Taken from the bond').innerText()).toMatch(new RegExp(`^${taken} `));
    expect(await fact(page, 'Requested by the operator').innerText()).toBe('400 credits');
    expect(await fact(page, 'Goes to, if it becomes final').innerText()).toBe('The buyers of the calls');
    await page.getByText('Not decided').waitFor();
    expect(await developer.violations()).toEqual([]);
    expect(await developer.overflowAt(360)).toBe(0);

    expect((await counter(market, seller, slashId)).status).toBe(200);
    const tab = await openTab(browser, market, operator);
    await tab.go('/operator');
    const decision = tab.page.getByRole('article', { name: `Slash ${slashId}` });
    await decision.getByText(figures).waitFor();
    await act(tab.page, 'Uphold', { within: decision, reason: 'Proven.' });
    await decision.waitFor({ state: 'detached' });
    await tab.close();

    await page.reload();
    await page.getByText('Their buyers were refunded.').waitFor();
    expect(await fact(page, 'Went to').innerText()).toBe('The buyers of the calls');
    expect(await fact(page, 'Decided by').innerText()).toBe('An operator');
    await developer.close();

    const asBuyer = await openTab(browser, market, buyer);
    await asBuyer.go(`/calls/${invocationId}`);
    await asBuyer.page.getByText('Refunded from a bond').waitFor();
    const titles = await asBuyer.page.locator('.mantine-Timeline-itemTitle').allInnerTexts();
    expect(titles.slice(-2)).toEqual(['Settled', 'Refunded from a bond']);
    await asBuyer.close();
  });

  it('of an overturned slash, say that the bond has everything back and nothing is refunded', async () => {
    const invocationId = await succeed(market, buyer, live.agentId);
    const about = { agentId: live.agentId, credits: 9_000, calls: [invocationId] };
    const { slash_id: slashId, credits } = (await slash(market, operator, about, { refund: 'none' })).body;
    expect(credits).toBeLessThan(9_000);
    const developer = await openTab(browser, market, seller);
    const { page } = developer;
    await developer.go(`/developer/slashes/${slashId}`);
    await page.getByText('a slash takes at most what is in the bond.').waitFor();
    expect(await page.getByText('Not decided').count()).toBe(0);
    expect((await counter(market, seller, slashId)).status).toBe(200);
    expect((await decide(market, operator, slashId, 'overturned')).status).toBe(200);
    await page.reload();
    await page.getByText('Nothing is refunded: the slash was overturned.').waitFor();
    await fact(page, 'Given back to the bond').waitFor();
    expect(await page.getByText(/Taken from the bond|Goes to|Went to|Not decided/).count()).toBe(0);
    await developer.go('/developer/bond');
    await page.getByRole('table', { name: 'Slashes' }).getByText('given back, 9,000 requested').waitFor();
    expect(await developer.overflowAt(360)).toBe(0);
    await developer.close();
  });

  it('name a declaration that the trust report contradicts as the overview names it', async () => {
    const { agentId } = live;
    const evidence = cleanEvidence();
    evidence.dynamic.idempotency = { coverage: { wanted: 1, looked: 1, gaps: [] }, sameAnswer: false };
    await runWith(market, live, evidence);
    const tab = await openTab(browser, market, buyer);
    await tab.go(`/agents/${agentId}`);
    expect(await fact(tab.page, 'Idempotent').innerText()).toContain('contradicted by the trust report');
    await tab.page.getByRole('tab', { name: 'Trust report' }).click();
    const contradicted = tab.page.getByRole('alert', { name: 'Declared, but contradicted by this run' });
    expect(await contradicted.getByRole('listitem').innerText()).toMatch(/^Idempotent: /);
    await tab.close();
  });
});
