/**
 * Resources of one account are hidden from others (contract, "General": 404; security reference, T1), and the figures
 * of a visible agent are forbidden: every operation with an id in its path, on resources of one pair
 * of accounts, called with another account's session and key.
 */
import type { Operation } from '../../../src/contract/operation';
import { operations } from '../../../src/contract/operations';
import { a2a, ownMandate } from '../../support/protocols/a2a';
import { ALL_SCOPES, makeKey, type TestKey } from '../../support/accounts/keys';
import { deposit, slash } from '../../support/disputes/bonds';
import { invoke, register, topUp, type TestUser } from '../../support/market';
import { registerDeveloper, request } from '../../support/catalogue/publishing';
import { type Scene } from '../../support/scene';
import { useScene } from '../../support/use-market';

const THINGS =
  /\{(key_id|invocation_id|dispute_id|task_id|webhook_id|invoice_id|payout_id|slash_id|mandate_id|kid)\}/;

/**
 * Operations on resources, without those on agents, which every account may see and call. Operators see all disputes. A
 * mandate is revoked by the name that its issuer gave it, also before it was used: each account has names of its own.
 */
function isPrivate({ id, path, auth, roles }: Operation): boolean {
  if (auth === 'public' || roles?.includes('operator')) return false;
  if (THINGS.test(path)) return id !== 'revokeMandate';
  const isOwners = typeof auth === 'object' && auth.scope === 'agents:publish';
  return path.includes('{agent_id}') && (isOwners || /\/(usage|analytics)$/.test(path));
}

const privateOperations = operations.filter(isPrivate).map((operation) => [operation.id, operation] as const);

const scene = useScene({ market: { operations: true } });
let ids: Record<string, string>;
let stranger: TestUser;
let strangersKey: TestKey;
let ownersKeys: Record<'developer' | 'buyer', TestKey>;

beforeAll(async () => {
  const { market, buyer, developer, agentId } = scene;
  ownersKeys = {
    developer: await makeKey(market, developer, { scopes: ALL_SCOPES }),
    buyer: await makeKey(market, buyer, { scopes: ALL_SCOPES }),
  };
  const { invocation_id: invocationId = '' } = (
    await invoke(market, buyer, agentId, { input: { text: 'mine' } })
  ).body;
  const dispute = { invocation_id: invocationId, reason: 'other', description: 'Mine.' };
  const opened = await request<{ dispute_id: string }>(
    market,
    buyer,
    'POST',
    '/v1/billing/disputes',
    dispute,
  );
  const mandate = await ownMandate(market, buyer);
  const task = await a2a(market, buyer, 'POST', `${agentId}/tasks`, { input: { text: 'mine' }, mandate });
  ids = {
    agent_id: agentId,
    version: '1.0.0',
    invocation_id: invocationId,
    dispute_id: opened.body.dispute_id,
    task_id: task.body.task_id,
    key_id: ownersKeys.buyer.key_id,
    config_id: 'any',
    ...(await webhookOf(scene)),
    ...(await mandateOf(scene)),
    ...(await moneyOf(scene)),
  };
  expect(Object.values(ids).every((id) => typeof id === 'string' && id !== '')).toBe(true);
  stranger = await registerDeveloper(market);
  await topUp(market.owner, stranger.userId, 1_000);
  strangersKey = await makeKey(market, stranger, { scopes: ALL_SCOPES });
});

/** A webhook of the buyer, and a delivery to it. */
async function webhookOf({ market, buyer }: Scene): Promise<Record<string, string>> {
  const body = { url: 'https://127.77.0.9/', types: ['credits.loaded'] };
  const webhook = await request<{ webhook_id: string }>(market, buyer, 'POST', '/v1/webhooks', body);
  const path = `/v1/webhooks/${webhook.body.webhook_id}/test`;
  const delivery = await request<{ delivery_id: string }>(market, buyer, 'POST', path);
  return { webhook_id: webhook.body.webhook_id, delivery_id: delivery.body.delivery_id };
}

/** The mandate of the task, and the key that signed it. */
async function mandateOf({ market, buyer }: Scene): Promise<Record<string, string>> {
  const mandates = await request<{ items: { mandate_id: string; kid: string }[] }>(
    market,
    buyer,
    'GET',
    '/v1/mandates',
  );
  const { mandate_id = '', kid = '' } = mandates.body.items[0] ?? {};
  return { mandate_id, kid };
}

