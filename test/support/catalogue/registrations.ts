/** What tests of self-hosted agents share: registrations as a developer would make them. */
import { moveVersion } from '../../../src/stores/catalogue/agent-versions';
import { eventually, passVersion, type TestMarket, type TestUser } from '../market';
import { request, type Reply } from './publishing';
import { newSlug } from '../names';

export interface Registered {
  agent_id: string;
  owner: string;
  slug: string;
  status: string;
  upstream_auth_set: boolean;
  price_credits: number;
}

export interface OwnVersion {
  version: string;
  status: string;
  reject_reason: string | null;
  endpoint_url: string;
}

/** A body for `url` at 2.5 credits, with a slug of its own. */
export function registration(url: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    slug: newSlug('self-hosted'),
    name: 'Self-hosted agent',
    access_config: { endpoint_url: url, price_per_call_units: 250 },
    ...changes,
  };
}

export function registerAgent(
  market: Pick<TestMarket, 'url'>,
  who: Pick<TestUser, 'cookie'>,
  body: unknown,
): Promise<Reply<Registered>> {
  return request<Registered>(market, who, 'POST', '/v1/agents/register', body);
}

export function changeRegistration(
  market: Pick<TestMarket, 'url'>,
  who: Pick<TestUser, 'cookie'>,
  agentId: string,
  change: unknown,
): Promise<Reply<Registered>> {
  return request<Registered>(market, who, 'PATCH', `/v1/agents/${agentId}/registration`, change);
}

/** Registers and waits until the agent is live; gives its id. */
export async function registerLive(
  market: Pick<TestMarket, 'url'>,
  who: Pick<TestUser, 'cookie'>,
  body: unknown,
): Promise<string> {
  const reply = await registerAgent(market, who, body);
  if (reply.status !== 201) throw new Error(`register: ${reply.status} ${JSON.stringify(reply.body)}`);
  await untilVersions(market, who, reply.body.agent_id, { '1.0.0': 'live' });
  return reply.body.agent_id;
}

/**
 * Registers an agent that serves without a run of its verification, whose 23 calls are half a second of CPU: for tests
 * of what follows.
 */
export async function registerServing(
  market: Pick<TestMarket, 'url' | 'owner'>,
  who: Pick<TestUser, 'cookie'>,
  body: Record<string, unknown>,
): Promise<string> {
  const reply = await registerAgent(market, who, { ...body, submit: false });
  if (reply.status !== 201) throw new Error(`register: ${reply.status} ${JSON.stringify(reply.body)}`);
  const { agent_id: agentId } = reply.body;
  const { owner } = market;
  await owner.query('BEGIN');
  const { rows } = await owner.query<{ version_id: string }>(
    'SELECT version_id FROM agent_versions WHERE agent_id = $1',
    [agentId],
  );
  const versionId = rows[0]?.version_id ?? '';
  await moveVersion(owner, versionId, ['draft'], 'submitted');
  await passVersion(owner, agentId, versionId);
  // Otherwise a verification of its first list of tools begins while a test counts what reaches the server.
  await owner.query(
    `INSERT INTO tool_watches (version_id, agent_id, digest, asked_at)
     SELECT $1, agent_id, repeat('0', 64), now() FROM agents WHERE agent_id = $2 AND kind = 'mcp'`,
    [versionId, agentId],
  );
  await owner.query('COMMIT');
  return agentId;
}

/** Waits until the versions of an own agent are exactly these, by state. */
export async function untilVersions(
  market: Pick<TestMarket, 'url'>,
  who: Pick<TestUser, 'cookie'>,
  agentId: string,
  states: Record<string, string>,
): Promise<OwnVersion[]> {
  let seen: OwnVersion[] = [];
  const path = `/v1/developer/agents/${agentId}/versions`;
  const isSo = async () => {
    seen = (await request<{ items: OwnVersion[] }>(market, who, 'GET', path)).body.items;
    return seen.every(({ version, status }) => states[version] === status);
  };
  await eventually(isSo, 30_000).catch(() => undefined);
  expect(Object.fromEntries(seen.map(({ version, status }) => [version, status]))).toEqual(states);
  return seen;
}
