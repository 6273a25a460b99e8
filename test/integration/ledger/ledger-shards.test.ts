import { createHash } from 'node:crypto';
import { newId } from '../../../src/kit/ids/ids';
import { recordReversal } from '../../../src/stores/billing/payment-reversals';
import { recordPayment } from '../../../src/stores/billing/payments';
import { completeTopups } from '../../../src/stores/ledger/ledger-moves';
import {
  addUser,
  balancesOf,
  expectWhole,
  ledgerCalls,
  startLedger,
  type TestLedger,
} from '../../support/ledger/ledger';

/**
 * The ledger divided by buyer (docs/operators/more-machines.md): two databases with the same functions, and a transfer
 * between them. It leaves the first as a refund and enters the second as a top-up; `cash` of both is the transfer
 * account.
 */
let from: TestLedger;
let to: TestLedger;

beforeAll(async () => {
  [from, to] = await Promise.all([startLedger(4), startLedger(4)]);
});
afterAll(() => Promise.all([from.stop(), to.stop()]));

interface Buyer {
  /** Their account on either shard. */
  here: string;
  there: string;
  paymentId: string;
}

const PAID_MINOR = 100_000;

/** A buyer with an account on both shards and 1,000 credits on the first. */
async function newBuyer(): Promise<Buyer> {
  const [here, there] = await Promise.all([addUser(from, 'buyer'), addUser(to, 'buyer')]);
  const topupId = newId('top');
  const paymentId = `pay_${topupId}`;
  await from.app.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
     VALUES ($1, $2, $3, 'INR', $3, 'razorpay')`,
    [topupId, here, PAID_MINOR],
  );
  const event = { provider: 'razorpay', eventId: paymentId, type: 'paid' } as const;
  const payment = { id: paymentId, amountMinor: PAID_MINOR, currency: 'INR', reference: topupId };
  expect(await recordPayment(from.app, event, payment)).toBe('credited');
  return { here, there, paymentId };
}

interface Transfer {
  id: string;
  buyer: Buyer;
  units: number;
}

/** First side: the credits leave, once for each id. */
const leave = ({ id, buyer, units }: Transfer) =>
  recordReversal(
    from.app,
    { provider: 'razorpay', eventId: id, type: 'transfer' },
    { id, kind: 'refund', step: 'take', paymentId: buyer.paymentId, amountMinor: units, currency: 'INR' },
  );

/**
 * Second side: the credits arrive, once for each id, because the id of the top-up follows from that of the transfer.
 */
async function arrive({ id, buyer, units }: Transfer): Promise<string | undefined> {
  const topupId = `top_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
  await to.app.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
     VALUES ($1, $2, $3, 'INR', $3, 'sandbox') ON CONFLICT DO NOTHING`,
    [topupId, buyer.there, units],
  );
  const [result] = await completeTopups(to.app, [topupId]);
  return result?.outcome;
}

/** The transfers that left the first shard and have not arrived at the second. */
async function carryOver(transfers: readonly Transfer[]): Promise<void> {
  const { rows } = await from.app.query<{ reversal_id: string }>(
    `SELECT reversal_id FROM payment_reversals WHERE state = 'taken' AND reversal_id = ANY ($1)`,
    [transfers.map(({ id }) => id)],
  );
  const left = new Set(rows.map(({ reversal_id: id }) => id));
  for (const transfer of transfers.filter(({ id }) => left.has(id))) await arrive(transfer);
}

async function money(): Promise<{ cash: number; fees: number }> {
  const [one, other] = await Promise.all([balancesOf(from.app, null), balancesOf(to.app, null)]);
  const sum = (kind: string) => (one[kind] ?? 0) + (other[kind] ?? 0);
  return { cash: sum('cash'), fees: sum('fees') };
}

const walletsOf = async ({ here, there }: Buyer) => [
  (await balancesOf(from.app, here))['wallet'],
  (await balancesOf(to.app, there))['wallet'],
];

async function expectBothWhole(): Promise<void> {
  await Promise.all([expectWhole(from.app), expectWhole(to.app)]);
}

const transferOf = (buyer: Buyer, units: number): Transfer => ({ id: newId('evt'), buyer, units });

it('moves credits between two ledgers without making or losing any', async () => {
  const buyer = await newBuyer();
  const before = await money();
  const transfer = transferOf(buyer, 30_000);
  expect(await leave(transfer)).toBe('taken');
  expect(await arrive(transfer)).toBe('credited');
  expect(await walletsOf(buyer)).toEqual([70_000, 30_000]);
  expect(await money()).toEqual(before);
  await expectBothWhole();
});

it('is whole on both sides when a crash falls between them, and arrives once', async () => {
  const buyer = await newBuyer();
  const before = await money();
  const transfer = transferOf(buyer, 25_000);
  await leave(transfer);
  // The crash: the credits are on their way, and each ledger holds for itself.
  expect(await walletsOf(buyer)).toEqual([75_000, 0]);
  expect((await money()).cash - before.cash).toBe(25_000);
  await expectBothWhole();
  // Three processes find it at once, after the restart.
  await Promise.all([1, 2, 3].map(async () => (await leave(transfer), carryOver([transfer]))));
  expect(await walletsOf(buyer)).toEqual([75_000, 25_000]);
  expect(await money()).toEqual(before);
  await expectBothWhole();
});

it('credits nothing for a transfer that never left', async () => {
  const buyer = await newBuyer();
  await carryOver([transferOf(buyer, 1_000)]);
  expect(await walletsOf(buyer)).toEqual([100_000, 0]);
});

it('pays for calls on the shard that the credits moved to, while others move', async () => {
  const buyer = await newBuyer();
  const developer = await addUser(to, 'developer');
  const before = await money();
  const transfers = [10_000, 20_000, 30_000].map((units) => transferOf(buyer, units));
  for (const transfer of transfers) await leave(transfer);
  await carryOver(transfers.slice(0, 2));
  const calls = ledgerCalls(() => ({
    ledger: to.ledger,
    buyer: buyer.there,
    developer,
    maturesAt: new Date(Date.now() + 86_400_000),
  }));
  const paid = await calls.held(100);
  await Promise.all([calls.capture(paid, 100), carryOver(transfers)]);
  await to.ledger.rollUp();
  expect(await walletsOf(buyer)).toEqual([40_000, 50_000]);
  expect((await balancesOf(to.app, developer))['payable']).toBe(9_700);
  const after = await money();
  expect(after.cash).toBe(before.cash);
  expect(after.fees - before.fees).toBe(300);
  await expectBothWhole();
});
