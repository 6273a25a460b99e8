/** Operators in a browser: equal decisions at once, a payment for a chosen account, and the frame of the console. */
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, openTab } from '../../support/console/browser';
import { act } from '../../support/console/console-steps';
import { request } from '../../support/catalogue/publishing';
import { eventually, register, type TestUser } from '../../support/market';
import { newSlug } from '../../support/names';
import { useMarket } from '../../support/use-market';

const market = useMarket({});

describeInBrowser('operators in a browser', () => {
  let browser: Browser;
  let operator: TestUser;

  beforeAll(async () => {
    [browser, operator] = await Promise.all([openBrowser(), register(market, 'buyer')]);
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  });
  afterAll(() => browser.close());

  const quarantine = (id: string) =>
    market.container.pool.query(
      `SELECT payment_record('razorpay', $1, 'payment_link.paid', $2, 'top_none', 500, 'INR')`,
      [`evt_${id}`, `pay_${id}`],
    );
  const stateOf = async (id: string) =>
    (await request<{ state: string }>(market, operator, 'GET', `/v1/operator/payments/pay_${id}`)).body.state;

  it('return equal payments with one reason, and credit one to the account that they find by name', async () => {
    for (const id of ['odd1', 'odd2', 'odd3']) await quarantine(id);
    const person = await register(market, 'buyer');
    const name = newSlug('Zoë');
    await market.owner.query('UPDATE users SET display_name = $2 WHERE user_id = $1', [person.userId, name]);
    const tab = await openTab(browser, market, operator);
    const { page } = tab;
    await tab.go('/operator');
    const group = page.getByRole('article', { name: 'Payment: 3 alike' });
    await group.getByRole('button', { name: 'Show them, or choose some' }).click();
    await group.getByRole('checkbox', { name: 'Choose pay_odd1' }).uncheck();
    await act(page, 'Return 2', { reason: 'Refunded at the provider.', within: group });
    await eventually(async () => (await stateOf('odd3')) === 'resolved_returned');
    expect([await stateOf('odd2'), await stateOf('odd1')]).toEqual(['resolved_returned', 'quarantined']);

    const card = page.getByRole('article', { name: 'Payment pay_odd1' });
    await card.getByRole('button', { name: 'Credit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Account').fill(name.slice(1));
    await page.getByRole('option', { name }).click();
    await dialog.getByLabel('Reason').fill('Paid without a reference.');
    await dialog.getByRole('button', { name: 'Credit' }).click();
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () => (await stateOf('odd1')) === 'resolved_credited');
    await card.waitFor({ state: 'detached' });
    const account = await request<{ balances: { wallet_credits: number } }>(
      market,
      operator,
      'GET',
      `/v1/operator/accounts/${person.userId}`,
    );
    expect(account.body.balances.wallet_credits).toBe(5);

    // The customer's page, by a part of the name, with the keyboard alone.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(name.slice(1));
    await page.getByRole('option', { name: new RegExp(name) }).waitFor();
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { level: 1, name });
    await heading.waitFor();
    await page.waitForSelector('h1:focus');
    expect(await page.title()).toContain(person.email);
    await act(page, 'Freeze the wallet', { reason: 'Reported.' });
    await page.getByText('Frozen since').waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('read that the page is old while the marketplace does not answer', async () => {
    const tab = await openTab(browser, market, operator);
    const { page } = tab;
    await tab.go('/operator/figures');
    await page.getByText('The last hour').first().waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('Not connected').waitFor({ timeout: 30_000 });
    await page.unroute('**/v1/**');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('Not connected').waitFor({ state: 'detached' });
    await tab.close();
  });
});
