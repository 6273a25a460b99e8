/**
 * The token endpoint of OAuth: codes, refresh tokens and their reuse (docs/oauth.md, RFC 6749, RFC 9700), over plain
 * HTTP.
 */
import { putLive, register } from '../../support/market';
import { originOf, pkce, post, registerClient, resourceOf } from '../../support/accounts/oauth';
import { bearer, tokenRequests } from '../../support/accounts/oauth-tokens';
import { a2a } from '../../support/protocols/a2a';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
const agent = useAgent();
let agentId: string;
let other: string;
let requests: ReturnType<typeof tokenRequests>;
beforeAll(async () => {
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 1_000);
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 }));
  ({ agentId: other } = await putLive(market, developer.userId, agent.url, { credits: 1 }));
  requests = tokenRequests({ market, buyer, client: await registerClient(market), agentId });
});

describe('the token endpoint', () => {
  it('refuses a wrong verifier, and invalidates the code', async () => {
    const form = await requests.obtainCode();
    const wrong = await requests.redeem({ ...form, code_verifier: pkce().verifier });
    expect([wrong.status, wrong.body['error']]).toEqual([400, 'invalid_grant']);
    expect((await requests.redeem(form)).body['error']).toBe('invalid_grant');
  });

  it('refuses a code without a verifier', async () => {
    const { code_verifier: _verifier, ...form } = await requests.obtainCode();
    expect((await requests.redeem(form)).status).toBe(400);
  });

  it('revokes everything that was issued for a code when the code is used again', async () => {
    const form = await requests.obtainCode();
    const { body } = await requests.redeem(form);
    const access = body['access_token'] as string;
    expect(await requests.worksAt(access)).toBe(200);
    expect((await requests.redeem(form)).body['error']).toBe('invalid_grant');
    expect(await requests.worksAt(access)).toBe(401);
    expect((await requests.refresh(body['refresh_token'] as string)).body['error']).toBe('invalid_grant');
  });

  it('gives tokens to one of two concurrent uses of a code at most', async () => {
    const form = await requests.obtainCode();
    const answers = await Promise.all([requests.redeem(form), requests.redeem(form), requests.redeem(form)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('refuses a code for another client, another redirect URI and another resource', async () => {
    const stranger = await registerClient(market);
    for (const change of [
      { client_id: stranger.clientId },
      { redirect_uri: 'https://chat.example/other' },
      { resource: resourceOf(market, other) },
      { resource: 'https://elsewhere.example/mcp' },
    ]) {
      const { status, body } = await requests.redeem({ ...(await requests.obtainCode()), ...change });
      expect([change, status]).toEqual([change, 400]);
      expect(body).not.toHaveProperty('access_token');
    }
  });

  it('refuses an expired code', async () => {
    const form = await requests.obtainCode();
    await market.owner.query(
      `UPDATE oauth_secrets SET expires_at = now() - interval '1 s' WHERE kind = 'code'`,
    );
    expect((await requests.redeem(form)).body['error']).toBe('invalid_grant');
  });

  it('rotates refresh tokens, and ends the grant when an old one is used again after the grace', async () => {
    const { access, refresh: first } = await requests.obtainTokens();
    const second = await requests.refresh(first);
    expect(second.status).toBe(200);
    expect(second.headers.get('cache-control')).toBe('no-store');
    const newest = second.body['access_token'] as string;
    expect([await requests.worksAt(access), await requests.worksAt(newest)]).toEqual([200, 200]);
    await requests.endGrace();
    expect((await requests.refresh(first)).body['error']).toBe('invalid_grant');
    expect([await requests.worksAt(access), await requests.worksAt(newest)]).toEqual([401, 401]);
    expect((await requests.refresh(second.body['refresh_token'] as string)).body['error']).toBe(
      'invalid_grant',
    );
  });

  it('gives the same working successor to a client whose answer was lost, and to parallel refreshes', async () => {
    const { refresh: first } = await requests.obtainTokens();
    const answers = await Promise.all([
      requests.refresh(first),
      requests.refresh(first),
      requests.refresh(first),
    ]);
    const again = [...answers, await requests.refresh(first)];
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const successors = new Set(again.map(({ body }) => body['refresh_token'] as string));
    expect(successors.size).toBe(1);
    for (const { body } of again) expect(await requests.worksAt(body['access_token'] as string)).toBe(200);
    const [second = ''] = successors;
    const third = (await requests.refresh(second)).body['refresh_token'] as string;
    // One process is a step ahead: the other gets the newest token, not one that has been used.
    expect((await requests.refresh(first)).body['refresh_token']).toBe(third);
    await requests.endGrace();
    expect((await requests.refresh(third)).status).toBe(200);
    expect((await requests.refresh(second)).body['error']).toBe('invalid_grant');
  });

  it.each([
    ['a scope that was not granted', { scope: 'agents:invoke billing:read' }],
    ['a scope that does not exist', { scope: 'everything' }],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }],
    ['another client', { client_id: 'ocl_00000000000000000000000000000000' }],
  ])('keeps the refresh token of a request that is refused for %s', async (_what, wrong) => {
    const { refresh: token } = await requests.obtainTokens();
    expect((await requests.refresh(token, wrong)).status).toBeGreaterThanOrEqual(400);
    await requests.endGrace();
    const right = await requests.refresh(token, { scope: 'agents:invoke offline_access' });
    expect([right.status, right.body['scope']]).toEqual([200, 'agents:invoke']);
    await requests.endGrace();
    const next = await requests.refresh(right.body['refresh_token'] as string, { scope: 'offline_access' });
    expect([next.status, await requests.worksAt(next.body['access_token'] as string)]).toEqual([200, 200]);
  });

  it('takes a code without redirect_uri, as OAuth 2.1 has it, and a form with any charset or empty fields', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'application/x-www-form-urlencoded; charset=ISO-8859-1',
      'Application/X-WWW-Form-Urlencoded;charset="us-ascii"',
    ]) {
      const { redirect_uri: _uri, ...form } = await requests.obtainCode('agents:invoke offline_access');
      const response = await fetch(`${market.url}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: new URLSearchParams({ ...form, redirect_uri: '', client_secret: '' }).toString(),
      });
      const { scope } = (await response.json()) as { scope?: string };
      expect([type, response.status, scope]).toEqual([type, 200, 'agents:invoke']);
    }
  });

  it('refuses a refresh token of another client', async () => {
    const { refresh: token, access } = await requests.obtainTokens();
    const stranger = await registerClient(market);
    const answer = await requests.refresh(token, { client_id: stranger.clientId });
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
    expect(await requests.worksAt(access)).toBe(200);
  });

  it('widens no scope at a refresh, narrows one, and lets the next refresh restore it', async () => {
    const { refresh: token } = await requests.obtainTokens('agents:invoke agents:read');
    expect((await requests.refresh(token, { scope: 'agents:invoke billing:read' })).body['error']).toBe(
      'invalid_scope',
    );
    const narrow = await requests.refresh(token, { scope: 'agents:read' });
    expect(narrow.body['scope']).toBe('agents:read');
    const refused = await requests.listTools(narrow.body['access_token'] as string);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_scope", .*scope="agents:invoke"/,
    );
    const wide = await requests.refresh(narrow.body['refresh_token'] as string);
    expect(wide.body['scope']).toBe('agents:invoke agents:read');
  });

  it.each([
    ['a body that is not a form', {}, 'json'],
    ['another grant type', { grant_type: 'password', username: 'a', password: 'b', client_id: 'x' }, 'form'],
    ['client credentials', { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' }, 'form'],
    ['an unknown client', { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'ocl_x' }, 'form'],
    ['NUL characters', { grant_type: 'refresh_token', refresh_token: '\0', client_id: '\0' }, 'form'],
  ])('answers %s with a client error', async (_what, body, type) => {
    const answer = await post(market, '/oauth/token', body, type);
    expect([400, 401]).toContain(answer.status);
    expect(answer.body['error']).toEqual(expect.stringMatching(/^[a-z_]+$/));
  });

  it('refuses a repeated parameter', async () => {
    const response = await fetch(`${market.url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=refresh_token&grant_type=authorization_code',
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_request' }),
    ]);
  });
});

