/** Taxes, invoices and statements in a browser: an operator sets a tax, and a company buys and reads its documents. */
import type { Browser } from 'playwright-core';
import { describeInBrowser, openBrowser, openTab } from '../../support/console/browser';
import { register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket({});

describeInBrowser('invoices in a browser', () => {
  let browser: Browser;
  let operator: TestUser;

  beforeAll(async () => {
    [browser, operator] = await Promise.all([openBrowser(), register(market, 'buyer')]);
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  });
  afterAll(() => browser.close());

  it('an operator sets the issuer and a tax; a company pays it and finds its documents', async () => {
    const office = await openTab(browser, market, operator);
    await office.go('/operator/payments');
    await office.page.getByRole('button', { name: 'Issuer and taxes' }).click();
    const settings = office.page.getByRole('dialog');
    await settings.getByLabel('Issuer of invoices').fill('Market GmbH');
    await settings.getByLabel('Address').fill('Friedrichstraße 10\n10117 Berlin');
    await settings.getByRole('textbox', { name: 'Country' }).fill('Germany');
    await office.page.getByRole('option', { name: 'Germany' }).click();
    await settings.getByLabel('Tax number').fill('DE136695976');
    await settings.getByLabel('Email').fill('billing@market.example');
    await settings.getByLabel('Tax rates').fill('DE VAT nineteen');
    await settings.getByText('Write each line as').waitFor();
    await settings.getByLabel('Tax rates').fill('DE VAT 19\nFR VAT 20 reverse');
    await settings.getByLabel('Reason').fill('Registered for VAT.');
    await settings.getByRole('button', { name: 'Issuer and taxes' }).click();
    await settings.waitFor({ state: 'detached' });
    expect(office.complaints.filter((line) => !line.includes('404'))).toEqual([]);
    await office.close();

    const buyer = await register(market, 'buyer');
    const { page, go, complaints, close } = await openTab(browser, market, buyer);
    await go('/wallet?tab=invoices');
    await page.getByLabel('Company').fill('Analytical Engines GmbH');
    await page.getByRole('textbox', { name: 'Country' }).fill('Germany');
    await page.getByRole('option', { name: 'Germany' }).click();
    await page.getByLabel('Tax number').fill('DE123456789');
    await page.getByRole('button', { name: 'Save the details' }).click();
    await page.getByText('its check digits do not fit').waitFor();
    await page.getByLabel(/VAT number|Tax number/).first().fill('DE123456788'); // prettier-ignore
    await page.getByLabel('Your reference').fill('PO 4711');
    await page.getByRole('button', { name: 'Save the details' }).click();
    await page.getByText('Your billing details are changed.').waitFor();

    await page.getByRole('button', { name: 'Add credits' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/VAT of 19% comes on top: about .*11\.90.* in all/).waitFor();
    await dialog.getByRole('button', { name: 'Pay' }).click();
    await dialog.waitFor({ state: 'detached' });
    const invoice = page.getByRole('row', { name: /SBX-/ });
    await invoice.getByText('US$1.90', { exact: true }).waitFor();
    const link = invoice.getByRole('link', { name: /an electronic invoice/ });
    expect(await link.getAttribute('href')).toMatch(/^\/v1\/billing\/invoices\/ivc_[0-9a-f]{32}\.xml$/);
    const statement = page.getByRole('table', { name: /^Statement of/ });
    await statement
      .getByRole('row', { name: /Closing balance/ })
      .getByText('1,000')
      .waitFor();
    expect(complaints.filter((line) => !line.includes('422'))).toEqual([]);
    await close();
  });
});
