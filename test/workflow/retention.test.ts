import { generateKeyPairSync } from 'node:crypto';
import { ensureSchedules, retentionScheduleId } from '../../src/engine/schedules';
import { newId } from '../../src/kit/ids/ids';
import { checkLedger, formatReport } from '../../src/services/ledger/ledger-check';
import { createRetention } from '../../src/services/operations/retention';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { chat, CHAT_SCHEMAS, TURN } from '../support/calls/chat';
import {
  eventually,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { makeKey } from '../support/accounts/keys';
import { request } from '../support/catalogue/publishing';
import { DETAILS } from '../support/payouts/payouts';
import { isMade } from '../support/stack/schedules';

let market: TestMarket;
let second: TestMarket;
let developer: TestUser;
let buyer: TestUser;
let agent: TestAgent;

beforeAll(async () => {
  market = await startMarket();
  second = await startMarket({ share: market });
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 10_000);
  agent = await startAgent();
});
afterAll(async () => {
  await agent.stop();
  await second.stop();
  await market.stop();
});

async function storedAnswers(invocationId: string): Promise<number> {
  const { rowCount } = await market.owner.query('SELECT FROM invocation_answers WHERE invocation_id = $1', [
    invocationId,
  ]);
  return rowCount ?? -1;
}

async function waitingMarks(invocationId: string): Promise<number> {
  const { rowCount } = await market.owner.query('SELECT FROM invocation_waiters WHERE invocation_id = $1', [
    invocationId,
  ]);
  return rowCount ?? -1;
}

const body = { input: { text: 'kept or not' }, idempotency_key: 'k' };
const ask = (via: TestMarket, agentId: string, who = buyer) => invoke(via, who, agentId, body);

