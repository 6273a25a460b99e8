/** Selling and buying in the console, without another tool. */
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { testManifest } from '../support/agents/manifest';
import { registrationOfCard, startA2aAgent } from '../support/agents/a2a-agent';
import { startHeldAgent } from '../support/agents/held-agent';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { publish, registerDeveloper, request } from '../support/catalogue/publishing';
import { registerAgent } from '../support/catalogue/registrations';
import { describeInBrowser, openBrowser, openTab } from '../support/console/browser';
import { act } from '../support/console/console-steps';
import { answersOf, callBack, newJobAgent } from '../support/jobs/question-agent';
import { balance, eventually, expectWholeLedger, invoke, putLive, register, startMarket, topUp, type TestMarket } from '../support/market'; // prettier-ignore
import { newSlug } from '../support/names';

jest.setTimeout(120_000);

const WEB_PAGE = 'A web page';
/** What the agent of a job asks its buyer: a field of each kind. */
const FIELDS = {
  mailbox: { type: 'string', format: 'email', title: 'Your mailbox' },
  format: {
    type: 'string',
    enum: ['pdf', 'html'],
    enumNames: ['A file', WEB_PAGE],
    title: 'Kind of file',
  },
  pages: { type: 'integer', minimum: 1, maximum: 40, title: 'Pages', description: 'At most 40' },
  due: { type: 'string', format: 'date-time', title: 'Due' },
  urgent: { type: 'boolean', title: 'Urgent', description: 'It is done at night' },
};
/** What the agent of a job reports. */
const [FAR, CHAPTER] = ['Read 3 of 12', 'Chapter one'] as const;
const QUESTION = {
  prompt: 'Where shall the report go, and how?',
  schema: { type: 'object', properties: FIELDS, required: ['mailbox', 'format', 'urgent'] },
};

