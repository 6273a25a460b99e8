import fc from 'fast-check';
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
import { few } from '../../support/ledger/counts';
import { payByX402, sendBack } from '../../support/x402/movements';
import { LedgerModel } from './ledger-model';

/**
 * Random movements of a ledger. In sequence a model predicts every outcome and every balance; in parallel nothing is
 * predicted, but no money may appear, vanish or be promised twice, and nothing may dead-lock.
 */
let t: TestLedger;

beforeAll(async () => {
  t = await startLedger(8);
});
afterAll(() => t.stop());

const user = fc.nat(3);
const call = fc.nat(7);
const credits = fc.nat(30);
/** Indexes are small, so that steps meet each other: the same call held twice, captured after a void, and so on. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('topUp' as const),
      user,
      units: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constant(100_000)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('hold' as const), user, developer: fc.nat(1), call, credits }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('capture' as const), call, share: fc.nat(10) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('void' as const), call, disputed: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('clawback' as const), call }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('part' as const),
      call,
      units: fc.integer({ min: 1, max: 2_500 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('x402' as const),
      user,
      units: fc.integer({ min: 1, max: 3_000 }),
      settles: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('sendBack' as const),
      user,
      units: fc.integer({ min: 1, max: 3_000 }),
      fails: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fee' as const), user }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollUp' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface World {
  /** Two developers, then two buyers. All of them may buy, developers also from themselves. */
  users: string[];
  calls: string[];
  terms: Map<number, { user: number; developer: number; credits: number }>;
}

async function newWorld(): Promise<World> {
  const roles = ['developer', 'developer', 'buyer', 'buyer'] as const;
  const users = [];
  for (const role of roles) users.push(await addUser(t, role));
  return { users, calls: Array.from({ length: 8 }, () => newId('inv')), terms: new Map() };
}

/** Runs one step; the outcome that Postgres gives, or undefined for a step that makes no sense yet. */
async function run(world: World, s: Step): Promise<string | undefined> {
  switch (s.do) {
    case 'topUp':
      await topUp(t.app, world.users[s.user]!, s.units);
      return 'credited';
    case 'hold': {
      // A call keeps its first terms: the caller never asks for one call with two prices.
      const terms = world.terms.get(s.call) ?? { user: s.user, developer: s.developer, credits: s.credits };
      world.terms.set(s.call, terms);
      const request = holdRequest(world.users[terms.user]!, world.users[terms.developer]!, terms.credits);
      return (await t.ledger.hold([{ ...request, invocationId: world.calls[s.call]! }]))[0]?.outcome;
    }
    case 'capture': {
      const held = world.terms.get(s.call)?.credits ?? 0;
      const grossUnits = Math.floor((held * s.share) / 10) * 100;
      const items = [{ invocationId: world.calls[s.call]!, grossUnits, maturesAt: new Date() }];
      return (await t.ledger.capture(items))[0]?.outcome;
    }
    case 'void':
      return (await t.ledger.voidHold([{ invocationId: world.calls[s.call]!, disputed: s.disputed }]))[0]
        ?.outcome;
    case 'clawback':
      return (await t.ledger.clawback([world.calls[s.call]!]))[0]?.outcome;
    case 'part':
      return (await t.ledger.clawback([world.calls[s.call]!], [s.units]))[0]?.outcome;
    case 'x402':
      return payByX402(t.app, world.users[s.user]!, s.units, s.settles);
    case 'sendBack':
      return sendBack(t.app, world.users[s.user]!, s.units, s.fails);
    case 'fee':
      return (await t.ledger.payRegistration(world.users[s.user]!, 'trace')).outcome;
    case 'rollUp':
      await t.ledger.rollUp();
      return undefined;
  }
}

function predict(model: LedgerModel, world: World, s: Step): string | undefined {
  switch (s.do) {
    case 'topUp':
      return model.topUp(s.user, s.units);
    case 'hold': {
      const terms = world.terms.get(s.call) ?? { user: s.user, developer: s.developer, credits: s.credits };
      return model.hold(s.call, terms.user, terms.developer, terms.credits * 100);
    }
    case 'capture':
      return model.capture(
        s.call,
        Math.floor(((world.terms.get(s.call)?.credits ?? 0) * s.share) / 10) * 100,
      );
    case 'void':
      return model.voidHold(s.call, s.disputed);
    case 'clawback':
      return model.clawback(s.call);
    case 'part':
      return model.clawback(s.call, s.units);
    case 'x402':
      return s.settles ? model.payByX402(s.user, s.units) : 'released';
    case 'sendBack':
      return model.sendBack(s.user, s.units, s.fails);
    case 'fee':
      return model.payFee(s.user, s.user < 2);
    case 'rollUp':
      return undefined;
  }
}