/** An invoice of the buyer; a slash and a payout of the developer. */
async function moneyOf({ market, buyer, developer, agentId }: Scene): Promise<Record<string, string>> {
  const body = { amountPaise: 500, currency: 'INR' };
  const paid = await request<{ invoice_id: string }>(market, buyer, 'POST', '/v1/billing/topup', body);
  const called = await invoke(market, buyer, agentId, { input: { text: 'charged' } });
  const operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  await topUp(market.owner, developer.userId, 500);
  await deposit(market, developer, 500);
  const calls = [called.body.invocation_id ?? ''];
  const slashed = await slash(market, operator, { agentId, credits: 5, calls });
  const { rows } = await market.owner.query<{ payout_id: string }>(
    `SELECT payout_id FROM payout_reserve($1, '2035-01-01', 0, 1, ARRAY['ach'], NULL)`,
    [developer.userId],
  );
  return {
    invoice_id: paid.body.invoice_id,
    slash_id: slashed.body.slash_id,
    payout_id: rows[0]?.payout_id ?? '',
  };
}

async function ask(
  operation: Operation,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'nothing');
  const example = operation.examples?.request;
  const takesBody = operation.method !== 'get' && operation.method !== 'delete';
  const response = await fetch(scene.market.url + path, {
    method: operation.method.toUpperCase(),
    headers: { 'a2a-version': '1.0', ...headers, ...(takesBody && { 'content-type': 'application/json' }) },
    ...(takesBody && { body: JSON.stringify(operation.rawBody ? {} : (example ?? {})) }),
  });
  return { status: response.status, text: await response.text() };
}

const withKey = ({ key }: TestKey) => ({ 'x-api-key': key });

it('covers resources of owners, of buyers and of both sides of disputes', () => {
  const known = [
    'getOwnAgent',
    'retireAgent',
    'getUsage',
    'getInvocation',
    'getDispute',
    'respondToDispute',
    'rotateKey',
    'getInvoicePdf',
    'getInvoiceXml',
    'getPayout',
    'counterSlash',
    'getMandate',
  ];
  expect(privateOperations.map(([id]) => id)).toEqual(expect.arrayContaining(known));
});

describe.each(privateOperations)('%s', (_id, operation) => {
  const hidden = /\/(usage|analytics)$/.test(operation.path) ? 403 : 404;

  it(`is ${hidden} for others, by session and by key`, async () => {
    const callers = [
      { cookie: stranger.cookie },
      ...(operation.auth === 'session' ? [] : [withKey(strangersKey)]),
    ];
    for (const headers of callers) {
      const { status, text } = await ask(operation, headers);
      expect([status, text]).toEqual([hidden, expect.any(String)]);
      for (const secret of [scene.agent.host, scene.buyer.email, scene.developer.email])
        expect(text).not.toContain(secret);
    }
  });
});

const READS = [
  'getOwnAgent',
  'listOwnVersions',
  'getVisibility',
  'getUsage',
  'getAnalytics',
  'getSlash',
  'getPayout',
];

it.each(READS)('%s answers its owner all the same', async (id) => {
  const operation = operations.find((one) => one.id === id) as Operation;
  expect((await ask(operation, withKey(ownersKeys.developer))).status).toBe(200);
});

it.each([
  'getInvocation',
  'getDispute',
  'pollTask',
  'getWebhook',
  'listWebhookDeliveries',
  'getInvoicePdf',
  'getMandate',
])('%s answers its buyer all the same', async (id) => {
  const operation = operations.find((one) => one.id === id) as Operation;
  expect((await ask(operation, withKey(ownersKeys.buyer))).status).toBe(200);
});

it('is in no list of others', async () => {
  const lists = [
    '/v1/invocations',
    '/v1/billing/disputes',
    '/v1/webhooks',
    '/v1/developer/agents',
    '/v1/billing/developer/transactions',
  ];
  for (const path of lists) {
    const response = await fetch(scene.market.url + path, { headers: withKey(strangersKey) });
    expect([path, response.status, await response.json()]).toEqual([
      path,
      200,
      expect.objectContaining({ items: [], total: 0 }),
    ]);
  }
});
