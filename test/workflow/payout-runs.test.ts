/** An operator repeats payouts: each once, however often and however fast it is requested. */
import { createPayoutSweep } from '../../src/engine/payout-sweep';
import { payoutScheduleId } from '../../src/engine/payouts';
import { createLogger } from '../../src/logger';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import { registerOperator } from '../support/disputes/disputes';
import { Client } from 'pg';
import { expectWhole } from '../support/ledger/ledger';
import {
  balance,
  eventually,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { DETAILS, earn } from '../support/payouts/payouts';
import { request } from '../support/catalogue/publishing';
import { answers } from '../support/stack/schedules';
import { deleteWorkflow } from '../support/stack/temporal';
import { realTime } from '../support/waits';

const asOf = '2026-10-12T00:00:00.000Z';
const MATURE = new Date('2026-10-08T00:00:00Z');
let market: TestMarket;
let operator: TestUser;
let buyer: TestUser;

beforeAll(async () => {
  market = await startMarket();
  operator = await registerOperator(market);
  buyer = await register(market, 'buyer', 50_000);
});
afterEach(() => expectWhole(market.container.pool));
afterAll(() => market.stop());

/** A developer whose payout rolled over, because there was no payout method. */
async function waiting(): Promise<{ developer: TestUser; payoutId: string }> {
  const developer = await register(market, 'developer');
  const names = { buyer: buyer.userId, developer: developer.userId };
  await earn({ ledger: market.container.ledger }, names, [2_000], MATURE);
  const share = { developerUserId: developer.userId, asOf, attempt: 0 };
  const made = await market.container.payoutRuns.reserve(share);
  expect(made?.status).toBe('rolled_over');
  const body = { method: 'ach', details: DETAILS.ach };
  expect((await request(market, developer, 'PUT', '/v1/billing/developer/payout-method', body)).status).toBe(
    200,
  );
  return { developer, payoutId: made?.payoutId ?? '' };
}

interface Reply {
  attempt?: number;
  message?: string;
}
const retry = (payoutId: string) =>
  request<Reply>(market, operator, 'POST', `/v1/operator/payouts/${payoutId}/retry`, {});
const payoutsOf = async (developer: TestUser) => {
  const path = '/v1/billing/developer/payouts';
  const { body } = await request<{ items: { status: string; credits: number }[] }>(
    market,
    developer,
    'GET',
    path,
  );
  return body.items.map(({ status, credits }) => [status, credits]);
};
const becomes = (developer: TestUser, wanted: unknown[]) =>
  eventually(async () => JSON.stringify(await payoutsOf(developer)) === JSON.stringify(wanted), 40_000);

it('accepts one of three retries of a payout 60 ms apart, and pays once', async () => {
  const { developer, payoutId } = await waiting();
  const replies = await Promise.all(
    [0, 60, 120].map(async (pauseMs) => {
      await realTime(pauseMs, 'the moment of the retry');
      return retry(payoutId);
    }),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  const refused = replies.filter(({ status }) => status === 409);
  const { attempt } = replies.find(({ status }) => status === 202)?.body ?? {};
  for (const { body } of refused)
    expect(JSON.stringify(body)).toMatch(
      new RegExp(`ttempt ${attempt} (of this Monday is running|of its Monday)`),
    );
  await becomes(developer, [
    ['paid', 1_940],
    ['rolled_over', 1_940],
  ]);
  await eventually(async () => {
    const { status, body } = await retry(payoutId);
    return (
      status === 409 && JSON.stringify(body).includes(`repeated already, as attempt ${attempt} of its Monday`)
    );
  });
  const actions = await market.owner.query(
    `SELECT FROM operator_actions WHERE action = 'payout.retry' AND subject = $1`,
    [payoutId],
  );
  expect(actions.rowCount).toBe(1);
});

it('pays three developers whose payouts are retried 60 ms apart', async () => {
  const people = [await waiting(), await waiting(), await waiting()];
  const replies = await Promise.all(
    people.map(async ({ payoutId }, at) => {
      await realTime(at * 60, 'the moment of the retry');
      return retry(payoutId);
    }),
  );
  expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(replies.map(({ body }) => body.attempt)).size).toBe(3);
  for (const { developer } of people)
    await becomes(developer, [
      ['paid', 1_940],
      ['rolled_over', 1_940],
    ]);
});

describe('a run whose workflow is lost', () => {
  const runOf = async (monday: string, more: object = {}) => {
    const { client } = market.environment;
    const prefix = market.temporal.taskQueuePrefix;
    const workflowId = `${prefix}weekly-payouts-${monday}`;
    const options = { workflowId, taskQueue: `${prefix}operations`, args: [{ asOf: monday, ...more }] };
    const handle = await client.workflow.start('weeklyPayouts', options);
    return { client, prefix, handle };
  };
  /** As if the last half a minute had passed. */
  const passTime = () =>
    market.owner.query(
      `UPDATE payout_runs SET begun_at = begun_at - interval '1 minute', ended_at = ended_at - interval '1 minute'`,
    );
  const begun = (monday: string) =>
    eventually(async () => {
      const { rowCount } = await market.owner.query('SELECT FROM payout_runs WHERE as_of = $1', [monday]);
      return rowCount === 1;
    }, 20_000);
  const paysOnce = async (people: readonly TestUser[]) => {
    for (const developer of people) {
      await becomes(developer, [['paid', 1_940]]);
      expect(await balance(market.owner, developer.userId, 'payable')).toBe(0);
    }
    const open = 'SELECT FROM payout_runs WHERE ended_at IS NULL';
    await eventually(async () => (await market.owner.query(open)).rowCount === 0, 30_000);
  };
  const earnsBy = async (maturesAt: string) => {
    const developer = await register(market, 'developer');
    const body = { method: 'ach', details: DETAILS.ach };
    await request(market, developer, 'PUT', '/v1/billing/developer/payout-method', body);
    const names = { buyer: buyer.userId, developer: developer.userId };
    await earn({ ledger: market.container.ledger }, names, [2_000], new Date(maturesAt));
    return developer;
  };
  const lockPayable = async (client: Client, { userId }: TestUser) => {
    await client.query('BEGIN');
    await client.query(`SELECT FROM accounts WHERE user_id = $1 AND kind = 'payable' FOR UPDATE`, [userId]);
  };
  let blocker: Client;
  beforeAll(async () => {
    blocker = new Client({ connectionString: market.database.ownerUrl });
    await blocker.connect();
  });
  afterEach(() => blocker.query('ROLLBACK'));
  afterAll(() => blocker.end());

  it.each(['terminate', 'cancel'] as const)(
    'while shares are reserved (%s), it is started again',
    async (how) => {
      const monday = how === 'terminate' ? '2026-10-19T00:00:00.000Z' : '2026-10-26T00:00:00.000Z';
      const people = [await earnsBy(monday), await earnsBy(monday)];
      if (!people[0]) throw new Error('nobody');
      await lockPayable(blocker, people[0]);
      const { handle } = await runOf(monday);
      await begun(monday);
      if (how === 'terminate') await handle.terminate('by hand');
      else await handle.cancel();
      await handle.result().catch(() => undefined);
      await blocker.query('ROLLBACK');
      await passTime();
      await paysOnce(people);
    },
  );

  it('before its file is written, it is started again', async () => {
    const monday = '2026-11-02T00:00:00.000Z';
    const developer = await earnsBy(monday);
    await blocker.query('BEGIN; LOCK TABLE payout_files IN SHARE ROW EXCLUSIVE MODE');
    const { client, handle } = await runOf(monday);
    await becomes(developer, [['pending', 1_940]]);
    await deleteWorkflow(client, handle.workflowId);
    const { waiting } = await checkLedger(market.container.pool);
    expect(waiting).toContainEqual(expect.objectContaining({ subject: 'payouts pending', units: 194_000 }));
    await blocker.query('ROLLBACK');
    await passTime();
    await paysOnce([developer]);
  });

  it('a share that is terminated is reserved again, and one that hangs delays no other beyond the deadline', async () => {
    const monday = '2026-11-09T00:00:00.000Z';
    const [hanging, other] = [await earnsBy(monday), await earnsBy(monday)];
    await lockPayable(blocker, hanging);
    const { client, prefix, handle } = await runOf(monday, { shareDeadlineMs: 4_000 });
    const child = client.workflow.getHandle(`${prefix}payout/${hanging.userId}/2026-11-09`);
    await eventually(async () => answers(child.describe()), 20_000);
    await child.terminate('by hand');
    await becomes(other, [['paid', 1_940]]);
    expect(await payoutsOf(hanging)).toEqual([]);
    await handle.result();
    await blocker.query('ROLLBACK');
    await passTime();
    // Its file is written: the share waits for the next Monday, or is retried.
    await eventually(async () => (await payoutsOf(hanging)).length === 1, 40_000);
    expect(await payoutsOf(hanging)).toEqual([['rolled_over', 1_940]]);
    await eventually(
      async () => (await market.owner.query('SELECT FROM payout_runs WHERE ended_at IS NULL')).rowCount === 0,
      30_000,
    );
  });

  it('is started again behind one whose start fails', async () => {
    const { client } = market.environment;
    const prefix = `${market.temporal.taskQueuePrefix}apart-`;
    const open = (asOf: Date) => ({ asOf, attempt: 0, developerUserId: null, workflowId: null });
    const sweep = createPayoutSweep({
      client: () => client,
      prefix,
      taskQueue: `${prefix}operations`,
      logger: createLogger('test', 'silent'),
      runs: {
        listOpen: () => Promise.resolve([open(new Date(NaN)), open(new Date('2026-08-03T00:00:00Z'))]),
        listMissed: () => Promise.resolve([]),
        listOpenTransfers: () => Promise.resolve([]),
      },
    });
    await sweep();
    const handle = client.workflow.getHandle(`${prefix}weekly-payouts/2026-08-03/0`);
    expect((await handle?.describe())?.status.name).toBe('RUNNING');
    await handle?.terminate();
  });

  it('is started when its Monday never began, unless an operator has paused the Schedule', async () => {
    const { client } = market.environment;
    const schedule = client.schedule.getHandle(payoutScheduleId(market.temporal.taskQueuePrefix));
    await schedule?.pause('by hand');
    const { rows } = await market.owner.query<{ monday: Date }>(
      `SELECT date_trunc('week', now() - interval '15 minutes', 'UTC') AS monday`,
    );
    const [{ monday } = { monday: new Date() }] = rows;
    const developer = await earnsBy(monday.toISOString());
    await market.owner.query(
      `UPDATE users SET created_at = $1::timestamptz - interval '1 day' WHERE user_id = (SELECT min(user_id) FROM users)`,
      [monday],
    );
    const sweep = createPayoutSweep({
      client: () => client,
      prefix: market.temporal.taskQueuePrefix,
      taskQueue: `${market.temporal.taskQueuePrefix}operations`,
      logger: createLogger('test', 'silent'),
      runs: market.container.payoutRuns,
    });
    await sweep();
    expect(await payoutsOf(developer)).toEqual([]);
    await schedule?.unpause();
    await sweep();
    await paysOnce([developer]);
    await sweep();
    expect(await payoutsOf(developer)).toHaveLength(1);
  });
});