const MUST_MEET = [
  ...['held', 'insufficient', 'already_open', 'already_resolved'].map((outcome) => `hold: ${outcome}`),
  ...['captured', 'already_captured', 'already_voided', 'already_disputed', 'no_hold'].map(
    (o) => `capture: ${o}`,
  ),
  ...['voided', 'disputed', 'already_captured', 'no_hold'].map((outcome) => `void: ${outcome}`),
  ...['clawed_back', 'already_clawed_back', 'not_captured', 'no_hold'].map(
    (outcome) => `clawback: ${outcome}`,
  ),
  ...['returned_in_part', 'clawed_back', 'already_clawed_back', 'not_captured'].map((o) => `part: ${o}`),
  ...['settled', 'released'].map((outcome) => `x402: ${outcome}`),
  ...['sent', 'returned', 'insufficient'].map((outcome) => `sendBack: ${outcome}`),
  ...['paid', 'insufficient', 'not_a_developer'].map((outcome) => `fee: ${outcome}`),
];

it('does what the model says, step by step', async () => {
  const seen = new Set<string>();
  const unmet = () => MUST_MEET.filter((outcome) => !seen.has(outcome));
  const property = fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80 }), async (steps) => {
    const world = await newWorld();
    const model = new LedgerModel(4);
    const before = await balancesOf(t.app, null);
    for (const s of steps) {
      const expected = predict(model, world, s);
      if (expected !== undefined) seen.add(`${s.do}: ${expected}`);
      expect([s, await run(world, s)]).toEqual([s, expected]);
    }
    for (const [index, userId] of world.users.entries()) {
      expect(await balancesOf(t.app, userId)).toMatchObject(model.users[index]!);
    }
    const after = await balancesOf(t.app, null);
    const moved = Object.fromEntries(Object.keys(after).map((kind) => [kind, after[kind]! - before[kind]!]));
    expect(moved).toEqual({ ...model.service, topup_clearing: 0, payout_clearing: 0 });
    await expectWhole(t.app);
  });
  await fc.assert(property, { numRuns: few(20, 40), endOnFailure: false });
  // Lives that never met these would prove little; chance may keep one away for long.
  for (let more = 0; more < 10 && unmet().length > 0; more += 1) await fc.assert(property, { numRuns: 10 });
  expect(unmet()).toEqual([]);
}, 180_000);

it('keeps every proof when 8 connections do it at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 10, maxLength: 30 }), { minLength: 8, maxLength: 8 }),
      async (lives) => {
        const world = await newWorld();
        for (const userId of world.users) await topUp(t.app, userId, 100_000);
        // The terms of a call are settled before the race: who asks for it, asks for the same.
        for (let index = 0; index < 8; index += 1) {
          world.terms.set(index, { user: index % 4, developer: index % 2, credits: index * 3 });
        }
        const outcomes = await Promise.all(
          lives.map(async (steps) => {
            const seen = [];
            for (const s of steps) seen.push(await run(world, s));
            return seen;
          }),
        );
        await expectWhole(t.app);
        const wins = outcomes
          .flat()
          .filter((outcome) => outcome === 'captured' || outcome === 'voided' || outcome === 'disputed');
        const resolved = await t.app.query(
          `SELECT 1 FROM holds WHERE invocation_id = ANY ($1) AND state <> 'open'`,
          [world.calls],
        );
        expect(wins).toHaveLength(resolved.rows.length);
      },
    ),
    { numRuns: few(6, 12), endOnFailure: true },
  );
}, 180_000);

it('never answers twice for one top-up, whatever the batch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(5), { minLength: 1, maxLength: 20 }), async (picks) => {
      const buyer = await addUser(t, 'buyer');
      const ids = Array.from({ length: 6 }, () => newId('top'));
      for (const [index, id] of ids.entries()) {
        await t.app.query(
          `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
           VALUES ($1, $2, $3, 'INR', $3, 'sandbox')`,
          [id, buyer, index + 1],
        );
      }
      const results = await completeTopups(
        t.app,
        picks.map((pick) => ids[pick]!),
      );
      expect(results.map(({ outcome }) => outcome)).toEqual(
        picks.map((pick, index) => (picks.indexOf(pick) === index ? 'credited' : 'already_credited')),
      );
      const sum = [...new Set(picks)].reduce((total, pick) => total + pick + 1, 0);
      expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: sum });
    }),
    { numRuns: 10 },
  );
  await expectWhole(t.app);
});
