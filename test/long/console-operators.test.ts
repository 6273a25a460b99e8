/** Operators in a browser: each dialogue on the state that it is about, and what the API says afterwards. */
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { registerDeveloper, request } from '../support/catalogue/publishing';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../support/console/browser';
import { act } from '../support/console/console-steps';
import { deposit, readBond } from '../support/disputes/bonds';
import { registerOperator, succeed } from '../support/disputes/disputes';
import { expectWholeLedger, putLive, register, startMarket, topUp, type TestMarket, type TestUser } from '../support/market'; // prettier-ignore
import { newSlug } from '../support/names';
import { DETAILS } from '../support/payouts/payouts';
import { leakedKey } from '../support/verification/run-evidence';
import { runWith } from '../support/verification/trust';

jest.setTimeout(180_000);

describeInBrowser('operators in a browser', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let operator: TestUser;
  let seller: TestUser;
  let buyer: TestUser;
  let agentId: string;
  let versionId: string;
  let tab: Tab;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([startMarket(), openBrowser(), startAgent()]);
    [operator, seller, buyer] = await Promise.all([
      registerOperator(market),
      registerDeveloper(market),
      register(market, 'buyer', 20_000),
    ]);
    ({ agentId, versionId } = await putLive(market, seller.userId, agent.url, { credits: 1_500 }));
    tab = await openTab(browser, market, operator);
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
  });

  const get = async <T>(path: string) =>
    (await request<T>(market, operator, 'GET', `/v1/operator/${path}`)).body;
  const row = (table: string, name: string | RegExp) =>
    tab.page.getByRole('table', { name: table }).getByRole('row', { name });

  /** Presses CSV and returns the lines of the file. */
  async function download(): Promise<string[]> {
    const file = tab.page.waitForEvent('download');
    await tab.page.getByRole('button', { name: 'CSV' }).first().click();
    return readFileSync(await (await file).path(), 'utf8')
      .trim()
      .split('\r\n');
  }

  it('slash a bond with the amount on the button, and find the slash in all its lists', async () => {
    await topUp(market.owner, seller.userId, 1_000);
    await deposit(market, seller, 1_000);
    const call = await succeed(market, buyer, agentId);
    const { page } = tab;
    await tab.go(`/operator/agents/${agentId}`);
    await page.getByRole('button', { name: 'Slash the bond' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The bond has 1,000 credits.').waitFor();
    expect(await dialog.locator('button[type=submit]').isDisabled()).toBe(true);
    await dialog.getByLabel('Credits').fill('60');
    await dialog.getByLabel('Calls that the failure affected').fill(`it was ${call}, twice ${call}`);
    await dialog.getByText('1 recognized').waitFor();
    await dialog.getByLabel('Explanation').fill('The answer was made up.');
    await dialog.getByRole('button', { name: 'Slash 60 credits' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await readBond(market, seller)).toMatchObject({ bond_credits: 940, slash_hold_credits: 60 });
    expect(await tab.violations()).toEqual([]);

    await row('Slashes', /Applied.*Buyers.*60/)
      .getByRole('link')
      .first()
      .click();
    await page.getByText('The answer was made up.').first().waitFor();
    await act(page, 'Overturn', { reason: 'It was a test.' });
    await page.getByText('Given back to the bond').waitFor();
    await page.getByRole('table', { name: 'Audit log' }).getByText('Decided a slash').waitFor();
    expect(await readBond(market, seller)).toMatchObject({ bond_credits: 1_000, slash_hold_credits: 0 });
    const [slash] = (await get<{ items: { slash_id: string }[] }>(`slashes?agent_id=${agentId}`)).items;

    await tab.go('/operator/slashes?status=overturned');
    await row('Slashes', /Overturned/).waitFor();
    await page.getByText(/^1 slash shown, 0 credits taken\.$/).waitFor();
    const [titles, line] = await download();
    expect(titles).toContain('requested_credits,taken_credits,refunded_credits');
    expect(line).toMatch(new RegExp(`^${slash?.slash_id},.*,overturned,60,0,0,buyers,`));
    await tab.go('/operator/slashes?status=final');
    await page.getByText('No slashes').waitFor();
    await tab.go(`/operator/accounts/${seller.userId}?tab=slashes`);
    await row('Slashes', /Overturned/).waitFor();
  });

  it('waive a finding for the days that they choose', async () => {
    await runWith(market, { agentId, versionId }, leakedKey());
    await tab.go(`/operator/agents/${agentId}`);
    await tab.page.reload();
    await tab.page.getByRole('button', { name: 'Waive' }).first().click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Days').fill('30');
    await dialog.getByLabel('Reason').fill('The key is of the sandbox.');
    await dialog.getByRole('button', { name: 'Waive' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { items } = await get<{ items: { agent_id: string; reason: string; expires_at: string }[] }>(
      'waivers',
    );
    const [waiver] = items.filter((one) => one.agent_id === agentId);
    expect(waiver?.reason).toBe('The key is of the sandbox.');
    const days = (Date.parse(waiver?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
  });

  it('settle a payout at the bank, give another back, and try one again', async () => {
    const { payoutAccounts, payoutRuns } = market.container;
    await payoutAccounts.setMethod(seller.userId, 'ach', DETAILS.ach);
    const reserve = async (asOf: string) => {
      await succeed(market, buyer, agentId);
      return (await payoutRuns.reserve({ developerUserId: seller.userId, asOf, attempt: 0 }))?.payoutId ?? '';
    };
    const inFile = await reserve('2034-01-02T00:00:00.000Z');
    await payoutRuns.writeFile({ method: 'ach', asOf: '2034-01-02T00:00:00.000Z', attempt: 0 });
    const waiting = await reserve('2034-01-09T00:00:00.000Z');
    const stateOf = async (id: string) =>
      (await get<{ items: { payout_id: string; status: string }[] }>('payouts')).items.find(
        ({ payout_id: one }) => one === id,
      )?.status;
    expect([await stateOf(inFile), await stateOf(waiting)]).toEqual(['processing', 'pending']);

    const { page } = tab;
    await tab.go('/operator/payouts?monday=2034-01-02');
    await row('Totals of the week', /Processing/).waitFor();
    await act(page, 'Paid', { within: row('Payouts', /Processing/), reason: 'Reference 4711.' });
    await row('Payouts', /Paid/).waitFor();
    expect(await stateOf(inFile)).toBe('paid');
    const own = await openTab(browser, market, seller);
    await own.go('/developer');
    const how = own.page.getByRole('region', { name: 'How you are paid' });
    await how.getByText('Set a payout method').waitFor();
    expect(await own.page.getByText('Publish your first agent').count()).toBe(0);
    await own.close();
    await act(page, 'Returned', { within: row('Payouts', /Paid/), reason: 'Account closed.' });
    await row('Payouts', /Returned/).waitFor();
    expect(await stateOf(inFile)).toBe('returned');
    const lines = await download();
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(new RegExp(`^${inFile},2034-01-02,${seller.userId},.*,returned,`));

    await tab.go('/operator/payouts?monday=2034-01-09');
    await act(page, 'Give back', { within: row('Payouts', /Pending/), reason: 'Wrong week.' });
    await row('Payouts', /Failed/).waitFor();
    expect(await stateOf(waiting)).toBe('failed');
    await payoutAccounts.setMethod(seller.userId, 'ach', DETAILS.ach);
    await act(page, 'Try again', { within: row('Payouts', /Failed/), reason: 'The week is right.' });
    await page.getByText('Another attempt has begun.').waitFor();
  });

  it('load a rate, and cannot send a text that is not a number', async () => {
    const { page } = tab;
    await tab.go('/operator/payouts');
    await page.getByRole('button', { name: 'Load a rate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Rupees for one US dollar').fill('84,1');
    await dialog.getByText('A number with a point').waitFor();
    expect(await dialog.locator('button[type=submit]').isDisabled()).toBe(true);
    await dialog.getByLabel('Rupees for one US dollar').fill('84.25');
    await dialog.getByLabel('Source').fill('The bank');
    await dialog.getByRole('button', { name: 'Load a rate' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { items } = await get<{ items: { rate: string; source: string }[] }>('exchange-rates?limit=1');
    expect(Number(items[0]?.rate)).toBe(84.25);
    expect(items[0]?.source).toBe('The bank');
    await page.getByRole('button', { name: 'Load a rate' }).click();
    await dialog.getByText('Now 84.25').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('freeze and unfreeze a wallet, make an operator and end it, and read all of it in the audit log', async () => {
    const { page } = tab;
    const person = await register(market, 'buyer');
    const name = newSlug('Grace');
    await market.owner.query(
      'UPDATE users SET email_confirmed_at = now(), display_name = $2 WHERE user_id = $1',
      [person.userId, name],
    );
    type Account = { role: string; wallet_frozen: boolean };
    const account = () => get<Account>(`accounts/${person.userId}`);
    await tab.go(`/operator/accounts/${person.userId}`);
    for (const [action, after] of [
      ['Freeze the wallet', { wallet_frozen: true }],
      ['Unfreeze the wallet', { wallet_frozen: false }],
      ['Make an operator', { role: 'operator' }],
      ['End as operator', { role: 'buyer' }],
    ] as const) {
      await act(page, action, { reason: `${action}: for a reason.` });
      expect(await account()).toMatchObject(after);
    }

    await tab.go('/operator/audit');
    await page.getByRole('textbox', { name: 'Action' }).fill('unfroze');
    await page.getByRole('option', { name: 'Unfroze a wallet' }).click();
    const entries = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
    await entries.nth(1).getByText('Unfreeze the wallet: for a reason.').waitFor();
    expect(await entries.count()).toBe(2);
    expect(page.url()).toContain('action=wallet.unfreeze');
    await entries.nth(1).getByText(operator.email).waitFor();
    const [, line] = await download();
    expect(line).toContain(`,wallet.unfreeze,${person.userId},${operator.userId},`);
    await tab.go(`/operator/audit?by=${person.userId}`);
    await page.getByText('No entry matches').waitFor();
    await tab.go('/operator/audit?from=2001-01-01&to=2001-01-02');
    await page.getByText('No entry matches').waitFor();
    expect(await tab.violations()).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });
});
