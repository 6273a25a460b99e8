/**
 * A receiver that is away for a day gets everything when it is back; one that stays away can get a redelivery later.
 */
import { RETRY_PAUSES_MS } from '../../../src/domain/webhooks/webhook-delivery';
import { fastForward } from '../../../src/engine/time-travel';
import { createWebhookDeliveries } from '../../../src/services/webhooks/webhook-deliveries';
import { createWebhookSource } from '../../../src/services/webhooks/webhook-source';
import { withTransaction } from '../../../src/stores/db';
import { recordEvent } from '../../../src/stores/webhooks/outbox';
import { startHookServer, type HookServer } from '../../support/webhooks/hook-server';
import { eventually, register, startMarket, type TestMarket, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { type Receiver, redeliver, startReceiver, toldTimes, verify } from '../../support/webhooks/webhooks';

const ATTEMPTS = RETRY_PAUSES_MS.length + 1;
const HOUR_MS = 3_600_000;

jest.setTimeout(180_000);

let market: TestMarket;
let hook: HookServer;
let user: TestUser;
beforeAll(async () => {
  [market, hook] = await Promise.all([startMarket(), startHookServer()]);
  user = await register(market, 'buyer');
});
afterAll(async () => {
  await hook.stop();
  await market.stop();
});

const load = (credits: number) =>
  recordEvent(market.container.pool, {
    type: 'credits.loaded',
    data: { credits },
    audience: { userIds: [user.userId] },
  });

/** Waits for so many attempts of each delivery. */
const attempted = (receiver: Receiver, attempts: number) =>
  eventually(
    async () => (await receiver.deliveries()).every((each) => each.attempts.length === attempts),
    60_000,
  );

/** temporal.api.enums.v1.EventType */
const TIMER_STARTED = 17;
const TIMER_FIRED = 18;

/**
 * True if the workflow waits for a timer. An attempt is stored before its timer starts, and a clock that moves before
 * that has no effect.
 */
async function pauses(workflowId: string): Promise<boolean> {
  const { events } = await market.environment.client.workflow.getHandle(workflowId).fetchHistory();
  const types = (events ?? []).map(({ eventType }) => Number(eventType));
  return types.lastIndexOf(TIMER_STARTED) > types.lastIndexOf(TIMER_FIRED);
}

/** A workflow whose last attempt is made ends before its clock has arrived. */
async function passOne(workflowId: string, durationMs: number): Promise<void> {
  await eventually(() => pauses(workflowId));
  try {
    await fastForward(market.environment.client, workflowId, durationMs);
  } catch (error) {
    if (!String(error).includes('the execution ended')) throw error;
  }
}

/**
 * Lets each delivery wait through its pauses. The clock ends an hour later, far from a timer: near one it may skip a
 * pause more.
 */
async function pass(receiver: Receiver, eventIds: (string | null)[], pausesMs: readonly number[]) {
  const before = (await receiver.deliveries())[0]?.attempts.length ?? 0;
  const durationMs = pausesMs.reduce((sum, ms) => sum + ms) + HOUR_MS;
  const ids = eventIds.map((id) => `webhook/${id}/${receiver.webhook_id}`);
  // Behind tasks, disputes and payouts, whose priority is 3.
  const { priority } = await market.environment.client.workflow.getHandle(ids[0] ?? '').describe();
  expect(priority?.priorityKey).toBe(4);
  await Promise.all(ids.map((id) => passOne(id, durationMs)));
  await attempted(receiver, before + pausesMs.length);
}

it('delivers everything to a receiver that was down for a day', async () => {
  const receiver = await startReceiver(market, user, hook, { types: ['credits.loaded'] });
  const eventIds = [];
  hook.answerWith(receiver.path, ...Array.from({ length: 3 * (ATTEMPTS - 1) }, () => 503));
  for (const credits of [1, 2, 3]) eventIds.push(await load(credits));
  await attempted(receiver, 1);
  await pass(receiver, eventIds, RETRY_PAUSES_MS.slice(0, -1));
  const isDown = await receiver.deliveries();
  expect(isDown.map(({ status, attempts }) => [status, attempts.length])).toEqual([
    ['pending', 7],
    ['pending', 7],
    ['pending', 7],
  ]);
  await pass(receiver, eventIds, RETRY_PAUSES_MS.slice(-1));
  await eventually(async () => (await receiver.deliveries()).every(({ status }) => status === 'delivered'));
  const last = receiver.told().slice(-3);
  expect(last.map((told) => verify(receiver.secret, told).data['credits']).sort()).toEqual([1, 2, 3]);
  expect(RETRY_PAUSES_MS.reduce((sum, ms) => sum + ms)).toBeGreaterThan(24 * HOUR_MS);
});

it('counts any 2xx as delivered, whatever body and headers follow', async () => {
  const receiver = await startReceiver(market, user, hook, { types: ['credits.loaded'] });
  const headers = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`x-${n}`, 'y']));
  hook.answerWith(
    receiver.path,
    { status: 200, body: 'x'.repeat(100_000), headers: { 'content-length': '100000' } },
    { status: 202, body: 'not gzip', headers: { 'content-encoding': 'gzip' } },
    { status: 200, headers },
  );
  for (const credits of [1, 2, 3]) await load(credits);
  await eventually(async () => {
    const all = await receiver.deliveries();
    return all.length === 3 && all.every(({ status }) => status === 'delivered');
  });
  expect((await receiver.deliveries()).map(({ attempts }) => attempts.length)).toEqual([1, 1, 1]);
});

