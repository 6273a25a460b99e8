/** What tests of publishing, verification and listings share: requests as a developer would make them. */
import { register, topUp, type TestMarket, type TestUser } from '../market';

export interface Reply<T = Record<string, unknown>> {
  status: number;
  body: T & {
    error?: { code: string; message: string };
    detail?: { loc: (string | number)[]; msg: string; type: string }[];
  };
}

export async function request<T = Record<string, unknown>>(
  market: Pick<TestMarket, 'url'>,
  who: Pick<TestUser, 'cookie'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply<T>> {
  const response = await fetch(`${market.url}${path}`, {
    method,
    headers: { cookie: who.cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Reply<T>['body'] };
}

export interface TestDeveloper extends TestUser {
  developerId: string;
}

/** A developer who has paid the registration fee (past billing, which has its own tests). */
export async function registerDeveloper(market: Pick<TestMarket, 'url' | 'owner'>): Promise<TestDeveloper> {
  const developer = await register(market, 'developer');
  await topUp(market.owner, developer.userId, 100);
  const paid = await market.owner.query<{ developer_id: string }>(
    'UPDATE users SET registration_paid_at = now() WHERE user_id = $1 RETURNING developer_id',
    [developer.userId],
  );
  return { ...developer, developerId: paid.rows[0]?.developer_id ?? '' };
}

export function publish(
  market: Pick<TestMarket, 'url'>,
  developer: Pick<TestUser, 'cookie'>,
  manifest: unknown,
  more: Record<string, unknown> = {},
): Promise<Reply<{ agent_id: string; slug: string; version: string; status: string }>> {
  return request(market, developer, 'POST', '/v1/developer/agents', { manifest, ...more });
}

/** `['body','manifest','tags',0]` → `manifest.tags.0`, sorted. */
export function places(reply: Reply<object>): string[] {
  return (reply.body.detail ?? []).map(({ loc }) => loc.slice(1).join('.')).sort();
}
