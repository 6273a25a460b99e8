/** Money in a browser: budgets, automatic top-ups, refunds, payments by x402, and offers in a dispute. */
import type { Browser, Locator, Page } from 'playwright-core';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  paidIntent,
  reversalObject,
  sendToMarket,
  startStripe,
  stripeEnv,
  stripeEvent,
  type StripeServer,
} from '../support/billing/stripe';
import { request } from '../support/catalogue/publishing';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../support/console/browser';
import { act } from '../support/console/console-steps';
import { openCase, registerOperator, respond } from '../support/disputes/disputes';
import {
  balance,
  eventually,
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  topUp,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { payByX402 } from '../support/x402/movements';

jest.setTimeout(180_000);

describeInBrowser('money in a browser', () => {
  let market: TestMarket;
  let stripe: StripeServer;
  let browser: Browser;
  let agent: TestAgent;
  let operator: TestUser;
  let developer: TestUser;
  let buyer: TestUser;
  let buying: Tab;
  let operating: Tab;

  beforeAll(async () => {
    stripe = await startStripe('127.77.0.21');
    [market, browser, agent] = await Promise.all([
      startMarket({ env: stripeEnv(stripe.url) }),
      openBrowser(),
      startAgent(),
    ]);
    [operator, developer, buyer] = await Promise.all([
      registerOperator(market),
      register(market, 'developer'),
      register(market, 'buyer'),
    ]);
    [buying, operating] = [await openTab(browser, market, buyer), await openTab(browser, market, operator)];
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
    await stripe.stop();
  });

  const read = async <T>(who: TestUser, path: string) => (await request<T>(market, who, 'GET', path)).body;
  async function choose(page: Page, form: Locator, label: string, option: string): Promise<void> {
    await form.getByRole('textbox', { name: label }).fill(option);
    await page.getByRole('option', { name: option }).click();
  }
  /** A paid top-up of 10 dollars, and its tax. Returns the id of its payment. */
  async function paid(): Promise<string> {
    const wish = { amountPaise: 1_000, currency: 'USD', save_method: true };
    await request(market, buyer, 'POST', '/v1/billing/topup', wish);
    const session = stripe.sessions.at(-1);
    if (!session) throw new Error('no page was made');
    const intent = paidIntent(session);
    expect(await sendToMarket(market.url, stripeEvent('payment_intent.succeeded', intent))).toBe(200);
    return intent.id;
  }

  it('buyers set a budget, change it and delete it', async () => {
    const { page } = buying;
    await buying.go('/wallet?tab=spending');
    await page.getByRole('button', { name: 'Set a budget' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Credits').fill('70');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const budgets = () =>
      read<{ items: { credits: number; window: string }[] }>(buyer, '/v1/billing/budgets');
    expect((await budgets()).items).toMatchObject([{ credits: 70, window: 'month' }]);
    const row = page.getByRole('table', { name: 'Budgets' }).getByRole('row', { name: /All calls/ });
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Credits').fill('90');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await budgets()).items).toMatchObject([{ credits: 90 }]);
    await act(page, 'Delete', { within: row });
    expect((await budgets()).items).toEqual([]);
    expect(await buying.violations()).toEqual([]);
  });

  it('buyers set automatic top-ups with a saved method, and turn them off', async () => {
    await paid();
    const { page } = buying;
    await buying.go('/wallet?tab=top-ups');
    await page.getByRole('button', { name: 'Set automatic top-ups' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Top up when the wallet holds fewer credits than').fill('300');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The method stands among the saved ones too.
    await page.getByText('visa •••• 4242').first().waitFor();
    expect(await read(buyer, '/v1/billing/auto-topup')).toMatchObject({ status: 'on', below_credits: 300 });
    expect(await buying.violations()).toEqual([]);
    await act(page, 'Turn off');
    await page.getByText('Automatic top-ups are off').first().waitFor();
    expect(await read(buyer, '/v1/billing/auto-topup')).toMatchObject({ status: 'off' });
  });

  it('operators refund a payment that was credited', async () => {
    const paymentId = await paid();
    const before = await balance(market.owner, buyer.userId, 'wallet');
    const { page } = operating;
    await operating.go('/operator/payments?state=credited');
    const row = page.getByRole('table', { name: 'Payments' }).getByRole('row', { name: /Credited/ });
    await act(page, 'Refund', { reason: 'Paid twice.', within: row.first() });
    await eventually(async () => stripe.refunds.length === 1);
    expect(stripe.refunds).toMatchObject([{ payment_intent: paymentId, amount: 1_000 }]);
    const event = stripeEvent('refund.created', reversalObject('refund', { paymentId, amount: 1_000 }));
    expect(await sendToMarket(market.url, event)).toBe(200);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before - 100_000);
    expect(await operating.violations()).toEqual([]);
  });

  it('operators set an issuer with tax rates; a company fills in its details and finds the tax on its invoice', async () => {
    const { page } = operating;
    await operating.go('/operator/payments');
    await page.getByRole('button', { name: 'Issuer and taxes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Issuer of invoices').fill('Market GmbH');
    await dialog.getByLabel('Address').fill('Hauptstr. 1\n10115 Berlin');
    await choose(page, dialog, 'Country', 'Germany');
    await dialog.getByLabel('Tax number').fill('DE123456788');
    await dialog.getByLabel('Email').fill('billing@market.example');
    await dialog.getByLabel('Tax rates').fill('DE VAT nineteen');
    await dialog.getByText('Write each line as: country, name, percent').waitFor();
    await dialog.getByLabel('Tax rates').fill('DE VAT 19');
    await dialog.getByLabel('Reason').fill('The company was registered.');
    await dialog.locator('button[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await operating.violations()).toEqual([]);

    await buying.go('/wallet?tab=invoices');
    const form = buying.page.locator('form', { hasText: 'Save the details' });
    await form.getByLabel('Company').fill('Test Buyers AG');
    await form.getByLabel('Address').fill('Ring 2\n20095 Hamburg');
    await choose(buying.page, form, 'Country', 'Germany');
    await form.getByLabel('Your reference').fill('PO 17');
    await form.getByRole('button', { name: 'Save the details' }).click();
    await buying.page.getByText('Your billing details are changed.').waitFor();
    await paid();
    await buying.go('/wallet?tab=invoices');
    const row = buying.page.getByRole('table', { name: 'Invoices' }).getByRole('row', { name: /11\.90/ });
    await row.first().waitFor();
    const [invoice] = (await read<{ items: object[] }>(buyer, '/v1/billing/invoices')).items;
    expect(invoice).toMatchObject({ amount_minor: 1_190, tax_minor: 190, currency: 'USD' });
    expect(await buying.violations()).toEqual([]);
  });

  it('operators find a payment by x402 by its state and address, and read what became of it', async () => {
    await payByX402(market.container.pool, buyer.userId, 500, true);
    await payByX402(market.container.pool, buyer.userId, 700, false);
    const { page } = operating;
    await operating.go('/operator/payments');
    await page.getByRole('tab', { name: 'Single calls (x402)' }).click();
    const table = page.getByRole('table', { name: 'Payments by x402' });
    await table.getByRole('row', { name: /Released.*Call ended/ }).waitFor();
    await page.getByRole('textbox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Settled' }).click();
    await page.getByLabel('Paying address').fill(`0x${'12'.repeat(20)}`);
    const row = table.getByRole('row', { name: /Settled/ });
    await row.waitFor();
    await table.getByRole('row', { name: /Released/ }).waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Details' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('eip155:84532').waitFor();
    await dialog.getByText('Credits of the address now').waitFor();
    expect(await operating.violations()).toEqual([]);
  });

  it('developers offer a part of a disputed charge; the buyer declines one and accepts another', async () => {
    await topUp(market.owner, buyer.userId, 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
    const { disputeId } = await openCase(market, buyer, agentId);
    expect((await respond(market, developer, disputeId, 'contest')).status).toBe(200);
    const selling = await openTab(browser, market, developer);
    const offers = async (credits: string) => {
      await selling.go(`/disputes/${disputeId}`);
      await selling.page.getByRole('button', { name: 'Offer a part' }).click();
      const dialog = selling.page.getByRole('dialog');
      await dialog.getByLabel('Credits to return').fill(credits);
      await dialog.getByLabel('Why this part').fill('A part of it was right.');
      await dialog.locator('button[type=submit]').click();
      await dialog.waitFor({ state: 'detached' });
    };
    await offers('3');
    await buying.go(`/disputes/${disputeId}`);
    await act(buying.page, 'Decline the offer');
    await buying.page.getByText('It was declined.').waitFor();
    await selling.go('/notices');
    await selling.page.getByText('The buyer declined your offer to return 3 credits').waitFor();
    await offers('4');
    await buying.go(`/disputes/${disputeId}`);
    await act(buying.page, 'Accept the offer');
    await eventually(
      async () =>
        (await read<{ status: string }>(buyer, `/v1/billing/disputes/${disputeId}`)).status === 'accepted',
    );
    expect(await read(buyer, `/v1/billing/disputes/${disputeId}`)).toMatchObject({ refunded_credits: 4 });
    expect(await buying.violations()).toEqual([]);
    expect(await selling.violations()).toEqual([]);
  });
});
