/**
 * What may use an account: an application that was connected by OAuth is shown beside the keys, and is refused once it
 * is disconnected there; a session that ends is continued.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { startAppServer, UI_EXTENSION, UI_MIME_TYPE } from '../../support/agents/mcp-app';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { showApp } from '../../support/console/app-host';
import { describeInBrowser, openBrowser, openTab } from '../../support/console/browser';
import { act } from '../../support/console/console-steps';
import { keptMarket } from '../../support/kept-market';
import { balance, putLive, register, type TestMarket, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { mandateOf, startMandateScene, useMandate } from '../../support/mandates/mandate-scene';
import { putServerLive } from '../../support/protocols/mcp-upstream';
import {
  authorizeAddress,
  permit,
  pkce,
  post,
  registerClient,
  resourceOf,
} from '../../support/accounts/oauth';

describeInBrowser('connected applications in the console', () => {
  let market: TestMarket;
  let browser: Browser;
  let agent: TestAgent;

  beforeAll(async () => {
    [market, browser, agent] = await Promise.all([keptMarket(), openBrowser(), startAgent()]);
  });
  afterAll(async () => {
    await browser.close();
    await agent.stop();
    await market.stop();
  });

  /** Connects an application to an agent. Returns its access token. */
  async function connect(buyer: TestUser, agentId: string): Promise<string> {
    const client = await registerClient(market);
    const { verifier, challenge } = pkce();
    const resource = resourceOf(market, agentId);
    const back = await permit(market, buyer, authorizeAddress(client, resource, challenge));
    const { body } = await post(market, '/oauth/token', {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: client.redirectUri,
      client_id: client.clientId,
      code_verifier: verifier,
      resource,
    });
    return String(body['access_token']);
  }

  it('stand beside mandates, which their account revokes, with the keys that sign them', async () => {
    const scene = await startMandateScene();
    const jws = await mandateOf(scene);
    expect((await useMandate(scene, jws)).status).toBe(200);
    const { page, go, violations, close } = await openTab(browser, market, scene.issuer);
    await go('/keys');
    const mandates = page.getByRole('table', { name: 'Mandates' });
    await mandates.getByText(scene.writerId).waitFor();
    await mandates.getByText('10 of 100 credits').waitFor();
    expect(await violations()).toEqual([]);
    await act(page, 'Revoke', { within: mandates });
    await mandates.getByText('Revoked').waitFor();
    expect((await useMandate(scene, jws)).body.error?.code).toBe('mandate_invalid');
    await act(page, 'Remove');
    await page.getByRole('table', { name: 'Keys that sign mandates' }).waitFor({ state: 'detached' });
    await close();
  });

  it('are listed with their agent and cap, and refused when they are disconnected', async () => {
    const developer = await register(market, 'developer');
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 });
    const buyer = await register(market, 'buyer', 100);
    const token = await connect(buyer, agentId);
    const list = async () => {
      const response = await fetch(`${market.url}/mcp/a/${agentId}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
      await response.text();
      return response.status;
    };
    const allowed = await list();
    expect(allowed).not.toBe(401);

    const tab = await openTab(browser, market, buyer);
    await tab.go('/keys');
    const table = tab.page.getByRole('table', { name: 'Connected applications' });
    await table.waitFor();
    const text = await table.innerText();
    for (const shown of ['Raw client', 'chat.example', agentId, 'Call agents', '500'])
      expect(text).toContain(shown);
    // The last use is written a moment later.
    expect(text).toMatch(/Never|ago|now/i);
    expect(await tab.violations()).toEqual([]);
    await act(tab.page, 'Disconnect');
    await tab.page.getByText('No connected applications').waitFor();
    expect(await list()).toBe(401);
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('show the page of an app of an agent, which gets and makes paid calls, and reaches no other origin', async () => {
    const own = `${market.url}/v1/auth/me`;
    const addresses = ['https://api.example.com/', 'http://plain.example.com/', own];
    const app = await startAppServer(addresses);
    const developer = await register(market, 'developer');
    const agentId = await putServerLive(market, developer.userId, app.url);
    const buyer = await register(market, 'buyer', 100);
    const headers = { authorization: `Bearer ${await connect(buyer, agentId)}` };
    const extensions = { [UI_EXTENSION]: { mimeTypes: [UI_MIME_TYPE] } };
    const client = new Client({ name: 'Assistant', version: '1' }, { capabilities: { extensions } });
    const url = new URL(`${market.url}/mcp/a/${agentId}`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

    const [tool] = (await client.listTools()).tools;
    const { resourceUri } = tool?._meta?.['ui'] as { resourceUri: string };
    const [shown] = (await client.readResource({ uri: resourceUri })).contents;
    const { csp } = shown?._meta?.['ui'] as { csp: Record<string, unknown> };
    expect(shown?.mimeType).toBe(UI_MIME_TYPE);
    expect(csp).toEqual({ connectDomains: ['https://api.example.com'] });
    const input = { city: 'Bergen' };
    const result = await client.callTool({ name: 'forecast', arguments: input });
    const callTool = (params: Record<string, unknown>) => client.callTool(params as never);
    const html = shown && 'text' in shown ? shown.text : '';
    const page = await showApp(browser, { html, csp, input, result, callTool });

    const frame = page.frameLocator('iframe');
    await frame.getByText('Asked for Bergen').waitFor();
    await frame.getByText('Bergen: 9 degrees').waitFor();
    const ways = ['https://api.example.com/ reached', 'http://plain.example.com/ refused', `${own} refused`];
    await frame.getByText(ways.join(', ')).waitFor();
    await frame.getByRole('button', { name: 'Oslo' }).click();
    await frame.getByText('Oslo: 12 degrees').waitFor();
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000 - 2 * 300);
    await Promise.all([page.context().close(), client.close(), app.stop()]);
  });

  it('and programs are registered, changed and rotated beside them', async () => {
    const buyer = await register(market, 'buyer', 100);
    const tab = await openTab(browser, market, buyer);
    const { page } = tab;
    await tab.go('/keys');
    await page.getByRole('button', { name: 'Register a program' }).click();
    await page.getByLabel('Name').fill('Night job');
    expect(await tab.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Register the program' }).click();
    const secret = page.getByText(/^ams_[\w-]{43}$/);
    await secret.waitFor();
    const first = await secret.innerText();
    const table = page.getByRole('table', { name: 'Connected applications' });
    await table.getByText('Night job').waitFor();
    await table.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('textbox', { name: 'Pinned agents' }).fill('agt_echo_v1');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The same by the keyboard alone, on a narrow screen: the focus begins in the first field.
    await page.setViewportSize({ width: 360, height: 740 });
    await table.getByRole('button', { name: 'Change' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    for (const keys of ['30', 'A w', '4', '80', 'agt_echo_v1']) {
      if (/^\d/.test(keys)) await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(keys);
      if (keys.startsWith('agt_')) await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const shown of [
      /At most .?4.? credits for one call/,
      'Trust score of at least 80',
      'agt_echo_v1',
      'each week',
    ])
      await table.getByText(shown).waitFor();
    const { body } = await request<{ items: object[] }>(market, buyer, 'GET', '/v1/oauth/grants');
    expect(body.items).toMatchObject([
      {
        credit_cap: 30,
        credit_cap_window: 'week',
        call_cap: 4,
        min_trust_score: 80,
        agents: ['agt_echo_v1'],
        pinned_agents: ['agt_echo_v1'],
      },
    ]);
    expect(await tab.violations()).toEqual([]);
    await act(page, 'Rotate');
    await page.getByText('The program has a new secret.').waitFor();
    expect(await secret.innerText()).not.toBe(first);
    expect(await tab.violations()).toEqual([]);
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('and keys end with a change of the password if the person says so', async () => {
    const developer = await register(market, 'developer');
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 });
    const buyer = await register(market, 'buyer', 100);
    await connect(buyer, agentId);
    await request(market, buyer, 'POST', '/v1/keys', { name: 'kept', scopes: ['agents:invoke'] });
    const counts = async () => {
      const { body } = await request<Record<string, unknown>>(market, buyer, 'GET', '/v1/auth/security');
      return [body['api_keys'], body['oauth_grants']];
    };
    const [keys, grants] = (await counts()) as [number, number];
    expect([keys, grants].map((count) => count > 0)).toEqual([true, true]);

    const tab = await openTab(browser, market, buyer);
    const { page } = tab;
    await tab.go('/account');
    const [first, second] = ['a bicycle of seven colours', 'an orange tram at the harbour'] as const;
    const change = async (from: string, to: string) => {
      await page.getByLabel('Old password').fill(from);
      await page.getByLabel('New password').fill(to);
      await page.getByRole('button', { name: 'Change the password' }).click();
    };
    await change('not the old one', first);
    await page.getByRole('main').getByRole('alert').first().waitFor();
    await change('correct horse battery', first);
    await page
      .getByText(`API keys that still work: ${keys}. OAuth grants that still work: ${grants}.`)
      .waitFor();
    await page.getByLabel(`Also end all API keys (${keys})`).check();
    await page.getByLabel(`Also end all OAuth grants (${grants})`).check();
    await change(first, second);
    await page.getByText('API keys that still work: 0. OAuth grants that still work: 0.').waitFor();
    await page.getByLabel('Also end all API keys (0)').waitFor();
    const form = page.getByRole('region', { name: 'Password' });
    expect(await form.getByRole('checkbox', { checked: true }).count()).toBe(0);
    await tab.go('/keys');
    await page.getByText('No connected applications').waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

  /** Ends the session, and waits until both pages ask for the password. */
  async function end(pages: readonly Page[], link: string) {
    await pages[0]?.context().clearCookies();
    for (const page of pages) {
      await page.getByRole('link', { name: link, exact: true }).first().click();
      await dialogOf(page).waitFor();
    }
  }

  async function resume(page: Page) {
    await dialogOf(page).locator('input[type=password]').fill('correct horse battery');
    await dialogOf(page).getByRole('button', { name: 'Continue' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
  }

  it('and a session that has ended go on in every tab after the log-in in one, also when another went on without', async () => {
    const tab = await openTab(browser, market, await register(market, 'buyer'));
    const other = await tab.page.context().newPage();
    await other.goto(`${market.url}/console/`);
    const pages = [tab.page, other];
    for (const page of pages) await page.getByTitle('Account menu').waitFor();
    await end(pages, 'Calls');
    await resume(tab.page);
    await dialogOf(other).waitFor({ state: 'detached' });
    for (const page of pages) await page.getByText('No calls').waitFor();

    await end(pages, 'Wallet');
    await other.keyboard.press('Escape');
    await other.getByRole('link', { name: 'Log in' }).first().waitFor();
    const read = tab.page.waitForResponse('**/v1/auth/me');
    await resume(tab.page);
    expect((await read).status()).toBe(200);
    for (const page of pages) await page.getByTitle('Account menu').waitFor();
    expect(await tab.page.getByRole('link', { name: 'Log in' }).count()).toBe(0);
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });
});
