import { newId } from '../../../src/kit/ids/ids';
import { completeTopups } from '../../../src/stores/ledger/ledger-moves';
import {
  addUser,
  balancesOf,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';
import { eventually } from '../../support/waits';

let t: TestLedger;
const now = new Date();

beforeAll(async () => {
  t = await startLedger(16);
});
afterAll(() => t.stop());
afterEach(() => expectWhole(t.app));

const count = (outcomes: (string | undefined)[], outcome: string) =>
  outcomes.filter((o) => o === outcome).length;

it('holds exactly 10 of 100 parallel calls when there is money for 10', async () => {
  const developer = await addUser(t, 'developer');
  const buyer = await addUser(t, 'buyer', 50);
  const results = await Promise.all(
    Array.from({ length: 100 }, () => t.ledger.hold([holdRequest(buyer, developer, 5)])),
  );
  const outcomes = results.map(([result]) => result?.outcome);
  expect(count(outcomes, 'held')).toBe(10);
  expect(count(outcomes, 'insufficient')).toBe(90);
  expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 0, escrow: 5_000 });
});

it('resolves a hold once when capture, void and dispute meet', async () => {
  const developer = await addUser(t, 'developer');
  const buyer = await addUser(t, 'buyer', 1_000);
  const wins = { captured: 0, voided: 0, disputed: 0 };
  for (let round = 0; round < 40; round += 1) {
    const request = holdRequest(buyer, developer, 10);
    const { invocationId } = request;
    await t.ledger.hold([request]);
    const capture = () => t.ledger.capture([{ invocationId, grossUnits: 700, maturesAt: now }]);
    const refund = () => t.ledger.voidHold([{ invocationId, disputed: false }]);
    const dispute = () => t.ledger.voidHold([{ invocationId, disputed: true }]);
    const storm = [capture, refund, dispute, capture, refund, dispute];
    const turned = [...storm.slice(round % 6), ...storm.slice(0, round % 6)];
    const outcomes = (await Promise.all(turned.map((move) => move()))).map(
      ([result]) => result?.outcome ?? '',
    );
    const winners = outcomes.filter((outcome) => outcome in wins);
    expect(winners).toHaveLength(1);
    const winner = winners[0] as keyof typeof wins;
    expect(outcomes.filter((outcome) => outcome === `already_${winner}`)).toHaveLength(5);
    wins[winner] += 1;
  }
  expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 100_000 - wins.captured * 700, escrow: 0 });
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: wins.captured * 679 });
  expect(Math.min(wins.captured, wins.voided, wins.disputed)).toBeGreaterThan(0);
});

it.each(['capture', 'void'] as const)(
  'ends two calls by %s in both orders at once without a deadlock',
  async (end) => {
    const developer = await addUser(t, 'developer');
    const buyer = await addUser(t, 'buyer', 100);
    const requests = [1, 2].map(() => holdRequest(buyer, developer, 10));
    await t.ledger.hold(requests);
    const ids = requests.map(({ invocationId }) => invocationId);
    const ending = (order: string[]) =>
      end === 'capture'
        ? t.ledger.capture(order.map((invocationId) => ({ invocationId, grossUnits: 700, maturesAt: now })))
        : t.ledger.voidHold(order.map((invocationId) => ({ invocationId, disputed: false })));
    const waiting = async (most: number) => {
      const { rows } = await t.owner.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_locks l JOIN pg_database d ON d.oid = l.database OR l.database IS NULL
        WHERE NOT l.granted AND d.datname = current_database()`,
      );
      return (rows[0]?.waiting ?? 0) >= most;
    };
    // Both wait for the first call, in the order in which they came.
    const client = await t.owner.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM holds WHERE invocation_id = $1 FOR UPDATE', [ids[0]]);
    const first = ending(ids);
    await eventually(() => waiting(1));
    const second = ending([...ids].reverse());
    await eventually(() => waiting(2));
    await client.query('ROLLBACK');
    client.release();
    const outcomes = (await Promise.all([first, second])).flat().map(({ outcome }) => outcome);
    const [ended, again] =
      end === 'capture' ? ['captured', 'already_captured'] : ['voided', 'already_voided'];
    expect([count(outcomes, ended), count(outcomes, again)]).toEqual([2, 2]);
  },
);

it('treats 50 copies of one hold as one', async () => {
  const developer = await addUser(t, 'developer');
  const buyer = await addUser(t, 'buyer', 100);
  const request = holdRequest(buyer, developer, 10);
  const results = await Promise.all(Array.from({ length: 50 }, () => t.ledger.hold([request])));
  const outcomes = results.map(([result]) => result?.outcome);
  expect([count(outcomes, 'held'), count(outcomes, 'already_open')]).toEqual([1, 49]);
  expect(new Set(results.map(([result]) => result?.transactionId)).size).toBe(1);
  expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 9_000, escrow: 1_000 });
});

it('credits a top-up once when 20 completions race, with one invoice', async () => {
  const buyer = await addUser(t, 'buyer');
  const topupId = newId('top');
  await t.app.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
     VALUES ($1, $2, 300, 'INR', 300, 'sandbox')`,
    [topupId, buyer],
  );
  const results = await Promise.all(Array.from({ length: 20 }, () => completeTopups(t.app, [topupId])));
  const outcomes = results.map(([result]) => result?.outcome);
  expect([count(outcomes, 'credited'), count(outcomes, 'already_credited')]).toEqual([1, 19]);
  expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 300 });
});