it('waits as long as the receiver asks for', async () => {
  const receiver = await startReceiver(market, user, hook, { types: ['credits.loaded'] });
  hook.answerWith(receiver.path, { status: 503, headers: { 'retry-after': '3600' } });
  const eventId = await load(7);
  await attempted(receiver, 1);
  const workflowId = `webhook/${eventId}/${receiver.webhook_id}`;
  await eventually(() => pauses(workflowId));
  const { events } = await market.environment.client.workflow.getHandle(workflowId).fetchHistory();
  const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => (timer ? [timer] : []));
  expect(timers.map((timer) => Number(timer.startToFireTimeout?.seconds))).toEqual([3_600]);
  await passOne(workflowId, 2 * HOUR_MS);
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'delivered');
});

it('gives up after the last attempt, and redelivers when its owner requests it', async () => {
  const receiver = await startReceiver(market, user, hook, { types: ['credits.loaded'] });
  hook.answerWith(receiver.path, ...Array.from({ length: ATTEMPTS }, () => 500));
  const eventId = await load(4);
  await attempted(receiver, 1);
  await pass(receiver, [eventId], RETRY_PAUSES_MS);
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'failed');
  const [failed] = await receiver.deliveries();
  expect(failed?.attempts.map(({ status }) => status)).toEqual(Array.from({ length: ATTEMPTS }, () => 500));
  await redeliver(market, user, receiver.webhook_id, failed?.delivery_id ?? '');
  const told = await toldTimes(receiver, ATTEMPTS + 1);
  expect(new Set(told.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([eventId]));
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'delivered');
});

it('deletes old deliveries that have ended, and keeps pending ones', async () => {
  const receiver = await startReceiver(market, user, hook, { types: ['credits.loaded'] });
  const over = await load(5);
  await eventually(async () => (await receiver.deliveries())[0]?.status === 'delivered');
  hook.answerWith(receiver.path, 500);
  const waiting = await load(6);
  await eventually(async () => (await receiver.deliveries())[0]?.attempts.length === 1);
  await market.owner.query(`UPDATE events SET created_at = created_at - interval '31 days'`);
  await market.owner.query(
    `UPDATE webhook_deliveries SET finished_at = finished_at - interval '31 days' WHERE state <> 'pending'`,
  );
  await market.container.webhookHistory.purge();
  expect((await receiver.deliveries()).map(({ event_id: id }) => id)).toEqual([waiting]);
  const { rows } = await market.owner.query<{ event_id: string }>(
    'SELECT event_id FROM events WHERE event_id = ANY ($1)',
    [[over, waiting]],
  );
  expect(rows).toEqual([{ event_id: waiting }]);
});

it('lets accounts take turns, however many webhooks and test events one of them has', async () => {
  const hog = await register(market, 'buyer');
  const other = await register(market, 'buyer');
  const types = ['credits.loaded'];
  const hanging = await Promise.all(
    Array.from({ length: 20 }, () => startReceiver(market, hog, hook, { types })),
  );
  for (const { path } of hanging) hook.answerWith(path, ...Array.from({ length: 30 }, () => 0));
  const quick = await startReceiver(market, other, hook, { types });
  const hogIds = hanging.map(({ webhook_id: id }) => id);
  await market.owner.query(
    `WITH all_tests AS (SELECT event_test(id, '{}') FROM unnest($1::text[]) id, generate_series(1, 25))
     SELECT count(*), event_record('credits.loaded', '{}', ARRAY[$2]) FROM all_tests`,
    [hogIds, other.userId],
  );
  await toldTimes(quick, 1, 60_000);
  const before = hanging.reduce((sum, receiver) => sum + receiver.told().length, 0);
  expect(before).toBeLessThan(120);
  const test = await request(market, hog, 'POST', `/v1/webhooks/${hogIds[0]}/test`);
  expect(test).toMatchObject({ status: 429, body: { error: { code: 'concurrency_limited' } } });
  const [waiting] = (await hanging[0]?.deliveries()) ?? [];
  const again = await redeliver(market, hog, hogIds[0] ?? '', waiting?.delivery_id ?? '');
  expect(again).toMatchObject({ status: 429, body: { error: { code: 'concurrency_limited' } } });
  await market.owner.query('DELETE FROM webhook_deliveries WHERE endpoint_id = ANY ($1)', [hogIds]);
  await market.owner.query('DELETE FROM webhooks WHERE webhook_id = ANY ($1)', [hogIds]);
});

