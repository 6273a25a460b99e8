/** What operators find by a part of a text, list and count; and the public state of the service. */
import { createServiceStatus } from '../../../src/services/operations/service-status';
import { makeKey } from '../../support/accounts/keys';
import { request } from '../../support/catalogue/publishing';
import { dispute } from '../../support/disputes/disputes';
import { eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { newSlug } from '../../support/names';
import { useScene } from '../../support/use-market';

/** A market of its own, because figures and lists cover the whole marketplace. */
const scene = useScene({ market: {} });
let operator: TestUser;

beforeAll(async () => {
  operator = await register(scene.market, 'buyer');
  await scene.market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});

type Page<T> = { items: T[]; next_cursor: string | null; total?: number };
const get = <T>(path: string, who: TestUser = operator) => request<T>(scene.market, who, 'GET', path);
const post = <T = { error?: { code: string } }>(path: string, body: object, who: TestUser = operator) =>
  request<T>(scene.market, who, 'POST', path, body);
const found = async (text: string) => {
  const { body } = await get<{ items: { kind: string; id: string }[] }>(
    `/v1/operator/lookup?q=${encodeURIComponent(text)}`,
  );
  return body.items.map(({ kind, id }) => `${kind} ${id}`);
};
const named = (user: TestUser, name: string) =>
  scene.market.owner.query('UPDATE users SET display_name = $2 WHERE user_id = $1', [user.userId, name]);

interface Sums {
  calls: number;
  failed: number;
  volume_credits: number;
  fees_credits: number;
  refunded_credits: number;
  new_accounts: number;
  p95_ms: number | null;
}

// First: no call of another test is still to be added up.
it('counts calls, errors, money and new accounts of the last hour and of 30 days', async () => {
  const { market, buyer, agentId } = scene;
  const read = async () => {
    const { body } = await get<{
      last_hour: Sums & { minutes: { calls: number }[] };
      last_30_days: Sums & { days: { date: string; calls: number }[] };
    }>('/v1/operator/figures');
    return { hour: body.last_hour, month: body.last_30_days };
  };
  const before = await read();
  await register(market, 'buyer');
  for (const text of ['one', 'two']) await invoke(market, buyer, agentId, { input: { text } });
  const sums = ({ calls, volume_credits: volume }: Sums) => ({ calls, volume });
  await eventually(async () => {
    const now = await read();
    return now.hour.calls >= before.hour.calls + 2 && now.month.calls >= before.month.calls + 2;
  });
  const { hour, month } = await read();
  for (const [now, then] of [
    [hour, before.hour],
    [month, before.month],
  ] as const) {
    expect(sums(now).volume - sums(then).volume).toBeCloseTo(20, 2);
    expect(now.fees_credits).toBeGreaterThan(then.fees_credits);
    expect(now.new_accounts).toBeGreaterThan(then.new_accounts);
    expect(now.p95_ms).toBeGreaterThanOrEqual(0);
  }
  expect(hour.minutes.reduce((all, { calls }) => all + calls, 0)).toBe(hour.calls);
  expect(month.days.at(-1)?.date).toBe(new Date().toISOString().slice(0, 10));
});

describe('a search without an id', () => {
  it('finds accounts by a part of the name or the address, in any case and script', async () => {
    const person = await register(scene.market, 'buyer');
    const word = newSlug('word').replaceAll('-', '');
    await named(person, `Zoë ${word}Ärger التحليل 数据`);
    expect(await found(word.slice(2).toUpperCase())).toEqual([`account ${person.userId}`]);
    expect(await found(`${word}ärg`)).toEqual([`account ${person.userId}`]);
    expect(await found('数据')).toContain(`account ${person.userId}`);
    expect(await found('التح')).toContain(`account ${person.userId}`);
    const [local = ''] = person.email.split('@');
    expect(await found(local.slice(1))).toEqual([`account ${person.userId}`]);
    expect(await found(`${local.slice(-12)}@`)).toContain(`account ${person.userId}`);
    for (const text of ['100%', '_%_', "o'br", '\\x', '🦜🦜🦜']) expect(await found(text)).toEqual([]);
  });

  it('finds the developer of a public id, and an account by the end of a key', async () => {
    const { market, buyer, developer } = scene;
    const { rows } = await market.owner.query<{ developer_id: string }>(
      'SELECT developer_id FROM users WHERE user_id = $1',
      [developer.userId],
    );
    expect(await found(rows[0]?.developer_id ?? '')).toEqual([`account ${developer.userId}`]);
    const { key } = await makeKey(market, buyer);
    expect(await found(`…${key.slice(-4)}`)).toContain(`account ${buyer.userId}`);
    expect(await found(key.slice(-4))).toContain(`account ${buyer.userId}`);
  });

  it('finds agents by a part of the name: the one with exactly this name, then the newest ten', async () => {
    const { market, developer } = scene;
    const name = newSlug('reader').replaceAll('-', ' ');
    const ids: string[] = [];
    for (const suffix of ['', ...Array.from({ length: 11 }, (_none, n) => ` ${n}`)]) {
      const { agentId } = await putLive(market, developer.userId, 'https://127.77.0.9:9443/', {
        displayName: `${name}${suffix}`,
      });
      ids.push(`agent ${agentId}`);
    }
    const [exact, ...others] = ids;
    expect(await found(name.toUpperCase())).toEqual([exact, ...others.reverse().slice(0, 9)]);
  });

  it('finds the account of an invoice by its number, and by the end of it', async () => {
    const person = await register(scene.market, 'buyer');
    await post('/v1/billing/topup', { amountPaise: 500, currency: 'USD' }, person);
    const { body } = await get<Page<{ number: string }>>('/v1/billing/invoices', person);
    const number = body.items[0]?.number ?? '';
    expect(number).toMatch(/^SBX-/);
    expect(await found(number.toLowerCase())).toEqual([`account ${person.userId}`]);
    expect(await found('SBX-1999-000001')).toEqual([]);
    for (const end of [number.slice(4), number.slice(9), number.slice(-2).padStart(2, '0')])
      expect(await found(end.toLowerCase())).toContain(`account ${person.userId}`);
    expect(await found(`1999-${number.slice(9)}`)).toEqual([]);
  });

  it('reads by the index over pairs of characters', async () => {
    const text = 'account_text(display_name, email, developer_id)';
    const plan = await scene.market.owner.query<{ 'QUERY PLAN': string }>(
      `BEGIN; SET LOCAL enable_seqscan = off; EXPLAIN SELECT 1 FROM users WHERE text_grams(${text}) @> text_grams('ada'); COMMIT`,
    );
    const lines = (plan as unknown as { rows: { 'QUERY PLAN': string }[] }[])[2]?.rows ?? [];
    expect(lines.map((line) => line['QUERY PLAN']).join()).toContain('users_search');
  });
});

it('shows an account with what it has, its keys, calls and disputes', async () => {
  const { market, agentId } = scene;
  const person = await register(market, 'buyer', 100);
  const { key_id: keyId, key } = await makeKey(market, person);
  const { body: call } = await invoke(market, person, agentId, { input: { text: 'secret words' } });
  const path = `/v1/operator/accounts/${person.userId}`;
  const account = await get<{ balances: object; display_name: string }>(path);
  expect(account.body).toMatchObject({
    email: person.email,
    role: 'buyer',
    email_confirmed: expect.any(Boolean) as boolean,
    wallet_frozen: false,
    balances: { wallet_credits: 90, escrow_credits: 0, payable_credits: 0 },
  });
  const keys = await get<Page<{ key_id: string; key_hint: string }>>(`${path}/keys`);
  expect(keys.body.items).toMatchObject([{ key_id: keyId, key_hint: key.slice(-4) }]);
  expect(JSON.stringify(keys.body)).not.toContain(key);
  const opened = await dispute(market, person, call.invocation_id ?? '');
  const query = `user_id=${person.userId}`;
  const calls = await get<Page<object>>(`/v1/operator/calls?${query}`);
  expect(calls.body).toMatchObject({
    items: [{ invocation_id: call.invocation_id, agent_id: agentId, charged_credits: 10 }],
    total: 1,
    next_cursor: null,
  });
  expect(JSON.stringify(calls.body)).not.toContain('secret words');
  const disputes = await get<Page<{ dispute_id: string }>>(`/v1/operator/disputes?${query}`);
  expect(disputes.body.items.map(({ dispute_id: id }) => id)).toEqual([opened.body.dispute_id]);
  expect((await get(`/v1/operator/accounts/usr_${'0'.repeat(32)}/keys`)).status).toBe(404);
});

it('lists accounts, agents and calls page by page, with filters, to operators alone', async () => {
  const { market, buyer, developer, agentId } = scene;
  await invoke(market, buyer, agentId, { input: { text: 'listed' } });
  const first = await get<Page<{ user_id: string }>>('/v1/operator/accounts?limit=1');
  const second = await get<Page<{ user_id: string }>>(
    `/v1/operator/accounts?limit=1&cursor=${first.body.next_cursor}`,
  );
  expect((second.body.items[0]?.user_id ?? '~') < (first.body.items[0]?.user_id ?? '')).toBe(true);
  const operators = await get<Page<{ role: string }>>('/v1/operator/accounts?role=operator&limit=100');
  expect(new Set(operators.body.items.map(({ role }) => role))).toEqual(new Set(['operator']));
  const frozen = await register(market, 'buyer');
  await post(`/v1/operator/accounts/${frozen.userId}/freeze`, { reason: 'Test' });
  const all = await get<Page<{ user_id: string }>>('/v1/operator/accounts?frozen=true&limit=100');
  expect(all.body.items).toContainEqual(
    expect.objectContaining({ user_id: frozen.userId, wallet_frozen: true }),
  );
  const agents = await get<Page<object>>(`/v1/operator/agents?developer_user_id=${developer.userId}`);
  expect(agents.body.items).toContainEqual(
    expect.objectContaining({ agent_id: agentId, display_name: 'Echo agent', status: 'active' }),
  );
  const suspended = await get<Page<{ status: string }>>('/v1/operator/agents?status=suspended');
  expect(suspended.body.items.every(({ status }) => status === 'suspended')).toBe(true);
  const calls = await get<Page<{ agent_id: string }>>(
    `/v1/operator/calls?agent_id=${agentId}&user_id=${buyer.userId}&status=succeeded`,
  );
  expect(calls.body.items.length).toBeGreaterThan(0);
  expect((await get<Page<object>>('/v1/operator/calls?status=failed&limit=1')).status).toBe(200);
  for (const path of ['accounts', 'agents', 'calls', 'figures', 'payout-weeks/2026-11-02'])
    expect((await get(`/v1/operator/${path}`, buyer)).status).toBe(403);
});

it('makes an account an operator and ends it, each with a reason', async () => {
  const { market, developer } = scene;
  const person = await register(market, 'buyer');
  const path = `/v1/operator/accounts/${person.userId}`;
  const codeOf = async (at: string, body: object = { reason: 'Joins.' }, who = operator) => {
    const reply = await post(at, body, who);
    return [reply.status, reply.body.error?.code];
  };
  expect(await codeOf(`${path}/grant`, {})).toEqual([422, 'validation_failed']);
  expect(await codeOf(`${path}/grant`, { reason: 'Me.' }, person)).toEqual([403, 'forbidden']);
  await market.owner.query('UPDATE users SET email_confirmed_at = NULL WHERE user_id = $1', [person.userId]);
  expect(await codeOf(`${path}/grant`)).toEqual([409, 'invalid_state']);
  await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [person.userId]);
  expect(await codeOf(`/v1/operator/accounts/${developer.userId}/grant`)).toEqual([409, 'invalid_state']);
  expect((await post(`${path}/grant`, { reason: 'Joins.' })).body).toMatchObject({ role: 'operator' });
  expect((await get('/v1/operator/figures', person)).status).toBe(200);
  expect(await codeOf(`${path}/grant`)).toEqual([409, 'invalid_state']);
  expect(await codeOf(`${path}/revoke`, { reason: 'Me.' }, person)).toEqual([409, 'invalid_state']);
  expect((await post(`${path}/revoke`, { reason: 'Left.' })).body).toMatchObject({ role: 'buyer' });
  expect((await get('/v1/operator/figures', person)).status).toBe(403);
  const log = await get<Page<{ action: string; reason: string }>>(
    `/v1/operator/actions?subject=${person.userId}`,
  );
  expect(log.body.items.map(({ action, reason }) => [action, reason])).toEqual([
    ['operator.revoke', 'Left.'],
    ['operator.grant', 'Joins.'],
  ]);
});

