/** Requests for access to private agents, by a link that cannot be guessed (ADR 0385). */
import { registerDeveloper, request, type TestDeveloper } from '../../../support/catalogue/publishing';
import { putLive, register, type TestUser } from '../../../support/market';
import { useAgent, useMarket } from '../../../support/use-market';

const market = useMarket();
const agent = useAgent();
let owner: TestDeveloper;
let asker: TestUser;

beforeAll(async () => {
  owner = await registerDeveloper(market);
  asker = await register(market, 'buyer');
});

type Request = { request_id: string; state: string; name: string; reason: string; account_id: string };

const ofAgent = (agentId: string, method: string, path: string, body?: unknown) =>
  request<{ token: string; url: string; items: Request[] }>(
    market,
    owner,
    method,
    `/v1/developer/agents/${agentId}/${path}`,
    body,
  );
const open = (token: string, who = asker) => request(market, who, 'POST', '/v1/access-links/open', { token });
const ask = (token: string, who = asker) =>
  request<Request>(market, who, 'POST', '/v1/access-requests', { token, reason: 'We read invoices.' });
const answer = (agentId: string, requestId: string, grant: boolean) =>
  ofAgent(agentId, 'POST', `access-requests/${requestId}/answer`, { grant });
const outcome = ({ status, body }: Awaited<ReturnType<typeof request>>) => [status, body.error?.code ?? null];
const noticesOf = async (who: TestUser, agentId: string) => {
  const { rows } = await market.owner.query<{ type: string }>(
    `SELECT type FROM account_notices WHERE user_id = $1 AND agent_id = $2 AND type LIKE 'access.%' ORDER BY notice_id`,
    [who.userId, agentId],
  );
  return rows.map(({ type }) => type);
};

