/** An application that was connected by OAuth is shown beside the keys, and is refused once it is disconnected there. */
import type { Browser } from 'playwright-core';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { describeInBrowser, openBrowser, openTab } from '../support/browser';
import { act } from '../support/console-steps';
import { keptMarket } from '../support/kept-market';
import { putLive, register, type TestMarket, type TestUser } from '../support/market';
import { authorizeAddress, permit, pkce, post, registerClient, resourceOf } from '../support/oauth';

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
    for (const shown of ['Raw client', 'chat.example', agentId, 'agents:invoke', '500'])
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
});