it('claims deliveries of accounts in turns, and at most 50 that are not tried yet of one', async () => {
  const { cipher, egress, logger, pool } = market.container;
  const [hog, other] = [await register(market, 'buyer'), await register(market, 'buyer')];
  const types = ['credits.loaded'];
  const greedy = [
    await startReceiver(market, hog, hook, { types }),
    await startReceiver(market, hog, hook, { types }),
  ];
  const modest = await startReceiver(market, other, hook, { types });
  const source = createWebhookSource({ pool, cipher });
  const client = market.owner;
  try {
    // Uncommitted deliveries are invisible to other transactions.
    await client.query('BEGIN');
    await client.query(`SELECT event_test(id, '{}') FROM unnest($1::text[]) id, generate_series(1, 40)`, [
      greedy.map(({ webhook_id: id }) => id),
    ]);
    await client.query(`SELECT event_test($1, '{}')`, [modest.webhook_id]);
    await client.query('SAVEPOINT made');
    const sources = { webhook: source, a2a_push: source };
    const claimed = async (most: number) => {
      const deps = {
        pool: client as unknown as typeof pool,
        cipher,
        egress,
        sources,
        logger,
        storedQuota: 0,
        places: 4,
      };
      const found = await createWebhookDeliveries(deps).claim(most);
      await client.query('ROLLBACK TO made');
      const of = (receivers: Receiver[]) =>
        found.filter(({ endpointId }) => receivers.some(({ webhook_id: id }) => id === endpointId)).length;
      return [of(greedy), of([modest])];
    };
    expect(await claimed(2)).toEqual([1, 1]);
    expect(await claimed(500)).toEqual([50, 1]);
  } finally {
    await client.query('ROLLBACK');
  }
});

it('delivers to others while a receiver hangs', async () => {
  const other = await register(market, 'buyer');
  const slow = await startReceiver(market, user, hook, { types: ['credits.loaded'] });
  const quick = await startReceiver(market, other, hook, { types: ['credits.loaded'] });
  hook.answerWith(slow.path, ...Array.from({ length: 300 }, () => 0));
  await market.owner.query(
    `SELECT event_record('credits.loaded', '{}', ARRAY[$1]) FROM generate_series(1, 300)`,
    [user.userId],
  );
  await eventually(async () => slow.told().length >= 20, 60_000);
  const test = await request(market, user, 'POST', `/v1/webhooks/${slow.webhook_id}/test`);
  expect(test.status).toBe(202);
  await market.owner.query(`SELECT event_record('credits.loaded', '{}', ARRAY[$1])`, [other.userId]);
  await toldTimes(quick, 1, 60_000);
  const waiting = await market.owner.query(
    'DELETE FROM webhook_deliveries WHERE endpoint_id = $1 AND started_at IS NULL',
    [slow.webhook_id],
  );
  expect(waiting.rowCount).toBeGreaterThan(0);
  await market.owner.query('DELETE FROM webhooks WHERE webhook_id = $1', [slow.webhook_id]);
});

it('makes attempts for other accounts while one account uses its share with hanging ones', async () => {
  const { pool, cipher, egress, logger } = market.container;
  const other = await register(market, 'buyer');
  const hanging = await startReceiver(market, user, hook, { types: ['credits.loaded'] });
  const quick = await startReceiver(market, other, hook, { types: ['credits.loaded'] });
  hook.answerWith(hanging.path, 0, 0);
  const source = createWebhookSource({ pool, cipher });
  const sources = { webhook: source, a2a_push: source };
  const deliveries = createWebhookDeliveries({
    pool,
    cipher,
    egress,
    sources,
    logger,
    storedQuota: 0,
    places: 4,
  });
  /** A delivery that waits for a later attempt. */
  const attempt = async ({ webhook_id: id }: Receiver) => {
    const deliveryId = await withTransaction(pool, async (tx) => {
      const { rows } = await tx.query<{ event: string }>(`SELECT event_test($1, '{}') AS event`, [id]);
      const made = await tx.query<{ delivery_id: string }>(
        'UPDATE webhook_deliveries SET started_at = now() WHERE event_id = $1 RETURNING delivery_id',
        [rows[0]?.event],
      );
      return made.rows[0]?.delivery_id ?? '';
    });
    return deliveries.attempt(deliveryId, 0);
  };
  const first = [attempt(hanging), attempt(hanging)];
  await toldTimes(hanging, 2);
  expect(await attempt(hanging)).toBe('busy');
  expect(await attempt(quick)).toBe('delivered');
  expect(await Promise.all(first)).toEqual(['pending', 'pending']);
  expect(await attempt(hanging)).toBe('delivered');
});
