/** API keys in tests, made over HTTP as their owner would. */
import type { ApiScope } from '../../../src/domain/accounts/api-key';

export interface TestKey {
  key_id: string;
  name: string;
  key: string;
  key_hint: string;
  scopes: ApiScope[];
  credit_cap: number | null;
  credit_cap_window: string;
  used_credits: number;
  window_ends_at: string | null;
  time_zone: string;
  call_cap: number | null;
  min_trust_score: number | null;
  agents: string[] | null;
  spent_credits: number;
  expires_at: string | null;
  created_at: string;
  last_used_at: string | null;
  parent_key_id: string | null;
}

export const ALL_SCOPES: ApiScope[] = [
  'agents:invoke',
  'agents:publish',
  'agents:read',
  'billing:read',
  'disputes:write',
  'keys:manage',
  'webhooks:manage',
];

export async function makeKey(
  { url }: { url: string },
  owner: { cookie: string },
  wish: Partial<
    Pick<
      TestKey,
      | 'scopes'
      | 'credit_cap'
      | 'credit_cap_window'
      | 'call_cap'
      | 'min_trust_score'
      | 'agents'
      | 'expires_at'
      | 'name'
    >
  > = {},
): Promise<TestKey> {
  const response = await fetch(`${url}/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: owner.cookie },
    body: JSON.stringify({ name: 'a key', scopes: ['agents:invoke'], ...wish }),
  });
  if (response.status !== 201) throw new Error(`make a key: ${response.status} ${await response.text()}`);
  return (await response.json()) as TestKey;
}

/** The key as its owner's list shows it now. */
export async function readKey(
  { url }: { url: string },
  owner: { cookie: string },
  keyId: string,
): Promise<Omit<TestKey, 'key'> | undefined> {
  const response = await fetch(`${url}/v1/keys?limit=100`, { headers: { cookie: owner.cookie } });
  const { items } = (await response.json()) as { items: (TestKey & { rate_limits?: object })[] };
  const found = items.find(({ key_id }) => key_id === keyId);
  const { rate_limits: _used, ...key } = found ?? {};
  return found && (key as TestKey);
}
