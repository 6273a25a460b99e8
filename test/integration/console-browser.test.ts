/**
 * The console in a browser, against a real market: the first story of each role with one failure each, then every page
 * with axe, at 360 px, and without a report of the content security policy.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { testManifest } from '../support/agents/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { describeInBrowser, openBrowser, openTab, type Tab } from '../support/browser';
import { openCase, respond } from '../support/disputes';
import {
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  topUp,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { newSlug } from '../support/names';
import { publish, registerDeveloper, request } from '../support/publishing';
import { sharedTemporal } from '../support/temporal';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';

jest.setTimeout(180_000);

const PASSWORD = 'correct horse battery';
/** One page of each kind, for dark colours. */
const IN_DARK: ReadonlySet<string> = new Set([
  '/',
  '/agents/$agentId',
  '/agents/$agentId/try',
  '/login',
  '/calls',
  '/calls/$invocationId',
  '/wallet',
  '/disputes/$disputeId',
  '/developer',
  '/developer/agents/$agentId',
  '/developer/publish',
  '/operator/calls/$invocationId',
  '/platform',
]);
const ROUTER = readFileSync(join(__dirname, '../../console/src/router.tsx'), 'utf8');
const ROUTES = [...ROUTER.matchAll(/page\('([^']+)'/g)].map(([, path]) => path ?? '');

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
        env: { TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`, TEMPORAL_UI_URL: 'https://temporal.example/' },
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
      expect({ route, violations: await tab.violations() }).toEqual({ route, violations: [] });
      if (IN_DARK.has(route))
        inDark.push(...(await tab.violationsInDark()).map((violation) => `${route}: ${violation}`));
      expect({ route, overflow: await tab.overflowAt(360) }).toEqual({ route, overflow: 0 });
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

  async function addCredits(tab: Tab, amount: string) {
    await tab.go('/wallet');
    await tab.page.getByRole('button', { name: 'Add credits' }).click();
    await tab.page.getByLabel('Amount').fill(amount);
    await tab.page.getByRole('button', { name: 'Pay' }).click();
    await tab.page.getByRole('main').getByText(`${amount} credits`).first().waitFor();
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
    const stream = page.waitForRequest('**/v1/events/stream');
    await signUp(tab, 'Call agents');
    await stream;

    await run(tab, 'hello');
    await page.getByRole('alert').getByText('Not enough credits').waitFor();

    await addCredits(tab, '40');
    await run(tab, 'hello');
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.getByText('10 credits').waitFor();
    await receipt.getByRole('link', { name: 'Show this call' }).click();
    await page.getByText('Settled').waitFor();

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
    await tab.go('/developer');
    await page.getByRole('button', { name: 'Pay the fee' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pay the fee' }).click();
    await page.getByText('The fee is paid.').waitFor();

    await tab.go('/developer/publish');
    const manifest = testManifest(agent.url, { agentId: newSlug('own') });
    const choose = (value: object) =>
      page
        .locator('input[type=file]')
        .first()
        .setInputFiles({
          name: 'manifest.json',
          mimeType: 'application/json',
          buffer: Buffer.from(JSON.stringify(value, null, 2)),
        });
    await choose({ ...manifest, category: 'nonsense' });
    await page.getByRole('button', { name: 'Publish and verify' }).click();
    await page.getByRole('alert').getByText('category').waitFor();
    await page.getByText('category: line 8').waitFor();
    await choose(manifest);
    await page.getByRole('button', { name: 'Publish and verify' }).click();
    await page.getByText('Buyers find this agent in the search.').waitFor({ timeout: 60_000 });
    const stages = page.getByRole('region', { name: 'Verification' }).getByRole('listitem');
    await stages.filter({ hasText: /^Red team.*Done in/ }).waitFor();
    await tab.close();
  });

  it('shows an operator what to decide, and nobody else', async () => {
    const [operator, buyer] = await Promise.all([
      register(market, 'developer'),
      register(market, 'buyer', 1_000),
    ]);
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
    const { disputeId, invocationId } = await openCase(market, buyer, agentId);
    await respond(market, seller, disputeId, 'contest');

    const other = await openTab(browser, market, buyer);
    await other.go('/operator');
    await other.page.getByRole('alert').first().waitFor();
    await other.close();

    const tab = await openTab(browser, market, operator);
    await tab.go('/operator');
    const workflow = tab.page.getByRole('link', { name: 'Workflow in Temporal' });
    const namespace = `https://temporal.example/namespaces/${market.config.TEMPORAL_NAMESPACE}`;
    expect(await workflow.getAttribute('href')).toBe(`${namespace}/workflows/dispute%2F${disputeId}`);
    await tab.page.getByRole('button', { name: 'Refund' }).click();
    await tab.page.getByLabel('Reason').fill('The answer is wrong.');
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
    await tab.page.getByText('Nothing to decide').first().waitFor();
    await tab.page.getByLabel('Find by any id').fill(disputeId);
    await tab.page.getByRole('button', { name: 'Find' }).click();
    await tab.page.getByRole('table', { name: 'Movements' }).getByText('Dispute refund').first().waitFor();
    await checkPages(tab, [
      ['/operator', '/operator'],
      ['/operator/accounts/$userId', `/operator/accounts/${buyer.userId}`],
      ['/operator/calls/$invocationId', `/operator/calls/${invocationId}`],
      ['/operator/agents/$agentId', `/operator/agents/${agentId}`],
      ['/operator/payments', '/operator/payments'],
      ['/operator/payouts', '/operator/payouts'],
      ['/operator/ledger', '/operator/ledger'],
      ['/operator/audit', '/operator/audit'],
      ['/platform', '/platform'],
    ]);
    await tab.close();
  });

  it('has accessible pages for everyone, at every width, and no report of its policy', async () => {
    const visitor = await openTab(browser, market);
    await checkPages(visitor, [
      ['/', '/'],
      ['/agents/$agentId', `/agents/${agentId}`],
      ['/login', '/login'],
      ['/signup', '/signup'],
      ['/enter', '/enter'],
    ]);
    await visitor.close();

    const buyer = await register(market, 'buyer', 1_000);
    const { disputeId, invocationId } = await openCase(market, buyer, agentId);
    const created = await request<{ webhook_id: string }>(market, buyer, 'POST', '/v1/webhooks', {
      url: 'https://127.77.0.1/hook',
      types: ['invocation.succeeded'],
    });
    const tab = await openTab(browser, market, buyer);
    await checkPages(tab, [
      ['/agents/$agentId/try', `/agents/${agentId}/try`],
      ['/calls', '/calls'],
      ['/calls/$invocationId', `/calls/${invocationId}`],
      ['/wallet', '/wallet'],
      ['/keys', '/keys'],
      ['/disputes', '/disputes'],
      ['/disputes/$disputeId', `/disputes/${disputeId}`],
      ['/webhooks', '/webhooks'],
      ['/webhooks/$webhookId', `/webhooks/${created.body.webhook_id}`],
      ['/account', '/account'],
    ]);
    // Sooner than the page reads again by itself.
    await tab.go('/calls');
    await invoke(market, buyer, agentId, { input: { text: 'from elsewhere' } });
    await tab.page.getByRole('table', { name: 'Calls' }).getByRole('link').nth(1).waitFor();
    await tab.close();

    const draft = testManifest(agent.url, { agentId: slug, version: '1.1.0' });
    expect((await publish(market, seller, draft, { submit: false })).status).toBe(201);
    const developer = await openTab(browser, market, seller);
    const ownAgent = `/developer/agents/${agentId}`;
    await checkPages(developer, [
      ['/developer', '/developer'],
      ['/developer/agents', '/developer/agents'],
      ['/developer/publish', '/developer/publish'],
      ['/developer/earnings', '/developer/earnings'],
      ['/developer/bond', '/developer/bond'],
      ['/developer/agents/$agentId', ownAgent],
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
    } finally {
      temporal.mode('forward');
      await tab.close();
    }
  });
});