it('sums the payouts of a week, and lists them with their developers', async () => {
  const { market, buyer, agentId } = scene;
  await invoke(market, buyer, agentId, { input: { text: 'earned' } });
  await market.owner.query(
    `SELECT payout_id FROM payout_reserve($1, '2035-01-08', 0, 100000000, ARRAY['ach'], NULL)`,
    [scene.developer.userId],
  );
  const week = await get<{ groups: { payouts: number; credits: number }[] }>(
    '/v1/operator/payout-weeks/2035-01-08',
  );
  expect(week.body.groups).toMatchObject([{ payouts: 1 }]);
  const list = await get<Page<{ developer_name: string; period_end: string; credits: number }>>(
    '/v1/operator/payouts?monday=2035-01-08',
  );
  expect(list.body.items).toMatchObject([
    { period_end: '2035-01-08T00:00:00.000Z', developer_name: expect.any(String) as string },
  ]);
  expect(week.body.groups[0]?.credits).toBe(list.body.items[0]?.credits);
  expect((await get<Page<object>>('/v1/operator/payouts?monday=2035-01-01')).body.items).toEqual([]);
  expect((await get('/v1/operator/payout-weeks/2035-02-30')).status).toBe(404);
});

it('shows everyone whether the service works, from what was noted each minute', async () => {
  const { market } = scene;
  const { pool } = market.container;
  const ok = { postgres: 'ok', temporal: 'ok', worker: 'ok', loops: 'ok' } as const;
  const status = createServiceStatus({ db: pool, read: () => Promise.resolve({ checks: ok }) });
  const frozen = { ...ok, worker: 'failed', loops: 'failed' } as const;
  const later = createServiceStatus({ db: pool, read: () => Promise.resolve({ checks: frozen }) });
  await status.note();
  await status.note();
  await later.note();
  const { rows } = await market.owner.query<{ part: string; minutes: number; failed: number }>(
    'SELECT part, minutes, failed FROM status_days ORDER BY part',
  );
  expect(rows.map(({ part, failed }) => [part, failed])).toEqual([
    ['api', 0],
    ['background', 1],
    ['calls', 0],
  ]);
  const response = await fetch(`${market.url}/v1/status`);
  expect(response.headers.get('cache-control')).toBe('public, max-age=10');
  const body = (await response.json()) as {
    status: string;
    parts: { part: string; days: { date: string; share: number | null }[] }[];
  };
  expect(body.status).toBe('operational');
  expect(body.parts.map(({ part, days }) => [part, days.length])).toEqual([
    ['api', 90],
    ['calls', 90],
    ['background', 90],
  ]);
  expect(JSON.stringify(body)).not.toMatch(/usr_|agt_|inv_|postgres|temporal/i);
});