describe('the A2A endpoints of an agent', () => {
  const a2aResource = () => `${originOf(market)}/v1/a2a/${agentId}`;
  const buy = async (token: string, target = agentId) => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: 'x' } }] };
    const headers = { ...bearer(token), 'a2a-version': '1.0' };
    const reply = await a2a<{ task?: { status: { state: string } } }>(
      market, null, 'POST', `${target}/message:send`, { message }, headers,
    ); // prettier-ignore
    return reply.body.task?.status.state ?? reply.status;
  };

  it('names its metadata when it refuses, and takes a token for its address, also by MCP', async () => {
    const refused = await a2a(market, null, 'GET', `${agentId}/tasks/inv_1`);
    const metadata = `${originOf(market)}/.well-known/oauth-protected-resource/v1/a2a/${agentId}`;
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
    const described = await fetch(metadata.replace(originOf(market), market.url));
    expect(await described.json()).toMatchObject({
      resource: a2aResource(),
      scopes_supported: ['agents:invoke'],
    });
    const { access } = await requests.obtainTokens(undefined, a2aResource());
    expect(await buy(access)).toBe('TASK_STATE_COMPLETED');
    expect(await buy(access, other)).toBe(401);
    expect(await requests.worksAt(access)).toBe(200);
    const message = {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'data', data: { text: 'x' } }],
    };
    const legacy = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const { body } = await a2a<{ result?: unknown }>(
      market,
      null,
      'POST',
      `${agentId}/rpc`,
      legacy,
      bearer(access),
    );
    expect(body.result).toMatchObject({ status: { state: 'completed' } });
  });

  it('takes a token for the MCP endpoint of the same agent, and one for the market, which that endpoint refuses', async () => {
    expect(await buy((await requests.obtainTokens()).access)).toBe('TASK_STATE_COMPLETED');
    const { access } = await requests.obtainTokens(undefined, `${originOf(market)}/mcp`);
    expect(await buy(access)).toBe('TASK_STATE_COMPLETED');
    expect(await buy(access, other)).toBe('TASK_STATE_COMPLETED');
    expect(await requests.worksAt(access)).toBe(401);
    expect(await buy('amt_wrong')).toBe(401);
  });
});