async function linked(): Promise<{ agentId: string; token: string }> {
  const { agentId } = await putLive(market, owner.userId, agent.url, { credits: 1 });
  await ofAgent(agentId, 'PATCH', 'visibility', { visibility: 'private' });
  const linkTime = async () =>
    (await ofAgent(agentId, 'GET', 'visibility')).body as unknown as { access_link_made_at: string | null };
  expect((await linkTime()).access_link_made_at).toBeNull();
  const link = await ofAgent(agentId, 'POST', 'access-link');
  expect(link.status).toBe(201);
  expect((await linkTime()).access_link_made_at).toMatch(/^20/);
  expect(link.body.url).toMatch(/\/console\/access#acl_[A-Za-z0-9_-]{43}$/);
  return { agentId, token: link.body.token };
}

it('lets an account that has the link ask, and the owner grant it', async () => {
  const { agentId, token } = await linked();
  expect((await open(token)).body).toMatchObject({ agent_id: agentId, shown: false, state: null });
  const asked = await ask(token);
  expect([asked.status, asked.body.state]).toEqual([201, 'pending']);
  expect(outcome(await ask(token))).toEqual([409, 'invalid_state']);
  expect((await request(market, asker, 'GET', `/v1/listings/${agentId}`)).status).toBe(404);
  const pending = await ofAgent(agentId, 'GET', 'access-requests?state=pending');
  expect(pending.body.items).toMatchObject([
    { request_id: asked.body.request_id, account_id: asker.userId, reason: 'We read invoices.' },
  ]);
  const waiting = () =>
    request<{ items: Request[]; total: number }>(market, owner, 'GET', '/v1/developer/access-requests');
  expect((await waiting()).body).toMatchObject({ items: [{ request_id: asked.body.request_id }], total: 1 });
  expect(await noticesOf(owner, agentId)).toEqual(['access.requested']);
  expect((await answer(agentId, asked.body.request_id, true)).status).toBe(200);
  expect((await answer(agentId, asked.body.request_id, true)).status).toBe(200);
  expect(outcome(await answer(agentId, asked.body.request_id, false))).toEqual([409, 'invalid_state']);
  expect((await waiting()).body).toMatchObject({ items: [], total: 0 });
  expect(await noticesOf(asker, agentId)).toEqual(['access.granted']);
  expect((await request(market, asker, 'GET', `/v1/listings/${agentId}`)).status).toBe(200);
  expect((await open(token)).body).toMatchObject({ shown: true, state: 'granted' });
  const own = await request<{ items: Request[] }>(market, asker, 'GET', '/v1/access-requests');
  expect(own.body.items[0]).toMatchObject({ state: 'granted', reason: 'We read invoices.' });
});

it('lets a refused account ask again after a week', async () => {
  const { agentId, token } = await linked();
  const asked = await ask(token);
  await answer(agentId, asked.body.request_id, false);
  expect(await noticesOf(asker, agentId)).toEqual(['access.refused']);
  expect(outcome(await ask(token))).toEqual([409, 'invalid_state']);
  await market.owner.query(
    `UPDATE agent_access_requests SET decided_at = now() - interval '8 days' WHERE request_id = $1`,
    [asked.body.request_id],
  );
  expect((await ask(token)).status).toBe(201);
});

it('refuses a link that was not made, was replaced or has ended', async () => {
  const { agentId, token } = await linked();
  for (const wrong of ['', 'acl_', `acl_${'A'.repeat(43)}`, token.slice(0, -1), `${token}A`])
    expect([404, 422]).toContain((await open(wrong)).status);
  const next = await ofAgent(agentId, 'POST', 'access-link');
  expect(outcome(await open(token))).toEqual([404, 'not_found']);
  expect((await open(next.body.token)).status).toBe(200);
  const ended = await fetch(`${market.url}/v1/developer/agents/${agentId}/access-link`, {
    method: 'DELETE',
    headers: { cookie: owner.cookie },
  });
  expect(ended.status).toBe(204);
  expect(outcome(await ask(next.body.token))).toEqual([404, 'not_found']);
  const { rows } = await market.owner.query('SELECT FROM agent_access_links WHERE agent_id = $1', [agentId]);
  expect(rows).toEqual([]);
});

it('takes 20 requests of an account in a day, also at the same moment', async () => {
  const many = await register(market, 'buyer');
  const links = await Promise.all(Array.from({ length: 22 }, () => linked()));
  const replies = await Promise.all(links.map(({ token }) => ask(token, many)));
  const statuses = replies.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array<number>(20).fill(201), 429, 429]);
});

it('has one pending request of an account, also if it asks twice at the same moment', async () => {
  const other = await register(market, 'buyer');
  const { agentId, token } = await linked();
  const replies = await Promise.all([ask(token, other), ask(token, other)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect((await ofAgent(agentId, 'GET', 'access-requests')).body.items).toHaveLength(1);
});

it('lets the owner of a retired agent refuse what waits, and not grant it', async () => {
  const { agentId, token } = await linked();
  const asked = await ask(token, await register(market, 'buyer'));
  await request(market, owner, 'POST', `/v1/developer/agents/${agentId}/retire`);
  expect(outcome(await answer(agentId, asked.body.request_id, true))).toEqual([409, 'invalid_state']);
  expect((await answer(agentId, asked.body.request_id, false)).body).toMatchObject({ state: 'refused' });
});

it('hides requests from other developers, and the owner sees its own agent already', async () => {
  const { agentId, token } = await linked();
  const asked = await ask(token, await register(market, 'buyer'));
  const other = await registerDeveloper(market);
  const path = `/v1/developer/agents/${agentId}`;
  expect((await request(market, other, 'GET', `${path}/access-requests`)).status).toBe(404);
  expect((await request(market, other, 'POST', `${path}/access-link`)).status).toBe(404);
  const foreign = await request(
    market,
    other,
    'POST',
    `${path}/access-requests/${asked.body.request_id}/answer`,
    {
      grant: true,
    },
  );
  expect(foreign.status).toBe(404);
  expect(outcome(await ask(token, owner))).toEqual([409, 'invalid_state']);
});