describe('an agent that retains nothing', () => {
  it('leaves no stored answer once its caller has it; a replay is 200 without output', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url, { retentionDays: 0 });
    const who = await register(market, 'buyer', 100);
    const first = await ask(market, agentId, who);
    expect(first.body.output).toEqual(body.input);
    const replay = await ask(market, agentId, who);
    expect(replay.status).toBe(200);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.body).toEqual({ ...first.body, output: null, output_expired: true });
    expect(await storedAnswers(first.body.invocation_id ?? '')).toBe(0);
  });

  it('serves all waiting callers, in this process and in another, and then deletes the answer', async () => {
    const slow = await startAgent({ behaviour: { kind: 'slow', ms: 700 } });
    const { agentId } = await putLive(market, developer.userId, slow.url, { retentionDays: 0 });
    const who = await register(market, 'buyer', 1_000);
    const first = ask(market, agentId, who);
    await slow.waitForDeliveries(1);
    const replies = await Promise.all([
      first,
      ...Array.from({ length: 10 }, (_, n) => ask(n % 2 ? market : second, agentId, who)),
    ]);
    expect(replies.map((reply) => reply.body.output)).toEqual(replies.map(() => body.input));
    expect(slow.deliveries).toHaveLength(1);
    const id = replies[0]?.body.invocation_id ?? '';
    await eventually(async () => (await storedAnswers(id)) === 0);
    await eventually(async () => (await waitingMarks(id)) === 0);
    const replay = await ask(second, agentId, who);
    expect(replay.body).toMatchObject({ output: null, output_expired: true });
    await slow.stop();
  });

  it('leaves nothing of a streamed turn either, once it was read to its end', async () => {
    const talking = await startAgent({ behaviour: { kind: 'answer', output: { text: 'said' } } });
    const { agentId } = await putLive(market, developer.userId, talking.url, {
      ...CHAT_SCHEMAS,
      retentionDays: 0,
    });
    const turn = { ...TURN, idempotency_key: 'turn' };
    const first = await chat(market, buyer, agentId, turn);
    expect([first.text, first.last?.type]).toEqual(['said', 'done']);
    await eventually(async () => (await storedAnswers(first.last?.invocation_id ?? '')) === 0);
    const replay = await chat(market, buyer, agentId, turn);
    expect(replay.text).toBe('');
    expect(replay.last).toMatchObject({ type: 'done', output_expired: true });
    expect(talking.deliveries).toHaveLength(1);
    await talking.stop();
  });

  it('keeps an answer that was not delivered for its replay, at most an hour, and then deletes it', async () => {
    const slow = await startAgent({ behaviour: { kind: 'slow', ms: 500 } });
    const { agentId } = await putLive(market, developer.userId, slow.url, { retentionDays: 0 });
    const who = await register(market, 'buyer', 100);
    const gone = new AbortController();
    const left = fetch(`${market.url}/v1/agents/${agentId}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: who.cookie },
      body: JSON.stringify(body),
      signal: gone.signal,
    });
    await slow.waitForDeliveries(1);
    gone.abort();
    await expect(left).rejects.toThrow();
    const id = slow.deliveries[0]?.invocationId ?? '';
    await eventually(async () => (await storedAnswers(id)) === 1);
    const { rows } = await market.owner.query<{ seconds: string }>(
      'SELECT extract(epoch FROM expires_at - now()) AS seconds FROM invocation_answers WHERE invocation_id = $1',
      [id],
    );
    expect(Number(rows[0]?.seconds)).toBeGreaterThan(3_500);
    expect(Number(rows[0]?.seconds)).toBeLessThanOrEqual(3_600);
    expect((await ask(market, agentId, who)).body.output).toEqual(body.input);
    await eventually(async () => (await storedAnswers(id)) === 0);
    expect(slow.deliveries).toHaveLength(1);
    await slow.stop();
  });
});

describe('the retention sweep', () => {
  const scheduleOf = () => {
    const { client } = market.environment;
    return {
      client,
      handle: client.schedule.getHandle(retentionScheduleId(market.temporal.taskQueuePrefix)),
    };
  };

  it('is a Schedule that each worker makes when it is missing, every ten minutes, once', async () => {
    const { client, handle } = scheduleOf();
    await isMade(handle);
    const names = {
      prefix: market.temporal.taskQueuePrefix,
      taskQueue: `${market.temporal.taskQueuePrefix}operations`,
    };
    await handle.pause('an operator says so');
    await Promise.all([ensureSchedules(client, names), ensureSchedules(client, names)]);
    const { spec, action, state } = await handle.describe();
    expect(spec.intervals).toEqual([expect.objectContaining({ every: 600_000 })]);
    expect(action).toMatchObject({ workflowType: 'retentionSweep', taskQueue: names.taskQueue });
    expect(state).toMatchObject({ paused: true, note: 'an operator says so' });
    await handle.unpause();
  });

  it('deletes expired rows and rows of dead processes in batches, and no others', async () => {
    const { handle } = scheduleOf();
    await isMade(handle);
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const kept = await ask(market, agentId);
    const keptId = kept.body.invocation_id ?? '';
    expect(await storedAnswers(keptId)).toBe(1);
    await addExpired(agentId, 2_500);
    expect((await ask(market, agentId)).body.output).toEqual(body.input);
    await sweptTo(1);
    expect(await storedAnswers(keptId)).toBe(1);
    await eventually(async () => (await countAll('invocation_waiters')) === 0);
    await market.owner.query(`UPDATE invocation_answers SET expires_at = now() - interval '1 second'`);
    const expired = await ask(market, agentId);
    expect(expired.body).toMatchObject({ output: null, output_expired: true, invocation_id: keptId });
    await sweptTo(0);
  });

  /** A turn that is asked for while one runs is left out, so it is asked for until it has been. */
  async function sweptTo(answers: number): Promise<void> {
    await eventually(async () => {
      await scheduleOf().handle.trigger();
      return (await countAll('invocation_answers')) === answers;
    }, 40_000);
  }

  async function countAll(table: string): Promise<number> {
    const { rows } = await market.owner.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`);
    return Number(rows[0]?.n);
  }

  /** Calls of two hours ago whose answers have expired, each with the mark of a process that is gone. */
  async function addExpired(agentId: string, count: number): Promise<void> {
    const ids = Array.from({ length: count }, () => newId('inv'));
    await market.owner.query(
      `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface,
         status, price_units, input_sha256, owner, trace_id, charged_units, invoked_at, settled_at)
       SELECT id, $2, $3, $4, (SELECT serving_version_id FROM agents WHERE agent_id = $4), '1.0.0', 'invoke',
         'succeeded', 0, 'x', 'gone', 'x', 0, now() - interval '2 hours', now() - interval '2 hours'
       FROM unnest($1::text[]) id`,
      [ids, buyer.userId, developer.userId, agentId],
    );
    await market.owner.query(
      `INSERT INTO invocation_answers SELECT id, '\\x00', now() - interval '1 hour' FROM unnest($1::text[]) id`,
      [ids],
    );
    await market.owner.query(`INSERT INTO invocation_waiters SELECT id, 'gone' FROM unnest($1::text[]) id`, [
      ids,
    ]);
  }
});

