/** What members of an organisation do in tests: over HTTP, with `X-Owner`. */
import type { MemberRole } from '../../../src/domain/accounts/roles';
import { invoke, register, type TestMarket, type TestUser, topUp } from '../market';
import type { TestKey } from './keys';
import { organisation } from './organisation-rows';

export interface MemberBudget {
  budget_id: string;
  credits: number;
  window: string;
  used_credits: number;
  left_credits: number;
  window_ends_at: string | null;
  time_zone: string;
}

interface Refused {
  error?: { code: string; message: string };
}

/** An organisation with credits and one member of each of the roles. */
export async function company<Roles extends MemberRole>(
  market: TestMarket,
  roles: readonly Roles[],
  credits = 10_000,
): Promise<{ orgId: string; members: Record<Roles, TestUser> }> {
  const members = {} as Record<Roles, TestUser>;
  for (const role of roles) members[role] = await register(market, 'buyer');
  const orgId = await organisation(market, members);
  await topUp(market.owner, orgId, credits);
  return { orgId, members };
}

/** A request of a member; `owner` is sent as `X-Owner`. */
export async function ask<T = Record<string, unknown>>(
  market: Pick<TestMarket, 'url'>,
  who: Pick<TestUser, 'cookie'>,
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  owner?: string,
): Promise<{ status: number; body: T & Refused }> {
  const response = await fetch(market.url + path, {
    method,
    headers: {
      cookie: who.cookie,
      ...(owner !== undefined && { 'x-owner': owner }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: (isJson ? JSON.parse(text) : text) as T & Refused };
}

export const budgetPath = (orgId: string, { userId }: Pick<TestUser, 'userId'>) =>
  `/v1/organisations/${orgId}/members/${userId}/budget`;

/** Sets the budget of a member as `by`, who may. */
export async function setBudget(
  market: Pick<TestMarket, 'url'>,
  { orgId, by, member }: { orgId: string; by: TestUser; member: TestUser },
  wish: { credits: number; window: string },
): Promise<MemberBudget> {
  const request = ['PUT', budgetPath(orgId, member), wish] as const;
  const { status, body } = await ask<{ budget: MemberBudget }>(market, by, request);
  if (status !== 200) throw new Error(`set a budget: ${status} ${JSON.stringify(body)}`);
  return body.budget;
}

/** A key that a member makes for the organisation. */
export async function memberKey(
  market: Pick<TestMarket, 'url'>,
  orgId: string,
  member: TestUser,
  wish: object = {},
): Promise<TestKey> {
  const request = ['POST', '/v1/keys', { name: 'a key', scopes: ['agents:invoke'], ...wish }] as const;
  const { status, body } = await ask<TestKey>(market, member, request, orgId);
  if (status !== 201) throw new Error(`make a key: ${status} ${JSON.stringify(body)}`);
  return body;
}

const INPUT = { input: { text: 'for the organisation' } };

export const callByKey = (market: Pick<TestMarket, 'url'>, { key }: TestKey, agentId: string, more = {}) =>
  invoke(market, { cookie: '' }, agentId, { ...INPUT, ...more }, { 'x-api-key': key });

export const callBySession = (
  market: Pick<TestMarket, 'url'>,
  orgId: string,
  { cookie }: TestUser,
  agentId: string,
) => invoke(market, { cookie }, agentId, INPUT, { 'x-owner': orgId });
