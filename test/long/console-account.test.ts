/** An account in the console, without another tool: sign-up, confirmation, recovery, second factor, name, address. */
import type { Browser, Page } from 'playwright-core';
import { type TOTP, Secret, TOTP as Totp } from 'otpauth';
import { sandboxMails, tokenOf } from '../support/accounts/mails';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../support/console/browser';
import {
  balance,
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  type TestMarket,
} from '../support/market';
import { newSlug } from '../support/names';

jest.setTimeout(120_000);

const PASSWORD = 'correct horse battery';
const NEXT = 'another long passphrase';

describeInBrowser('an account in the console', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let agentId: string;
  let mails: ReturnType<typeof sandboxMails>;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([
      startMarket({
        operations: false,
        env: {
          EMAIL_CONFIRMATION: 'required',
          PUBLIC_READS: 'true',
          SUPPORT_CONTACT: 'help@market.example',
        },
      }),
      openBrowser(),
      startAgent(),
    ]);
    const seller = await register(market, 'developer');
    ({ agentId } = await putLive(market, seller.userId, agent.url));
    mails = sandboxMails(market.owner);
  });
  afterAll(async () => {
    mails.close();
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
  });

  async function signUp({ page }: Tab): Promise<string> {
    const email = `${newSlug('person')}@example.test`;
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill(email);
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/signup'));
    return email;
  }

  async function logIn(page: Page, email: string, password: string, code?: string) {
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    await page.getByLabel('Email').fill(email);
    await page.locator('input[type=password]').fill(password);
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    if (code === undefined) return;
    await page.getByLabel('Code of your authenticator app').fill(code);
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
  }

  /** The path that the newest mail with this subject leads to. */
  async function linkTo(email: string, subject: string): Promise<string> {
    await market.owner.query('UPDATE mails SET due_at = now() WHERE due_at IS NOT NULL');
    const mail = (await mails.to(email)).filter((one) => one.subject === subject).at(-1);
    const link = /https:\/\/market\.example(\/console\/\S+)/.exec(mail?.text ?? '')?.[1];
    expect(link).toContain(`#${tokenOf(mail)}`);
    return link ?? '';
  }

  it('returns from the sign-up to where a visitor was, and is confirmed by a button and not by the link', async () => {
    const tab = await openTab(browser, market);
    const { page } = tab;
    await tab.go(`/agents/${agentId}/try`);
    await page.getByRole('link', { name: 'Log in to run this agent' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Sign up' }).click();
    const email = await signUp(tab);
    await page.waitForURL((url) => url.pathname.endsWith(`/agents/${agentId}/try`));

    await page.getByText('Confirm your email address').first().waitFor();
    await page.getByRole('button', { name: 'Send the mail again' }).click();
    await page.getByText('Another mail is on its way.').waitFor();
    const confirmed = async () => {
      const { rows } = await market.owner.query<{ at: Date | null }>(
        'SELECT email_confirmed_at AS at FROM users WHERE email = $1',
        [email],
      );
      return rows[0]?.at ?? null;
    };

    // The link is opened in a browser without a session; its token stays out of every address and request.
    const link = await linkTo(email, 'Confirm your email address');
    const [, token = ''] = link.split('#');
    const phone = await openTab(browser, market);
    const asked: string[] = [];
    phone.page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`));
    await phone.page.goto(`${market.url}${link}`);
    await phone.page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
    await logIn(phone.page, email, PASSWORD);
    await phone.page.getByRole('button', { name: 'Confirm the address' }).waitFor();
    expect(await confirmed()).toBeNull();
    expect(asked.filter((one) => one.includes(token))).toEqual([]);
    expect(phone.page.url()).not.toContain(token);
    expect(await phone.violations()).toEqual([]);
    await phone.page.getByRole('button', { name: 'Confirm the address' }).click();
    await phone.page.getByText('Your email address is confirmed').waitFor();
    expect(await confirmed()).not.toBeNull();
    await phone.page.getByRole('link', { name: 'Go on' }).waitFor();
    expect(await phone.page.locator('.banner').count()).toBe(0);
    await phone.close();
    await tab.close();
  });

  it('begins with the first steps, and tops up in dollars with the amount on the button', async () => {
    const tab = await openTab(browser, market);
    const { page } = tab;
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole('banner').getByRole('link', { name: 'Sign up' }).click();
    const email = await signUp(tab);
    await page.getByRole('heading', { level: 1, name: 'Welcome, Ada' }).waitFor();
    expect(await tab.overflowAt(360)).toBe(0);
    await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE email = $1', [email]);
    await page.reload();
    await page.getByRole('main').getByRole('link', { name: 'Add credits' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Pay US$10.00' }).waitFor();
    await dialog.getByText('This is a sandbox').waitFor();
    await dialog.getByRole('textbox', { name: 'Currency' }).click();
    await page.getByRole('option', { name: 'INR' }).click();
    await dialog.getByRole('button', { name: 'Pay ₹1,000.00' }).waitFor();
    await dialog.getByLabel('Amount').fill('0.5');
    await dialog.getByText('From ₹1.00 to ₹100,000.00').waitFor();
    expect(await dialog.getByRole('button', { name: 'Pay', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel('Amount').fill('25');
    await dialog.getByRole('button', { name: 'Pay ₹25.00' }).dblclick();
    await page.getByRole('heading', { level: 1, name: 'Welcome, Ada' }).waitFor();
    await page.getByText('You have 25 credits.').waitFor();
    const { rows } = await market.owner.query<{ user_id: string }>(
      'SELECT user_id FROM users WHERE email = $1',
      [email],
    );
    expect(await balance(market.owner, rows[0]?.user_id ?? '', 'wallet')).toBe(2_500);
    expect(await page.getByText('25 credits loaded.').count()).toBe(1);
    await tab.close();
  });

  it('is recovered by a mail after the password was forgotten', async () => {
    const person = await register(market, 'buyer');
    const tab = await openTab(browser, market);
    const { page } = tab;
    await tab.go('/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Send the mail' }).click();
    await page.getByText('Look into your mailbox').waitFor();
    await page.goto(`${market.url}${await linkTo(person.email, 'Reset your password')}`);
    await page.locator('input[type=password]').fill('password1');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Is one of the 10,000 most common passwords').waitFor();
    await page.getByText('Correct the fields that are marked.').waitFor();
    await page.locator('input[type=password]').fill(NEXT);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('The new password is set').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
    await logIn(page, person.email, NEXT);
    await page.getByTitle('Account menu').waitFor();
    await tab.close();
  });

  it('gets a second factor, a name and another address, and loses the factor again', async () => {
    const person = await register(market, 'buyer');
    await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [
      person.userId,
    ]);
    const tab = await openTab(browser, market, person);
    const { page } = tab;
    const dialog = page.getByRole('dialog');
    await tab.go('/account');
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await dialog.locator('input[type=password]').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const app: TOTP = new Totp({
      secret: Secret.fromBase32(await page.getByLabel('key', { exact: true }).innerText()),
    });
    await page.getByLabel('Code that the app shows').fill(app.generate());
    await page.getByRole('button', { name: 'Put it into use' }).click();
    const codes = (await page.getByLabel('recovery codes', { exact: true }).innerText()).trim().split('\n');
    expect(codes).toHaveLength(10);
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Recovery codes left: 10').waitFor();
    expect(await tab.violations()).toEqual([]);

    await page.getByRole('textbox', { name: 'Name' }).fill('Ada King');
    await page.getByRole('button', { name: 'Change the name' }).click();
    await page.getByTitle('Account menu').getByText('Ada King').waitFor();

    const next = `${newSlug('next')}@example.test`;
    await page.getByRole('button', { name: 'Change the address' }).click();
    await dialog.getByLabel('New email address').fill(next);
    await dialog.locator('input[type=password]').fill(PASSWORD);
    await dialog.getByLabel('Code of your authenticator app').fill(codes[0] ?? '');
    await dialog.getByRole('button', { name: 'Send the mail' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(`A mail to ${next} has a link.`).waitFor();
    await page.goto(`${market.url}${await linkTo(next, 'Confirm your new email address')}`);
    await page.getByRole('button', { name: 'Confirm the address' }).click();
    await page.getByText('Your email address is confirmed').waitFor();
    await tab.go('/account');
    await page.getByText(`${next} (confirmed)`).waitFor();

    await page.getByRole('button', { name: 'Remove the app' }).click();
    await dialog.getByLabel('Code of the app, or a recovery code').fill(codes[1] ?? '');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
    await tab.close();
  });

  it('with a frozen wallet says so on every page, with the cause and whom to write to', async () => {
    const person = await register(market, 'buyer', 10);
    await market.owner.query('SELECT wallet_set_frozen($1, true)', [person.userId]);
    const tab = await openTab(browser, market, person);
    for (const path of ['/', '/wallet', '/calls']) {
      await tab.go(path);
      await tab.page.getByText('Your wallet is frozen').waitFor();
    }
    await tab.page.getByText('An operator of the marketplace froze it.').waitFor();
    const contact = tab.page.getByRole('link', { name: 'help@market.example' });
    expect(await contact.getAttribute('href')).toBe('mailto:help@market.example');
    expect(await tab.violations()).toEqual([]);
    await tab.close();
  });
});