it('charges the registration fee once for 20 concurrent requests', async () => {
  const developer = await addUser(t, 'developer', 2_500);
  const results = await Promise.all(
    Array.from({ length: 20 }, () => t.ledger.payRegistration(developer, 'trace')),
  );
  const outcomes = results.map(({ outcome }) => outcome);
  expect([count(outcomes, 'paid'), count(outcomes, 'already_paid')]).toEqual([1, 19]);
  expect(await balancesOf(t.app, developer)).toMatchObject({ wallet: 150_000 });
});

it('gives invoices numbers without gaps when many top up at once and some fail', async () => {
  const users = await Promise.all(Array.from({ length: 8 }, () => addUser(t, 'buyer')));
  await Promise.all(
    users.flatMap((user, index) => [
      topUp(t.app, user, 100 + index),
      topUp(t.app, user, 100 + index),
      // A completion that is rolled back must give its number back.
      t.owner.query('BEGIN; SELECT billing_complete_topups(ARRAY[$$top_none$$]); ROLLBACK'),
    ]),
  );
  const client = await t.app.connect();
  const doomed = newId('top');
  await client.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
     VALUES ($1, $2, 300, 'INR', 300, 'sandbox')`,
    [doomed, users[0]],
  );
  await client.query('BEGIN');
  await completeTopups(client, [doomed]);
  await client.query('ROLLBACK');
  client.release();
  await topUp(t.app, users[1]!, 100);
});

it('loses nothing when captures, clawbacks and roll-ups of one developer meet', async () => {
  const developer = await addUser(t, 'developer');
  const buyers = await Promise.all(Array.from({ length: 6 }, () => addUser(t, 'buyer', 500)));
  let done = false;
  const rolling = (async () => {
    while (!done) await t.ledger.rollUp();
  })();
  await Promise.all(
    buyers.map(async (buyer) => {
      for (let call = 0; call < 15; call += 1) {
        const request = holdRequest(buyer, developer, 10);
        await t.ledger.hold([request]);
        const { invocationId } = request;
        await t.ledger.capture([{ invocationId, grossUnits: 1_000, maturesAt: now }]);
        if (call % 3 === 0) await t.ledger.clawback([invocationId]);
      }
    }),
  );
  done = true;
  await rolling;
  await t.ledger.rollUp();
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 6 * 10 * 970 });
  const waiting = await t.app.query('SELECT count(*)::int AS n FROM pending_rollups');
  expect(waiting.rows).toEqual([{ n: 0 }]);
});

it('does not make captures of one developer wait for each other', async () => {
  const developer = await addUser(t, 'developer');
  const [one, two] = await Promise.all([addUser(t, 'buyer', 10), addUser(t, 'buyer', 10)]);
  const requests = [holdRequest(one, developer, 10), holdRequest(two, developer, 10)] as const;
  await t.ledger.hold(requests);
  const client = await t.app.connect();
  await client.query('BEGIN');
  await client.query('SELECT * FROM ledger_capture($1, $2, $3)', [
    [requests[0].invocationId],
    [1_000],
    [now],
  ]);
  // The first capture is not committed; the second must get through all the same.
  const { invocationId } = requests[1];
  const second = await t.ledger.capture([{ invocationId, grossUnits: 1_000, maturesAt: now }]);
  expect(second[0]?.outcome).toBe('captured');
  await client.query('COMMIT');
  client.release();
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 1_940 });
});