describe('an account whose address was not confirmed within a day', () => {
  const age = (who: TestUser, hours: number) =>
    market.owner.query(
      `UPDATE users SET email_confirmed_at = NULL, created_at = now() - make_interval(hours => $2) WHERE user_id = $1`,
      [who.userId, hours],
    );
  const remaining = async (all: readonly TestUser[]) => {
    const { rows } = await market.owner.query<{ user_id: string }>(
      'SELECT user_id FROM users WHERE user_id = ANY ($1)',
      [all.map(({ userId }) => userId)],
    );
    return all.map(({ userId }) => rows.some((row) => row.user_id === userId));
  };

  it('is deleted unless it has credits, keys, calls or agents', async () => {
    const [old, young, rich, caller, owner, keyed, ended] = [
      await register(market, 'buyer'),
      await register(market, 'buyer'),
      await register(market, 'buyer', 5),
      await register(market, 'buyer', 100),
      await register(market, 'developer'),
      await register(market, 'buyer'),
      await register(market, 'buyer'),
    ];
    await makeKey(market, keyed, { scopes: ['agents:read'] });
    const { key_id: keyId } = await makeKey(market, ended, { scopes: ['agents:read'] });
    await market.container.apiKeys.delete(ended.userId, keyId);
    const { agentId } = await putLive(market, owner.userId, agent.url, { credits: 1 });
    await ask(market, agentId, caller);
    for (const who of [old, rich, caller, owner, keyed, ended]) await age(who, 25);
    await age(young, 23);
    const all = [old, young, rich, caller, owner, keyed, ended];
    const { pool } = market.container;
    const purged = await createRetention({ pool }).purge(new AbortController().signal, () => undefined);
    expect(purged.accounts).toBe(2);
    expect(await remaining(all)).toEqual([false, true, true, true, true, true, false]);
    const me = await fetch(`${market.url}/v1/auth/me`, { headers: { cookie: old.cookie } });
    expect(me.status).toBe(401);
    // The rows that another test of this file inserts are no whole calls.
    expect(formatReport(await checkLedger(pool))).not.toMatch(/FAIL {2}(?!invocations|usage)/);
  });

  it('is deleted with what costs nothing: webhooks, settings, keys of mandates and notices', async () => {
    const who = await register(market, 'developer');
    const { kty, crv, x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      format: 'jwk',
    });
    const tax = { kind: 'w8ben', legal_name: 'Ada Lovelace', country: 'GB', tax_id: 'QQ123456C' };
    const requests: [string, string, object][] = [
      ['POST', '/v1/webhooks', { url: 'https://127.77.0.1/hook', types: ['credits.loaded'] }],
      ['PUT', '/v1/billing/developer/payout-method', { method: 'ach', details: DETAILS.ach }],
      ['PUT', '/v1/billing/developer/tax-form', tax],
      ['POST', '/v1/mandate-keys', { jwk: { kty, crv, x, y } }],
    ];
    for (const [method, path, body] of requests)
      expect([path, (await request(market, who, method, path, body)).status]).toEqual([
        path,
        method === 'POST' ? 201 : 200,
      ]);
    await market.owner.query(
      `INSERT INTO developer_notices VALUES ('ntc_' || md5($1), $1, 'rubric_announced', NULL, NULL, '{}', now())`,
      [who.userId],
    );
    await market.owner.query(`INSERT INTO event_inbox VALUES ($1, 'evt_' || md5($1))`, [who.userId]);
    await market.owner.query(`INSERT INTO mandate_revocations VALUES ($1, 'mdt_1')`, [who.userId]);
    await market.owner.query('INSERT INTO event_followers VALUES ($1, 0, now())', [who.userId]);
    await age(who, 25);
    const { pool } = market.container;
    await createRetention({ pool }).purge(new AbortController().signal, () => undefined);
    expect(await remaining([who])).toEqual([false]);
  });

  it('cannot be deleted from the ledger if it had money', async () => {
    const rich = await register(market, 'buyer', 5);
    const drop = market.owner.query('DELETE FROM accounts WHERE user_id = $1', [rich.userId]);
    await expect(drop).rejects.toThrow('the ledger is written once');
  });
});
