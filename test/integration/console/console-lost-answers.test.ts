/**
 * The console when the answer to a request that moves money is lost: it asks with the same key, and then says what is
 * known.
 */
import type { Browser, Page, Route } from 'playwright-core';
import { eventStream } from '../../support/agents/behaviours';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../../support/console/browser';
import { act } from '../../support/console/console-steps';
import { request } from '../../support/catalogue/publishing';
import { CHAT_SCHEMAS, TURN } from '../../support/calls/chat';
import { keptMarket } from '../../support/kept-market';
import { balance, eventually, expectWholeLedger, invoke, putLive, register, type TestMarket, type TestUser } from '../../support/market'; // prettier-ignore
import { newSlug } from '../../support/names';

jest.setTimeout(120_000);

const FORM_SCHEMA = {
  type: 'object',
  required: ['zone'],
  properties: {
    zone: { type: 'string', maxLength: 40 },
    amount: { type: 'integer' },
    code: { type: 'string', pattern: '^[A-Z]{2}$', default: 'NG' },
    day: { type: 'string', format: 'date' },
  },
  examples: [
    { zone: 'Lagos', amount: 2 },
    { zone: 'Abuja', amount: 3 },
  ],
};

describeInBrowser('the console without an answer', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let developer: TestUser;
  let agentId: string;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([keptMarket(), openBrowser(), startAgent()]);
    developer = await register(market, 'developer', 1_000);
    ({ agentId } = await putLive(market, developer.userId, agent.url, { agentId: newSlug('lost'), credits: 7 }));
  }); // prettier-ignore
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
  });

  /** The service carries out the requests to `path`, and the answers to the first `count` of them are lost. */
  async function loseAnswers(page: Page, path: string, count: number) {
    const keys: (string | undefined)[] = [];
    const take = async (route: Route) => {
      const sent = route.request();
      const body = sent.postDataJSON() as { idempotency_key?: string } | null;
      keys.push(sent.headers()['idempotency-key'] ?? body?.idempotency_key);
      if (keys.length > count) return route.continue();
      // What Playwright sends again lacks this header, so the service would refuse it as a request of another site.
      const reply = await route.fetch({ headers: { ...sent.headers(), 'sec-fetch-site': 'same-origin' } });
      expect(reply.status()).not.toBe(403);
      await route.abort('connectionreset');
    };
    await page.route(`**${path}`, take);
    return { keys, restore: () => page.unroute(`**${path}`, take) };
  }

  async function run({ page, go }: Tab, text: string) {
    await go(`/agents/${agentId}/try`);
    await page.getByLabel(/^text/).fill(text);
    await page.getByRole('button', { name: /^Run/ }).click();
  }

  it('says that it checks a call, repeats it with the same key, and shows the one charge', async () => {
    const buyer = await register(market, 'buyer', 100);
    const tab = await openTab(browser, market, buyer);
    const lost = await loseAnswers(tab.page, `/v1/agents/${agentId}/invoke`, 3);
    await run(tab, 'hello');
    await tab.page.getByRole('status').getByText('We are checking').waitFor();
    expect(await tab.page.getByText('Nothing was charged.').count()).toBe(0);
    await tab.page.getByRole('region', { name: 'Receipt' }).getByText('7 credits').waitFor();
    expect(await tab.page.getByText('We are checking').count()).toBe(0);
    expect(lost.keys).toHaveLength(4);
    expect(new Set(lost.keys).size).toBe(1);
    expect(lost.keys[0]).toBeTruthy();
    expect(await wallet(buyer)).toBe(93);

    // The next run is another call.
    await lost.restore();
    await run(tab, 'hello');
    await eventuallyBalance(buyer, 86);
    await tab.close();
  });

  it('says that the answer of a call is no longer stored, instead of an output of null', async () => {
    const buyer = await register(market, 'buyer', 100);
    const tab = await openTab(browser, market, buyer);
    const lost = await loseAnswers(tab.page, `/v1/agents/${agentId}/invoke`, 1_000);
    await run(tab, 'expires');
    await eventually(async () => {
      const { rowCount } = await market.owner.query(
        `UPDATE invocation_answers a SET expires_at = now() - interval '1 second'
           FROM invocations i WHERE i.invocation_id = a.invocation_id AND i.buyer_user_id = $1`,
        [buyer.userId],
      );
      return rowCount === 1;
    });
    await lost.restore();
    await tab.page.getByText('its answer is no longer stored').waitFor();
    await tab.page.getByRole('region', { name: 'Receipt' }).getByText('7 credits').waitFor();
    expect(await tab.page.getByRole('region', { name: 'Answer' }).getByText('null').count()).toBe(0);
    await tab.close();
  });

  it('keeps the key of a call that is in doubt when the page is loaded again', async () => {
    const buyer = await register(market, 'buyer', 100);
    const tab = await openTab(browser, market, buyer);
    const lost = await loseAnswers(tab.page, `/v1/agents/${agentId}/invoke`, 1_000);
    await run(tab, 'in doubt');
    await tab.page.getByText('We are checking').waitFor();
    await lost.restore();
    await tab.page.reload();
    const again = await loseAnswers(tab.page, `/v1/agents/${agentId}/invoke`, 0);
    await run(tab, 'in doubt');
    await tab.page.getByRole('region', { name: 'Receipt' }).getByText('7 credits').waitFor();
    expect(again.keys[0]).toBe(lost.keys[0]);
    expect(await wallet(buyer)).toBe(93);
    await tab.close();
  });

  it('shows what a call sent and got while the account keeps it, calls again with it, attaches it, and erases it', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { page, go, close } = await openTab(browser, market, buyer);
    await go('/account');
    await page.getByLabel('Days to keep inputs and outputs').fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your next calls are kept for 7 days.').waitFor();
    await page.getByLabel('Slashes of your bond').uncheck();
    await page.getByRole('button', { name: 'Change mails' }).click();
    await page.getByText('Your choice of mails is saved.').waitFor();
    const mails = await request<{ bond: boolean }>(market, buyer, 'GET', '/v1/notices/mails');
    expect(mails.body).toMatchObject({ bond: false, disputes: true });
    const call = await invoke(market, buyer, agentId, { input: { text: 'remember me' } });
    await page.route('**/bodies', (route) => route.abort());
    await go(`/calls/${call.body.invocation_id}`);
    const bodies = page.getByRole('region', { name: 'Input and output' });
    await bodies.getByText('It could not be read.').first().waitFor();
    expect(await page.getByText('not stored').count()).toBe(0);
    await page.unroute('**/bodies');
    await bodies.getByRole('button', { name: 'Try again' }).click();
    await bodies.getByLabel('input', { exact: true }).getByText('remember me').waitFor();
    await bodies.getByLabel('output', { exact: true }).getByText('remember me').waitFor();
    await page.getByRole('button', { name: 'Call again with this input' }).click();
    await page.getByLabel(/^text/).waitFor();
    expect(await page.getByLabel(/^text/).inputValue()).toBe('remember me');

    await go(`/calls/${call.body.invocation_id}`);
    await page.getByRole('button', { name: 'Dispute this call' }).click();
    await page.getByLabel('What went wrong').fill('It repeats me.');
    await page.getByLabel('The output').check();
    await page.getByRole('button', { name: 'Open the dispute' }).click();
    await page.getByLabel('attached output').getByText('remember me').waitFor();
    expect(await page.getByLabel('attached input').count()).toBe(0);

    await go(`/calls/${call.body.invocation_id}`);
    await act(page, 'Erase');
    await bodies.getByText('It is not stored.').first().waitFor();
    expect(await page.getByText('remember me').count()).toBe(0);
    await close();
  });

  it('says that nothing was charged after a failed call', async () => {
    const buyer = await register(market, 'buyer', 100);
    const tab = await openTab(browser, market, buyer);
    agent.behave({ kind: 'status', status: 503 });
    await loseAnswers(tab.page, `/v1/agents/${agentId}/invoke`, 2);
    await run(tab, 'fails');
    await tab.page.getByText('We are checking').waitFor();
    await tab.page.getByText('Nothing was charged.').waitFor();
    agent.behave({ kind: 'echo' });
    expect(await wallet(buyer)).toBe(100);
    await tab.close();
  });

  it('shows an example to try, brings the answer into view, and marks it when the input changes', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId: formId } = await putLive(market, developer.userId, agent.url, {
      credits: 3,
      freeTierCalls: 1,
      inputSchema: FORM_SCHEMA,
      outputSchema: { type: 'object' },
    });
    const { page, go, ...tab } = await openTab(browser, market, buyer);
    await page.setViewportSize({ width: 360, height: 640 });
    await go(`/agents/${formId}/try`);
    const labels = page.locator('form label');
    await labels.first().waitFor();
    expect(await labels.allInnerTexts()).toEqual(['zone *', 'amount', 'code', 'day']);
    expect(await page.getByLabel('zone').inputValue()).toBe('Lagos');
    expect(await page.getByLabel('day').getAttribute('type')).toBe('date');
    await page.getByText('1 of 1 free this month').waitFor();
    await page.getByRole('textbox', { name: 'Fill in an example' }).click();
    await page.getByRole('option').first().click();
    await page.getByRole('button', { name: 'Run for free' }).click();
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.getByText('0 credits: this call was free').waitFor();
    await page.getByRole('button', { name: 'Run for 3 credits' }).waitFor();
    const answer = page.getByRole('region', { name: 'Answer' });
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Answer');
    const top = (await answer.boundingBox())?.y ?? -1;
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(640);
    expect(await page.getByText('The input has changed').count()).toBe(0);
    await page.getByLabel('zone').fill('Accra');
    await page.getByText('The input has changed').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await tab.violations()).toEqual([]);
    expect(await tab.overflowAt(360)).toBe(0);
    await tab.close();
  });

  it('charges a streamed turn once whose stream was cut', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId: chatId } = await putLive(market, developer.userId, agent.url, { ...CHAT_SCHEMAS, credits: 7 }); // prettier-ignore
    agent.behave(eventStream(['Good ', 'morning'], 50));
    const tab = await openTab(browser, market, buyer);
    const lost = await loseAnswers(tab.page, `/v1/agents/${chatId}/chat`, 1);
    await tab.go(`/agents/${chatId}/try`);
    await tab.page.getByText('JSON', { exact: true }).click();
    await tab.page.getByLabel('Input as JSON').fill(JSON.stringify(TURN));
    await tab.page.getByRole('button', { name: /^Run/ }).click();
    await tab.page.getByRole('region', { name: 'Receipt' }).getByText('7 credits').waitFor();
    expect(new Set(lost.keys).size).toBe(1);
    expect(lost.keys).toHaveLength(2);
    expect(await wallet(buyer)).toBe(93);

    const { page } = tab;
    await page.getByText('Chat', { exact: true }).click();
    await page.getByLabel('Your message').fill('And now?');
    await page.getByRole('button', { name: /^Send for/ }).click();
    const conversation = page.getByRole('list', { name: 'Conversation' });
    await conversation.getByText('Good morning').waitFor();
    await page.reload();
    await conversation.getByText('Good morning').waitFor();
    await conversation.getByText('And now?').waitFor();
    const kept = () => page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    expect(await kept()).toContain('Good morning');
    await page.getByTitle('Account menu').click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'Log in' }).first().waitFor();
    expect(await kept()).not.toContain('Good morning');
    agent.behave({ kind: 'echo' });
    await tab.close();
  });

  it('tops up and deposits once', async () => {
    const seller = await register(market, 'developer', 500);
    const tab = await openTab(browser, market, seller);
    const { page } = tab;
    const topUps = await loseAnswers(page, '/v1/billing/topup', 2);
    await tab.go('/wallet');
    await page.getByRole('button', { name: 'Add credits' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Amount').fill('0.4');
    expect(await dialog.getByRole('button', { name: 'Pay', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel('Amount').fill('4');
    await dialog.getByRole('button', { name: 'Pay US$4.00' }).click();
    await dialog.getByText('We are checking').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect([topUps.keys.length, new Set(topUps.keys).size]).toEqual([3, 1]);
    expect(await wallet(seller)).toBe(900);

    const deposits = await loseAnswers(page, '/v1/billing/developer/bond/deposit', 2);
    await tab.go('/developer/bond');
    await page.getByLabel('Credits').fill('100');
    await page.getByRole('button', { name: 'Deposit', exact: true }).click();
    await dialog.getByRole('button', { name: 'Deposit 100 credits' }).click();
    await page.getByText('We are checking').waitFor();
    await page.getByText('We are checking').waitFor({ state: 'detached' });
    expect([deposits.keys.length, new Set(deposits.keys).size]).toEqual([3, 1]);
    expect(await wallet(seller)).toBe(800);
    await tab.close();
  });

  it('reads the page again when a change without a key has no answer, and says that it may have happened', async () => {
    const seller = await register(market, 'developer', 500);
    const tab = await openTab(browser, market, seller);
    await tab.go('/developer/bond');
    const dialog = tab.page.getByRole('dialog');
    await tab.page.getByLabel('Credits').fill('100');
    await tab.page.getByRole('button', { name: 'Deposit', exact: true }).click();
    await dialog.getByRole('button', { name: 'Deposit 100 credits' }).click();
    await eventuallyBalance(seller, 400);
    await dialog.waitFor({ state: 'detached' });
    await tab.page.getByLabel('Credits').fill('100');
    await loseAnswers(tab.page, '/v1/billing/developer/bond/withdraw', 1);
    const isRead = (method: string, url: string) =>
      method === 'GET' && url.endsWith('/v1/billing/developer/bond');
    const read = tab.page.waitForRequest((sent) => isRead(sent.method(), sent.url()));
    await tab.page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await dialog.getByRole('button', { name: 'Withdraw 100 credits' }).click();
    await tab.page.getByText('We do not know whether this was done.').waitFor();
    await read;
    await tab.close();
  });

  /** Credits in a wallet. */
  const wallet = async ({ userId }: TestUser) => (await balance(market.owner, userId, 'wallet')) / 100;
  const eventuallyBalance = (user: TestUser, credits: number) =>
    eventually(async () => (await wallet(user)) === credits);
});
