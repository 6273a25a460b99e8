/**
 * The console in a browser, against a real market: the first story of each role with one failure each, then every page
 * with axe in both colours, at 360 px, and without a report of the content security policy.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { testManifest } from '../support/agents/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../support/console/browser';
import { eventStream } from '../support/agents/behaviours';
import { CHAT_SCHEMAS, TURN } from '../support/calls/chat';
import {
  addCredits,
  act,
  agentFolder,
  developerIdOf,
  dropFolder,
  lookUp,
  reservePayout,
} from '../support/console/console-steps';
import { deposit, slash } from '../support/disputes/bonds';
import { openCase, respond, succeed } from '../support/disputes/disputes';
import { eventually, expectWholeLedger, invoke, putLive, register, startMarket, topUp, type TestMarket, type TestUser } from '../support/market'; // prettier-ignore
import { newSlug } from '../support/names';
import { publish, registerDeveloper, request } from '../support/catalogue/publishing';
import { leakedKey } from '../support/verification/run-evidence';
import { runWith } from '../support/verification/trust';
import { sharedTemporal } from '../support/stack/temporal';
import { startTcpProxy, type TcpProxy } from '../support/stack/tcp-proxy';

jest.setTimeout(180_000);

const PASSWORD = 'correct horse battery';
const PAGES = readFileSync(join(__dirname, '../../console/src/page-table.ts'), 'utf8');
const OWN = ['/favourites', '/calls', '/wallet', '/keys', '/disputes', '/webhooks', '/account', '/access', '/welcome', '/notices']; // prettier-ignore
const OPERATORS = 'figures accounts agents calls disputes slashes payments payouts ledger audit'
  .split(' ')
  .map((name) => `/operator/${name}`);
const ROUTES = [...PAGES.matchAll(/page\('([^']+)'/g)].map(([, path]) => path ?? '');

describeInBrowser('the console in a browser', () => {
  let temporal: TcpProxy;
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;
  let seller: TestUser;
  let agentId: string;
  const slug = newSlug('console');
  const visited = new Set<string>();

  beforeAll(async () => {
    const [, port] = sharedTemporal().address.split(':');
    temporal = await startTcpProxy(Number(port));
    [market, browser, agent] = await Promise.all([
      startMarket({
        env: {
          TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
          TEMPORAL_UI_URL: 'https://temporal.example/',
          PUBLIC_READS: 'true',
        },
      }),
      openBrowser(),
      startAgent(),
    ]);
    seller = await registerDeveloper(market);
    ({ agentId } = await putLive(market, seller.userId, agent.url, { agentId: slug }));
  });
  afterAll(async () => {
    temporal.mode('forward');
    await browser.close();
    await agent.stop();
    await expectWholeLedger(market);
    await market.stop();
    await temporal.close();
  });

  /** Shows each page and checks what holds on every page. `route` is its path in the router. */
  async function checkPages(tab: Tab, pages: readonly (readonly [route: string, path: string])[]) {
    const inDark: string[] = [];
    for (const [route, path] of pages) {
      visited.add(route);
      await tab.go(path);
      expect({ route, violations: await tab.allViolations() }).toEqual({ route, violations: [] });
      inDark.push(...(await tab.violationsInDark()).map((violation) => `${route}: ${violation}`));
      for (const width of [360, 768, 1_440, 1_920])
        expect([route, width, await tab.overflowAt(width)]).toEqual([route, width, 0]);
    }
    expect(inDark).toEqual([]);
    expect(tab.complaints).toEqual([]);
  }

  async function signUp(tab: Tab, role: 'Call agents' | 'Sell agents'): Promise<string> {
    const email = `${newSlug('person')}@example.test`;
    await tab.go('/signup');
    await tab.page.getByRole('radio', { name: role }).check();
    await tab.page.getByLabel('Name').fill('Ada');
    await tab.page.getByLabel('Email').fill(email);
    await tab.page.locator('input[type=password]').fill(PASSWORD);
    await tab.page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
    await tab.page.waitForURL((url) => !url.pathname.endsWith('/signup'));
    return email;
  }

  async function run(tab: Tab, text: string) {
    await tab.go(`/agents/${agentId}/try`);
    await tab.page.getByLabel(/^text/).fill(text);
    await tab.page.getByRole('button', { name: /^Run/ }).click();
  }

  it('takes a buyer from sign-up to a paid answer, and says why a call fails', async () => {
    const tab = await openTab(browser, market);
    const { page } = tab;
    await page.getByText('Echo agent').first().waitFor();
    const bytes = `performance.getEntriesByType('resource').reduce((sum, one) => sum + one.transferSize, 0)`;
    expect(await page.evaluate<number>(bytes)).toBeLessThan(250_000);
    const stream = page.waitForRequest('**/v1/events/stream*');
    await signUp(tab, 'Call agents');
    await stream;

    await run(tab, 'hello');
    await page.getByRole('alert').getByText('Not enough credits').waitFor();
    await page.getByRole('alert').getByRole('link', { name: 'Add credits' }).waitFor();

    await addCredits(tab, '4');
    await run(tab, 'hello');
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.getByText('10 credits').waitFor();
    await receipt.getByRole('link', { name: 'Show this call' }).click();
    await page.getByText('Settled').waitFor();

    // The session ends while a text is typed.
    await tab.go(`/agents/${agentId}/try`);
    await page.getByLabel(/^text/).fill('typed before the end');
    await page.context().clearCookies();
    await page.getByRole('button', { name: /^Run/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.locator('input[type=password]').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel(/^text/).inputValue()).toBe('typed before the end');
    await page.getByRole('button', { name: /^Run/ }).click();
    await receipt.getByText('10 credits').waitFor();

    agent.behave({ kind: 'status', status: 503 });
    await run(tab, 'again');
    await page.getByText('Nothing was charged.').waitFor();
    agent.behave({ kind: 'echo' });

    await tab.go('/');
    await page.getByTitle('Account menu').click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'Log in' }).waitFor();
    await tab.close();
  });

  it('takes a developer from sign-up to a listed agent, with the problems of the manifest at their lines', async () => {
    const tab = await openTab(browser, market);
    const { page } = tab;
    const email = await signUp(tab, 'Sell agents');
    const { rows } = await market.owner.query<{ user_id: string }>(
      'SELECT user_id FROM users WHERE email = $1',
      [email],
    );
    await topUp(market.owner, rows[0]?.user_id ?? '', 1_000);
    await page.reload(); // it may have read its wallet before, and opened its stream of events after that
    await tab.go('/developer');
    await page.getByRole('button', { name: 'Pay 1,000 credits' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pay 1,000 credits' }).click();
    await page.getByText('The fee is paid.').waitFor();

    await tab.go('/developer/publish');
    const manifest = testManifest(agent.url, { agentId: newSlug('own') });
    await dropFolder(page, agentFolder({ ...manifest, category: 'nonsense' }));
    await page.getByRole('button', { name: 'Publish and verify' }).click();
    await page.getByRole('alert').getByText('category').waitFor();
    await page.getByText('category: line 8').waitFor();
    const marker = await page.locator('.cm-lint-marker-error').boundingBox();
    const line = await page.locator('.cm-line', { hasText: 'nonsense' }).boundingBox();
    expect(Math.abs((marker?.y ?? 0) - (line?.y ?? 100))).toBeLessThan(12);
    await dropFolder(page, agentFolder(manifest));
    await page.getByRole('button', { name: 'Publish and verify' }).click();
    await page.getByText('Buyers find this agent in the search.').waitFor({ timeout: 60_000 });
    const stages = page.getByRole('region', { name: 'Verification' }).getByRole('listitem');
    await stages.filter({ hasText: /^Red team.*Done in/ }).waitFor();
    await tab.close();
  });

  it('shows decisions to operators only', async () => {
    const [operator, buyer] = await Promise.all([
      register(market, 'developer'),
      register(market, 'buyer', 1_000),
    ]);
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
    const { disputeId, invocationId } = await openCase(market, buyer, agentId);
    await respond(market, seller, disputeId, 'contest');

    const leaky = await putLive(market, seller.userId, agent.url);
    await runWith(market, leaky, leakedKey());
    const form = { kind: 'w8ben', legal_name: 'Ada Lovelace', country: 'GB', tax_id: 'QQ123456C' };
    await request(market, seller, 'PUT', '/v1/billing/developer/tax-form', form);
    await topUp(market.owner, seller.userId, 1_000);
    await deposit(market, seller, 1_000);
    const about = { agentId, credits: 50, calls: [invocationId] };
    const { slash_id: slashId } = (await slash(market, operator, about)).body;
    const developer = await openTab(browser, market, seller);
    await checkPages(developer, [['/developer/slashes/$slashId', `/developer/slashes/${slashId}`]]);
    await developer.page.getByRole('timer').waitFor();
    await developer.page.getByLabel('Your counter-argument').fill('The answer was right.');
    await developer.page.getByRole('button', { name: 'Send the answer' }).click();
    await developer.page.getByRole('region', { name: 'Your answer' }).waitFor();
    await developer.go(`/developer/agents/${leaky.agentId}`);
    await developer.page.getByText('Follow the remedy of each critical finding').waitFor();
    await act(developer.page, 'Acknowledge');
    await developer.page.getByText('Acknowledged', { exact: true }).waitFor();
    await act(developer.page, 'Contest', { reason: 'The key is of the public sandbox.' });
    await developer.close();

    const other = await openTab(browser, market, buyer);
    await other.go('/operator');
    await other.page.getByRole('alert').first().waitFor();
    await other.close();

    const tab = await openTab(browser, market, operator);
    await tab.go('/operator');
    const card = tab.page.getByRole('article', { name: `Dispute ${disputeId}` });
    const workflow = card.getByRole('link', { name: 'Workflow in Temporal' });
    const namespace = `https://temporal.example/namespaces/${market.config.TEMPORAL_NAMESPACE}`;
    expect(await workflow.getAttribute('href')).toBe(`${namespace}/workflows/dispute%2F${disputeId}`);
    await card.getByRole('button', { name: 'Show the evidence' }).click();
    await card.getByText('Output schema').waitFor();
    const ask = tab.page.getByRole('dialog');
    await card.getByRole('button', { name: 'Fast-forward' }).click();
    await ask.getByRole('button', { name: 'Move the clock' }).click();
    await tab.page.getByText('The timers up to then have fired.').waitFor();
    await act(tab.page, 'Refund', { within: card, reason: 'The answer is wrong.' });
    await card.waitFor({ state: 'detached' });
    const decision = (name: string | RegExp) => tab.page.getByRole('article', { name });
    for (const [name, action] of [
      [`Slash ${slashId}`, 'Overturn'],
      [/^Contest /, 'Waive'],
      [/^Tax form /, 'Accept'],
    ] as const) {
      await act(tab.page, action, { within: decision(name), reason: 'Read and decided.' });
      await decision(name).waitFor({ state: 'detached' });
    }
    await tab.page.getByText('Nothing to decide').first().waitFor();
    const { rows } = await market.owner.query<{ trace_id: string }>(
      'SELECT trace_id FROM invocations WHERE invocation_id = $1',
      [invocationId],
    );
    await lookUp(tab.page, invocationId, 'Call');
    await tab.page.getByRole('table', { name: 'Movements' }).getByText('Dispute refund').first().waitFor();
    await lookUp(tab.page, rows[0]?.trace_id ?? '', 'Call');
    await succeed(market, buyer, agentId);
    await lookUp(tab.page, await reservePayout(market, seller), 'Test developer');
    await lookUp(tab.page, buyer.email, 'Test buyer');
    await act(tab.page, 'Freeze the wallet', { reason: 'The card was stolen.' });
    await tab.page.getByText('Frozen since').waitFor();
    await act(tab.page, 'Unfreeze the wallet', { reason: 'The card is back.' });
    await lookUp(tab.page, leaky.agentId, leaky.agentId);
    await act(tab.page, 'Suspend', { reason: 'It leaks.' });
    const log = tab.page.getByRole('table', { name: 'Audit log' });
    await log.getByRole('row', { name: /Suspended an agent.*It leaks\./ }).waitFor();
    const moves = tab.page.getByRole('button', { name: /^(Suspend|Reinstate)$/ });
    await tab.page.getByRole('button', { name: 'Reinstate' }).waitFor();
    expect(await moves.allInnerTexts()).toEqual(['Reinstate']);
    await act(tab.page, 'Reinstate', { reason: 'It is corrected.' });
    await tab.page.getByRole('button', { name: 'Suspend' }).waitFor();
    expect(await moves.allInnerTexts()).toEqual(['Suspend']);
    const lists = ['/operator', '/status', '/platform', ...OPERATORS];
    await checkPages(tab, [
      ...lists.map((path) => [path, path] as const),
      ['/operator/accounts/$userId', `/operator/accounts/${buyer.userId}`],
      ['/operator/calls/$invocationId', `/operator/calls/${invocationId}`],
      ['/operator/agents/$agentId', `/operator/agents/${agentId}`],
      ['/operator/disputes/$disputeId', `/operator/disputes/${disputeId}`],
      ['/operator/slashes/$slashId', `/operator/slashes/${slashId}`],
    ]);
    await tab.close();
  });

  it('has accessible pages for everyone, at every width, and no report of its policy', async () => {
    const visitor = await openTab(browser, market);
    await checkPages(visitor, [
      ['/', '/'],
      ['/agents/$agentId', `/agents/${agentId}`],
      ['/agents/$agentId', `/agents/${agentId}?tab=trust`],
      ['/agents/$agentId', `/agents/${agentId}?tab=code&assistant=claude-desktop`],
      ['/agents/$agentId', `/agents/${agentId}?tab=versions`],
      ['/compare', `/compare?agents=${agentId}`],
      ['/developers/$developerId', `/developers/${await developerIdOf(market, seller)}`],
      ['/login', '/login'],
      ['/signup', '/signup'],
      ['/enter', '/enter'],
      ['/forgot-password', '/forgot-password'],
      ['/reset-password', '/reset-password'],
      ['/invitation', '/invitation'],
      ['/confirm-deletion', '/confirm-deletion'],
      ['/confirm-email', '/confirm-email'],
    ]);
    await visitor.page.getByText('This link has no token').first().waitFor();
    const buyer = await register(market, 'buyer', 1_000);
    const { disputeId, invocationId } = await openCase(market, buyer, agentId);
    await visitor.page.goto(`${market.url}/console/agents/${agentId}`);
    await visitor.page.getByRole('figure', { name: /^Success rate by day/ }).waitFor();
    await visitor.page.getByRole('tab', { name: 'Code' }).click();
    await visitor.page.getByRole('tab', { name: 'Cursor' }).click();
    expect(visitor.page.url()).toMatch(/\?tab=code&assistant=cursor$/);
    const shown = await visitor.page.getByLabel('Cursor code', { exact: true }).innerText();
    expect(JSON.parse(shown)).toMatchObject({
      mcpServers: {
        [slug]: { url: `${market.url}/mcp/a/${agentId}`, headers: { 'X-Max-Cost-Credits': '10' } },
      },
    });
    await visitor.close();

    const created = await request<{ webhook_id: string }>(market, buyer, 'POST', '/v1/webhooks', {
      url: 'https://127.77.0.1/hook',
      types: ['invocation.succeeded'],
    });
    const founded = await request<{ org_id: string }>(market, buyer, 'POST', '/v1/organisations', {
      name: 'Analytical Engines',
    });
    const organisation = `/organisations/${founded.body.org_id}`;
    const tab = await openTab(browser, market, buyer);
    await checkPages(tab, [
      ['/organisations', '/organisations'],
      ...['members', 'invitations', 'rules', 'settings', 'sign-in', 'log'].map(
        (name) => ['/organisations/$orgId', `${organisation}?tab=${name}`] as const,
      ),
      ...OWN.map((path) => [path, path] as const),
      ['/agents/$agentId/try', `/agents/${agentId}/try`],
      ['/calls/$invocationId', `/calls/${invocationId}`],
      ['/disputes/$disputeId', `/disputes/${disputeId}`],
      ['/webhooks/$webhookId', `/webhooks/${created.body.webhook_id}`],
    ]);
    await tab.go(`/calls/${invocationId}`);
    await tab.page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    // Sooner than the page reads again by itself.
    await tab.go('/calls');
    await invoke(market, buyer, agentId, { input: { text: 'from elsewhere' } });
    await tab.page.getByRole('table', { name: 'Calls' }).getByRole('link').nth(1).waitFor();
    await tab.close();
    const draft = testManifest(agent.url, { agentId: slug, version: '1.1.0' });
    expect((await publish(market, seller, draft, { submit: false })).status).toBe(201);
    await succeed(market, buyer, agentId);
    const payoutId = await reservePayout(market, seller);
    const developer = await openTab(browser, market, seller);
    const ownAgent = `/developer/agents/${agentId}`;
    await developer.go(`${ownAgent}/calls`);
    await developer.page.getByText('It counts against the agent.').first().waitFor();
    await checkPages(developer, [
      ['/developer', '/developer'],
      ['/developer/agents', '/developer/agents'],
      ['/developer/publish', '/developer/publish'],
      ['/developer/register', '/developer/register'],
      ['/developer/agents/$agentId/edit', `${ownAgent}/edit`],
      ['/developer/agents/$agentId/preview', `${ownAgent}/preview`],
      ['/developer/earnings', '/developer/earnings'],
      ['/developer/payouts/$payoutId', `/developer/payouts/${payoutId}`],
      ['/developer/bond', '/developer/bond'],
      ['/developer/agents/$agentId', ownAgent],
      ['/developer/agents/$agentId/calls', `${ownAgent}/calls`],
      ['/developer/agents/$agentId/versions/$version', `${ownAgent}/versions/1.1.0`],
    ]);
    await developer.page.getByRole('button', { name: 'Delete' }).click();
    await developer.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await developer.page.getByText('The draft 1.1.0 is deleted.').waitFor();
    await developer.page
      .getByRole('table', { name: 'Versions' })
      .getByRole('link', { name: '1.0.0' })
      .waitFor();
    await developer.page.getByRole('link', { name: '1.1.0' }).waitFor({ state: 'detached' });
    await developer.close();
    expect(ROUTES.filter((route) => !visited.has(route))).toEqual([]);
  });

  it('streams an answer, bounds a key, and sends an event again', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const pricing = {
      model: 'per_token',
      credits_per_1k_tokens: '2',
      max_credits_per_call: 15,
    } as const;
    const chatting = await putLive(market, seller.userId, agent.url, { ...CHAT_SCHEMAS, pricing });
    const tab = await openTab(browser, market, buyer);
    const { page } = tab;
    await tab.go(`/agents/${chatting.agentId}`);
    await page
      .getByRole('region', { name: 'Price' })
      .getByText(/^One call of 10,000 tokens or more15 credits · US\$0\.15$/)
      .waitFor();

    agent.behave(eventStream(['Good ', 'morning'], 50));
    await tab.go(`/agents/${chatting.agentId}/try`);
    await page.getByText('JSON', { exact: true }).click();
    await page.getByLabel('Input as JSON').fill(JSON.stringify(TURN));
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('Good morning').waitFor();
    await page.getByRole('region', { name: 'Receipt' }).getByText('1 credit').waitFor();
    agent.behave({ kind: 'echo' });

    await tab.go('/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Small');
    await page.getByLabel('Credit cap').fill('5');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const secret = await page.getByLabel('key', { exact: true }).innerText();
    const refused = await fetch(`${market.url}/v1/agents/${agentId}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': secret.trim() },
      body: JSON.stringify({ input: { text: 'for 10 credits' } }),
    });
    expect(await refused.json()).toMatchObject({ error: { code: 'credit_cap_exceeded' } });
    await page.getByRole('table').getByText('0 of 5 credits').waitFor();

    const hook = { url: 'https://127.77.0.1/hook', types: ['invocation.failed'] };
    const made = await request<{ webhook_id: string }>(market, buyer, 'POST', '/v1/webhooks', hook);
    await tab.go(`/webhooks/${made.body.webhook_id}`);
    await act(page, 'Send a test');
    await page.getByRole('table', { name: 'Deliveries' }).getByText('webhook.test').waitFor();
    await act(page, 'Resend');
    await page.getByText('The event is on its way.').waitFor();
    const states = page.getByRole('radiogroup', { name: 'State of the deliveries' });
    await states.getByText('Delivered').click();
    await page.getByText('No delivery matches').waitFor();
    await states.getByText('All').click();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('webhook.test').waitFor();
    await tab.close();
  });

  it('continues where the events broke off, and reads everything again if some are missing', async () => {
    const buyer = await register(market, 'buyer', 1_000);
    const line = await startTcpProxy(Number(new URL(market.url).port));
    const tab = await openTab(browser, { url: `http://127.0.0.1:${line.port}` }, buyer);
    const { page } = tab;
    /** Cuts all connections, and waits for the request by which the browser opens the stream again. */
    const cut = async () => {
      const again = page.waitForRequest('**/v1/events/stream*');
      line.mode('refuse');
      line.mode('forward');
      return (await (await again).allHeaders())['last-event-id'] ?? '';
    };
    try {
      await tab.go('/calls');
      await eventually(async () => /^\d+$/.test(await cut()), 60_000);
      await invoke(market, buyer, agentId, { input: { text: 'after the break' } });
      await page.getByRole('table', { name: 'Calls' }).getByRole('link').first().waitFor();

      // As if the events since the last one had been purged. Nothing else reads the keys again.
      await tab.go('/keys');
      await market.owner.query('UPDATE event_followers SET since = since + 1e12 WHERE user_id = $1', [
        buyer.userId,
      ]);
      const keys = page.waitForResponse((response) => response.url().includes('/v1/keys') && response.ok());
      await cut();
      await keys;
    } finally {
      await tab.close();
      await line.close();
    }
  });

  it('says that the engine is away, and that nothing was charged', async () => {
    const buyer = await register(market, 'buyer', 10_000);
    const tab = await openTab(browser, market, buyer);
    temporal.mode('refuse');
    try {
      // A call needs no engine to be performed; within seconds the API notices, and refuses new ones.
      const call = () => invoke(market, buyer, agentId, { input: { text: 'hello' } });
      await eventually(async () => (await call()).status === 503, 30_000);
      await run(tab, 'without the engine');
      await tab.page.getByText('The engine is away').waitFor();
      await tab.page.getByText('Nothing was charged.').first().waitFor();
      await tab.go('/platform');
      await tab.page.getByText('Failed').first().waitFor();
      await tab.page.getByText('Works').first().waitFor();

      // Nothing answers any more, and the code of the next page is not here yet.
      await tab.page.route('**/*', (route) => route.abort());
      await tab.page.getByRole('link', { name: 'Webhooks' }).first().click();
      await tab.page.getByRole('heading', { level: 1, name: 'This page did not load' }).waitFor();
      await tab.page.getByRole('alert').getByText('The marketplace does not answer.').first().waitFor();
    } finally {
      temporal.mode('forward');
      await tab.close();
    }
  });
});