describeInBrowser('selling and buying in the console', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([
      startMarket({ env: { PUBLIC_READS: 'true' } }),
      openBrowser(),
      startAgent(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
  });

  it('begins with the account of a buyer, and names the fee before it is taken', async () => {
    const person = await register(market, 'buyer', 400);
    const tab = await openTab(browser, market, person);
    const { page } = tab;
    await tab.go('/developer/agents');
    await page.getByRole('alert').getByRole('link', { name: 'Start selling' }).click();
    await page.getByText('a registration fee of 1,000 credits').waitFor();
    await page.getByRole('button', { name: 'Start selling' }).click();
    await page.getByText('Pay the registration fee: 1,000 credits').waitFor();
    await page.getByText('Your wallet has 400 credits.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Add credits' }).waitFor();
    await topUp(market.owner, person.userId, 700);
    await page.reload();
    await page.getByRole('button', { name: 'Pay 1,000 credits' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pay 1,000 credits' }).click();
    await page.getByText('The fee is paid.').waitFor();
    expect(await balance(market.owner, person.userId, 'wallet')).toBe(10_000);
    await tab.close();
  });

  it('registers an agent by its endpoint, gives it its secret, and changes both', async () => {
    const seller = await registerDeveloper(market);
    const tab = await openTab(browser, market, seller);
    const { page } = tab;
    await tab.go('/developer');
    await page.getByRole('link', { name: 'By its endpoint' }).click();
    const slug = newSlug('reader');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Reader');
    await page.getByLabel('Name in addresses').fill(slug);
    // What was typed stays when the page is left, here and where a manifest is published.
    await tab.go('/developer/publish');
    const template = page.getByRole('button', { name: 'Begin with a template' });
    await template.click();
    await template.waitFor({ state: 'detached' });
    await tab.go('/developer/register');
    expect(await page.getByLabel('Name in addresses').inputValue()).toBe(slug);
    await tab.go('/developer/publish');
    await page.getByLabel('Manifest').getByText('agent_id').waitFor();
    expect(await template.count()).toBe(0);
    await tab.go('/developer/register');
    await page.getByLabel('Address of the endpoint').fill('https://10.0.0.1/run');
    await page.getByLabel('Price of a call').fill('3');
    await page.getByLabel('JSON Schema of the input').fill('{"type": "object"');
    await page.getByRole('button', { name: 'Register and verify' }).click();
    await page.getByText('The input schema is not valid JSON.').waitFor();
    for (const side of ['input', 'output'])
      await page.getByLabel(`JSON Schema of the ${side}`).fill('{"type": "object"}');
    await page.getByRole('button', { name: 'Register and verify' }).click();
    await page.getByText('Correct the fields that are marked.').waitFor();
    expect(await tab.violations()).toEqual([]);
    expect(await tab.overflowAt(360)).toBe(0);
    await page.getByLabel('Address of the endpoint').fill(`${agent.url}/run`);
    await page.getByRole('button', { name: 'Register and verify' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reader' }).waitFor();

    const secrets = page.getByRole('region', { name: 'Signing secret' });
    const read = async () => (await secrets.getByLabel('signing secret', { exact: true }).innerText()).trim();
    await secrets.getByText('whsec_••••').waitFor();
    await secrets.getByRole('button', { name: 'Show the secret' }).click();
    const first = await read();
    expect(first).toMatch(/^MARKET_SIGNING_SECRET=whsec_/);
    await secrets.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).click();
    await secrets.getByText('The secret before signs, too, until').waitFor();
    expect(await read()).not.toBe(first);
    expect(await tab.violations()).toEqual([]);

    await page.getByRole('link', { name: 'As buyers see it' }).click();
    await page.getByText('So buyers see the agent once it is listed.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Reader' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Your agent' }).first().click();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Price of a call').fill('5.5');
    await page.getByRole('button', { name: 'Save the change' }).click();
    await page.getByRole('table', { name: 'Versions' }).getByRole('link', { name: '1.1.0' }).waitFor();
    const { body } = await request<{ items: { agent_id: string }[] }>(
      market,
      seller,
      'GET',
      '/v1/developer/agents',
    );
    const path = `/v1/agents/${body.items[0]?.agent_id ?? ''}/registration`;
    expect((await request(market, seller, 'GET', path)).body).toMatchObject({ price_credits: 6 });
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('offers the methods that are paid here, with their terms, and a tax form that is signed', async () => {
    const seller = await registerDeveloper(market);
    const tab = await openTab(browser, market, seller);
    const { page } = tab;
    await tab.go('/developer');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Paid in USD from 1,000 credits on, without a fee\./).waitFor();
    await dialog.getByRole('textbox', { name: 'Method' }).click();
    const methods = page.getByRole('option');
    await methods.first().waitFor();
    const names = await methods.allInnerTexts();
    expect(names).toEqual([
      'Bank transfer in the United States',
      'International bank transfer',
      'UPI in India',
    ]);
    await methods.nth(2).click();
    await dialog.getByText('at 0.5% below the exchange rate of the day').waitFor();
    await dialog.getByLabel('Account holder').fill('Ada');
    await dialog.getByLabel('UPI address').fill('nonsense');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Is not a valid UPI address').waitFor();
    await dialog.getByLabel('UPI address').fill('ada@okbank');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Send', exact: true }).click();
    for (const [label, text] of [
      ['Legal name', 'Ada Lovelace'],
      ['Permanent address', '12 St James Square, London'],
      ['Tax identification number', 'QQ123456C'],
      ['Name of the person who signs', 'Ada Lovelace'],
    ] as const)
      await dialog.getByRole('textbox', { name: label }).fill(text);
    await dialog.getByRole('textbox', { name: 'Country' }).click();
    await page.getByRole('option', { name: /^United Kingdom/ }).click();
    await dialog.getByRole('checkbox', { name: /^I declare under penalties of perjury/ }).check();
    await dialog.getByRole('button', { name: 'Sign and send the form' }).click();
    await page.getByText('An operator reviews it.').waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('shows a buyer the calls that are free, code with an own key, and lists with filters, pages and files', async () => {
    const [seller, buyer] = [await registerDeveloper(market), await register(market, 'buyer', 500)];
    const { agentId } = await putLive(market, seller.userId, agent.url, { freeTierCalls: 3 });
    for (let n = 0; n < 26; n += 1) await invoke(market, buyer, agentId, { input: { text: `call ${n}` } });
    const tab = await openTab(browser, market, buyer);
    const { page } = tab;
    await tab.go('/calls');
    await page.getByText(/^25 of 26 calls shown/).waitFor();
    await page.getByText('100 rows').click();
    await page.getByText(/^26 calls shown/).waitFor();
    await page.getByRole('textbox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Disputed' }).click();
    await page.getByText('There are calls, but none with all of these filters.').waitFor();
    await page.goBack();
    await page.getByText(/^26 calls shown/).waitFor();
    await page.goBack();
    await page.getByText(/^25 of 26 calls shown/).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    expect(
      readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\r\n'),
    ).toHaveLength(27);
    await page.getByRole('row').nth(1).getByRole('cell').nth(3).click();
    await page.waitForURL(/\/calls\/inv_[0-9a-f]{32}$/);

    await tab.go(`/agents/${agentId}?tab=code`);
    await page.getByText('0 of 3 free this month').first().waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('The code has the secret of the key "Laptop".').waitFor();
    const code = await page.getByLabel(/^curl code$/).innerText();
    const [secret = ''] = /amk_live_[0-9A-Za-z]{36}/.exec(code) ?? [];
    const listed = await fetch(`${market.url}/v1/listings`, { headers: { 'X-API-Key': secret } });
    expect(listed.status).toBe(200);
    await page.reload();
    await page.getByText('The code has the end of the key "Laptop".').waitFor();
    expect(await tab.violations()).toEqual([]);

    await tab.go('/');
    await page.getByLabel('Search').fill('Ehco agetn');
    await page.getByText('No agent has exactly these words.').waitFor();
    await page
      .getByRole('link', { name: /^Test developer/ })
      .first()
      .click();
    await page.getByText('Disputes answered').waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('edits a manifest as its next version', async () => {
    const seller = await registerDeveloper(market);
    const manifest = testManifest(agent.url, { agentId: newSlug('edited') });
    const { body } = await publish(market, seller, manifest);
    const tab = await openTab(browser, market, seller);
    await tab.go(`/developer/agents/${String(body['agent_id'])}/edit`);
    await tab.page.getByText('publish it as version 1.0.1').waitFor();
    await tab.page.getByLabel('Manifest').waitFor();
    await tab.page.getByRole('button', { name: 'Publish and verify' }).click();
    await tab.page.getByRole('table', { name: 'Versions' }).getByRole('link', { name: '1.0.1' }).waitFor();
    await tab.close();
  });

  it('says what the operator wrote who suspended an agent', async () => {
    const [seller, operator] = await Promise.all([registerDeveloper(market), register(market, 'buyer')]);
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
    const { agentId } = await putLive(market, seller.userId, agent.url);
    const reason = 'It answers with the data of other buyers.';
    await request(market, operator, 'POST', `/v1/operator/agents/${agentId}/suspend`, { reason });
    const tab = await openTab(browser, market, seller);
    await tab.go(`/developer/agents/${agentId}`);
    await tab.page.getByText(reason).waitFor();
    await tab.page.getByText('Ask the operator of this marketplace.').waitFor();
    await tab.close();
  });

  it('says what is known of the signature of an agent card', async () => {
    const seller = await registerDeveloper(market);
    const remote = await startA2aAgent();
    const { body } = await registerAgent(market, seller, registrationOfCard(remote.url, { submit: false }));
    const tab = await openTab(browser, market, seller);
    await tab.go(`/developer/agents/${body.agent_id}`);
    await tab.page.getByText('The agent card is not signed.').waitFor();
    await tab.close();
    await remote.stop();
  });

  it('asks with the amount and the day of return before a deposit into the bond', async () => {
    const seller = await register(market, 'developer', 700);
    const tab = await openTab(browser, market, seller);
    const { page } = tab;
    await tab.go('/developer/bond');
    await page.getByText('In your wallet: 700 credits').waitFor();
    await page.getByLabel('Credits').fill('600');
    await page.getByRole('button', { name: 'Deposit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/you would have them back on \d+ \w+ 20\d\d/).waitFor();
    expect(await balance(market.owner, seller.userId, 'wallet')).toBe(70_000);
    await dialog.getByRole('button', { name: 'Deposit 600 credits' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await balance(market.owner, seller.userId, 'wallet')).toBe(10_000);
    await page.getByLabel('Credits').fill('600');
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await dialog.getByRole('button', { name: 'Withdraw 600 credits' }).click();
    await page.getByText('In notice').waitFor();
    await tab.close();
  });

  it('marks the empty field of an input and breaks words of any length', async () => {
    const seller = await registerDeveloper(market);
    const { agentId } = await putLive(market, seller.userId, agent.url);
    const manifest = testManifest(agent.url, { agentId: newSlug('long') });
    const words = { display_name: 'x'.repeat(79), description: 'y'.repeat(168) };
    const { body } = await publish(market, seller, { ...manifest, ...words }, { submit: false });
    const own = await openTab(browser, market, seller);
    const page = `/developer/agents/${String(body['agent_id'])}`;
    for (const path of [page, `${page}/preview`, '/developer/agents']) {
      await own.go(path);
      expect({ path, at: 360, over: await own.overflowAt(360) }).toEqual({ path, at: 360, over: 0 });
      expect({ path, at: 1440, over: await own.overflowAt(1440) }).toEqual({ path, at: 1440, over: 0 });
    }
    await own.close();

    const tab = await openTab(browser, market, await register(market, 'buyer', 100));
    await tab.go(`/agents/${agentId}/try`);
    const text = tab.page.getByLabel(/^text/);
    await text.fill('');
    await tab.page.getByRole('button', { name: /^Run/ }).click();
    await tab.page.getByText('Fill in this field.').first().waitFor();
    expect(await text.getAttribute('aria-invalid')).toBe('true');
    expect(await tab.page.evaluate<string>('document.activeElement.id')).toBe(await text.getAttribute('id'));
    await tab.close();
  });

  it('stops a call that runs, which then costs nothing', async () => {
    const buyer = await register(market, 'buyer', 100);
    const held = await startHeldAgent();
    const { agentId } = await putLive(market, buyer.userId, held.url, { timeoutMs: 120_000 });
    const { body } = await invoke(
      market,
      buyer,
      agentId,
      { input: { text: 'x' } },
      { prefer: 'respond-async' },
    );
    const tab = await openTab(browser, market, buyer);
    const { page } = tab;
    await tab.go(`/calls/${body.invocation_id}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog').getByText('nothing is charged').waitFor();
    expect(await tab.violations()).toEqual([]);
    expect(await tab.overflowAt(360)).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The call is stopped. Nothing was charged.').waitFor();
    await page.getByRole('button', { name: 'Print the receipt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    await tab.close();
    held.release();
    await held.stop();
  });

  it('asks a buyer what the agent of a job wants to know, and sends the answer', async () => {
    const [buyer, seller] = await Promise.all([register(market, 'buyer', 100), registerDeveloper(market)]);
    const job = await newJobAgent(market, seller.userId, {});
    const sent = { input: { text: 'x' } };
    const { body } = await invoke(market, buyer, job.agentId, sent, { prefer: 'respond-async' });
    const id = String(body.invocation_id);
    const tab = await openTab(browser, market, buyer);
    const { page } = tab;
    await page.setViewportSize({ width: 360, height: 800 });
    await tab.go(`/calls/${id}`);
    await page.getByText('the agent must answer until').waitFor();
    expect(await page.getByRole('region', { name: 'The agent asks you' }).count()).toBe(0);
    const asked = await callBack(market, job, id, { type: 'question', ...QUESTION });
    expect(asked.status).toBe(202);

    const card = page.getByRole('region', { name: 'The agent asks you' });
    await card.getByText(QUESTION.prompt).waitFor();
    await card.getByText('Without an answer, the call ends then, and').waitFor();
    const send = card.getByRole('button', { name: 'Send the answer' });
    await card.getByLabel(FIELDS.mailbox.title).fill('ada@home');
    expect(await tab.violations()).toEqual([]);
    expect(await tab.overflowAt(360)).toBe(0);
    await send.click();
    const [empty, refused] = [card.getByText('Fill in this field.'), card.getByText('Must be of the format')];
    await empty.first().waitFor();
    expect(await empty.count()).toBe(2);
    await card.getByRole('textbox', { name: FIELDS.format.title }).click();
    await page.getByRole('option', { name: WEB_PAGE }).click();
    await card.getByLabel(FIELDS.pages.title).fill('12');
    await card.getByLabel(FIELDS.due.title).fill('2030-05-06T07:08');
    await card.getByLabel('No', { exact: true }).check();
    await send.click();
    // The browser takes this address, and the service does not.
    await refused.waitFor();
    expect(answersOf(job.agent)).toEqual([]);
    await card.getByLabel(FIELDS.mailbox.title).fill('ada@home.example');
    await send.click();
    await page.getByText('Your answer was sent').waitFor();
    await eventually(() => answersOf(job.agent).length > 0);
    const input = {
      mailbox: 'ada@home.example',
      format: 'html',
      pages: 12,
      due: '2030-05-06T07:08:00.000Z',
      urgent: false,
    };
    expect(answersOf(job.agent)[0]?.json).toMatchObject({ invocation_id: id, input });

    await callBack(market, job, id, { type: 'answer', output: { text: 'done' } });
    await page.getByRole('button', { name: 'Print the receipt' }).waitFor();
    await page.getByText('Succeeded').first().waitFor();
    expect(await card.count()).toBe(0);
    expect(tab.complaints).toEqual([]);
    await tab.close();
    await job.agent.stop();
  });

  it('shows how far a job is, where it waits for its buyer, and cancels it, also after the tab was closed', async () => {
    const [buyer, seller] = await Promise.all([register(market, 'buyer', 100), registerDeveloper(market)]);
    const job = await newJobAgent(market, seller.userId, {});
    const sent = { input: { text: 'x' } };
    const { body } = await invoke(market, buyer, job.agentId, sent, { prefer: 'respond-async' });
    const id = String(body.invocation_id);
    const before = await openTab(browser, market, buyer);
    await before.page.setViewportSize({ width: 1440, height: 900 });
    await before.go(`/calls/${id}`);
    await callBack(market, job, id, { type: 'progress', progress: 0.25, message: FAR });
    await callBack(market, job, id, { type: 'piece', piece: { title: CHAPTER } });
    await before.page.getByRole('region', { name: 'Job' }).getByText('25%').waitFor();
    expect(await before.page.getByRole('progressbar', { name: 'Progress of the job' }).count()).toBe(1);
    await before.page.getByText(FAR).waitFor();
    await before.page.getByRole('region', { name: 'Pieces' }).getByText(CHAPTER).waitFor();
    await before.page.getByText('the agent must answer until').waitFor();
    expect(await before.violations()).toEqual([]);
    await callBack(market, job, id, { type: 'question', ...QUESTION });
    await before.page.getByRole('region', { name: 'The agent asks you' }).waitFor();
    await before.close();

    const tab = await openTab(browser, market, buyer);
    const { page } = tab;
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await tab.go('/wallet');
      await page.getByText('it waits for your answer until').waitFor();
      expect({ width, violations: await tab.violations() }).toEqual({ width, violations: [] });
      await tab.go('/calls');
      await page.getByRole('cell', { name: 'Waits for you' }).waitFor();
      expect({ width, violations: await tab.violations() }).toEqual({ width, violations: [] });
    }
    const count = page.getByRole('link', { name: /^Calls 1 for you to answer/, includeHidden: true });
    expect(await count.count()).toBe(1);
    await page.getByRole('main').getByRole('link', { name: 'Answer' }).click();
    await page.getByRole('region', { name: 'The agent asks you' }).waitFor();
    expect(await tab.overflowAt(360)).toBe(0);
    await act(page, 'Stop');
    await page.getByText('The call is stopped. Nothing was charged.').waitFor();
    await page.getByRole('button', { name: 'Print the receipt' }).waitFor();
    await count.waitFor({ state: 'detached' });
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    expect(tab.complaints).toEqual([]);
    await tab.close();
    await job.agent.stop();
  });
});
