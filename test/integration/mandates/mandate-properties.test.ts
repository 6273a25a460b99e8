/**
 * Random calls under mandates, in SQL: calls are accepted, held, settled, refunded, failed, disputed and won, one by
 * one against a model, and all at once in batches. The database must agree with the model, and the proofs must hold.
 */
import fc from 'fast-check';
import { newId } from '../../../src/kit/ids/ids';
import { failPending, holdInvocations, refundInvocations } from '../../../src/stores/calls/invocations';
import { acceptInvocations, settleInvocations } from '../../../src/stores/calls/call-batches';
import { listAbandoned, sweepInvocations } from '../../../src/stores/calls/call-owners';
import {
  readMandate,
  revokeMandate,
  type MandateItem,
  type MandateLevelItem,
} from '../../../src/stores/mandates/mandates';
import { expectWholeLedger, putLive, register } from '../../support/market';
import { useMarket } from '../../support/use-market';

const MAX_PRICE = 10;
/** Budget and number of calls of each mandate; the first one is above the others, the third above the fourth. */
const LIMITS = [
  { budget: 40, calls: 8, parent: null },
  { budget: 25, calls: 8, parent: 0 },
  { budget: 30, calls: 4, parent: 0 },
  { budget: 12, calls: 3, parent: 2 },
] as const;

const EXPIRES_AT = new Date(Date.now() + 3_600_000).toISOString();

const market = useMarket({ operations: false });
let agentId: string;
let versionId: string;

beforeAll(async () => {
  const developer = await register(market, 'developer');
  const pricing = {
    model: 'per_token',
    credits_per_1k_tokens: '1',
    max_credits_per_call: MAX_PRICE,
  } as const;
  ({ agentId, versionId } = await putLive(market, developer.userId, 'https://127.77.0.1:9', { pricing }));
});

const call = fc.nat(11);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('accept' as const),
      mandate: fc.nat(3),
      price: fc.nat(MAX_PRICE),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('hold' as const), call }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('settle' as const), call, share: fc.nat(MAX_PRICE) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refund' as const), call }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), call }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('dispute' as const), call }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Call {
  id: string;
  mandate: number;
  price: number;
  status: 'pending' | 'running' | 'succeeded' | 'over';
  charged: number;
}

interface World {
  issuer: string;
  run: string;
  calls: Call[];
}
const idOf = ({ run }: World, n: number) => (n === 0 ? `mdt_${run}` : `sub_${run}_${n}`);

function pathOf(n: number): number[] {
  const parent = LIMITS[n]?.parent ?? null;
  return parent === null ? [n] : [...pathOf(parent), n];
}

function itemOf(world: World, n: number, proofJti: string | null = null): MandateItem {
  const levels = pathOf(n).map((level, index): MandateLevelItem => {
    const parent = LIMITS[level]?.parent ?? null;
    return {
      mandate_id: idOf(world, level),
      jti: idOf(world, level),
      parent_id: parent === null ? null : idOf(world, parent),
      depth: index + 1,
      content_sha256: idOf(world, level),
      kid: 'k'.repeat(43),
      subject: world.issuer,
      max_units: (LIMITS[level]?.budget ?? 0) * 100,
      max_call_units: null,
      max_occurrences: LIMITS[level]?.calls ?? null,
      payees: null,
      not_before: null,
      expires_at: EXPIRES_AT,
    };
  });
  return { caller_user_id: world.issuer, kid: 'k'.repeat(43), proof_jti: proofJti, levels };
}

async function newWorld(): Promise<World> {
  const { userId } = await register(market, 'buyer', 100_000);
  await market.owner.query('INSERT INTO mandate_keys (user_id, kid, public_jwk) VALUES ($1, $2, $3)', [
    userId,
    'k'.repeat(43),
    '{}',
  ]);
  return { issuer: userId, run: newId('evt').slice(4), calls: [] };
}

async function accept(world: World, mandate: number, price: number, proofJti: string | null = null) {
  const id = newId('inv');
  const [result] = await acceptInvocations(market.container.pool, [
    {
      invocation_id: id,
      buyer_user_id: world.issuer,
      agent_id: agentId,
      version_id: versionId,
      surface: 'invoke',
      max_cost_credits: price,
      least_cost_credits: 0,
      idempotency_key: null,
      input_sha256: 'a'.repeat(64),
      input_bytes: 1,
      owner: 'nobody',
      trace_id: 'trace',
      max_in_flight_buyer: 1_000,
      max_in_flight_agent: 1_000,
      max_in_flight_unpaid: 64,
      key_id: null,
      mandate: itemOf(world, mandate, proofJti),
    },
  ]);
  if (result?.outcome === 'accepted') world.calls.push({ id, mandate, price, status: 'pending', charged: 0 });
  return result?.outcome;
}

function settle(ids: string[], charged: (id: string) => number) {
  return settleInvocations(
    market.container.pool,
    ids.map((id) => ({
      invocation_id: id,
      charged_units: charged(id) * 100,
      output_sha256: 'b'.repeat(64),
      output_bytes: 1,
      tokens_in: 1,
      tokens_out: 1,
      duration_ms: 1,
      truncated_by: null,
      answer: null,
      answer_ttl_ms: 0,
      answer_quota: null,
      matures_after_ms: 3_600_000,
    })),
  );
}
const refund = (ids: string[]) =>
  refundInvocations(
    market.container.pool,
    ids.map((id) => ({ invocation_id: id, error_code: 'agent_error' as const, duration_ms: 1 })),
  );

/** Disputes a call, and accepts at once on the developer's side. */
async function dispute(world: World, id: string): Promise<void> {
  const { pool } = market.container;
  const disputeId = newId('dsp');
  await pool.query(
    `SELECT * FROM dispute_open($1, $2, $3, 'other', 'text', 3600000, 3600000, now(), 'trace')`,
    [disputeId, id, world.issuer],
  );
  const { rows } = await pool.query('SELECT FROM disputes WHERE dispute_id = $1', [disputeId]);
  if (rows.length > 0)
    await pool.query(`SELECT * FROM dispute_respond($1, 'silence', NULL, now())`, [disputeId]);
}

function figures(world: World, mandate: number) {
  const own = world.calls.filter((made) => pathOf(made.mandate).includes(mandate));
  const open = own.filter(({ status }) => status === 'pending' || status === 'running');
  const paid = own.filter(({ status }) => status === 'succeeded');
  const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0);
  return {
    reserved: sum(open.map(({ price }) => price)),
    spent: sum(paid.map(({ charged }) => charged)),
    uses: open.length + paid.length,
  };
}

function mayAccept(world: World, mandate: number, price: number): boolean {
  return pathOf(mandate).every((level) => {
    const { reserved, spent, uses } = figures(world, level);
    const { budget, calls } = LIMITS[level] ?? { budget: 0, calls: 0 };
    return reserved + spent + price <= budget && uses < calls;
  });
}

async function perform(world: World, { do: what, ...step }: Step): Promise<void> {
  if ('mandate' in step) {
    const expected = mayAccept(world, step.mandate, step.price) ? 'accepted' : 'mandate_exceeded';
    expect(await accept(world, step.mandate, step.price)).toBe(expected);
    return;
  }
  const made = world.calls[step.call];
  if (!made) return;
  const { status } = made;
  const isOpen = status === 'pending' || status === 'running';
  if (what === 'hold') {
    await holdInvocations(market.container.pool, [made.id], 60_000);
    if (status === 'pending') made.status = 'running';
  } else if (what === 'settle' && status === 'running') {
    made.charged = Math.min(made.price, 'share' in step ? step.share : 0);
    await settle([made.id], () => made.charged);
    made.status = 'succeeded';
  } else if (what === 'refund') {
    await refund([made.id]);
    if (isOpen) made.status = 'over';
  } else if (what === 'fail') {
    await failPending(market.container.pool, made.id, 'engine_unavailable');
    if (status === 'pending') made.status = 'over';
  } else if (what === 'dispute') {
    await dispute(world, made.id);
    made.status = 'over';
  }
}

it('has reserved and spent the sum of its calls after every step of a random course', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const world = await newWorld();
      for (const next of steps) await perform(world, next);
      for (const n of LIMITS.keys()) {
        const row = await readMandate(market.container.pool, world.issuer, idOf(world, n));
        const { reserved, spent, uses } = figures(world, n);
        const seen = {
          reserved: row?.reservedUnits ?? 0,
          spent: row?.spentUnits ?? 0,
          uses: row?.occurrences ?? 0,
        };
        expect(seen).toEqual({ reserved: reserved * 100, spent: spent * 100, uses });
      }
    }),
    { numRuns: 12 },
  );
  await expectWholeLedger(market);
}, 120_000);

it('keeps every budget when batches of calls of several issuers end in any order at once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const worlds = await Promise.all([newWorld(), newWorld()]);
    await Promise.all(
      worlds.flatMap((world) =>
        Array.from({ length: 16 }, (_, n) => accept(world, n % 4, (n * 3) % (MAX_PRICE + 1))),
      ),
    );
    const calls = worlds.flatMap((world) => world.calls);
    expect(calls.length).toBeGreaterThan(8);
    await holdInvocations(
      market.container.pool,
      calls.map(({ id }) => id),
      60_000,
    );
    const prices = new Map(calls.map(({ id, price }) => [id, price]));
    const ids = [...calls].sort((a, b) => (a.id.slice(-6) < b.id.slice(-6) ? -1 : 1)).map(({ id }) => id);
    const batches = Array.from({ length: 4 }, (_, n) => ids.filter((_id, at) => (at + n) % 3 !== 0));
    await Promise.all([
      ...batches.map((batch, n) =>
        n % 2 ? refund([...batch].reverse()) : settle(batch, (id) => prices.get(id) ?? 0),
      ),
      ...worlds.flatMap((world) => Array.from({ length: 8 }, (_, n) => accept(world, n % 4, 2))),
    ]);
    await expectWholeLedger(market);
  }
}, 120_000);

it('accepts a proof once from 30 parallel calls, and none after a revocation', async () => {
  const world = await newWorld();
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => accept(world, 1, 1, 'proof-1')));
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'mandate_invalid')).toHaveLength(29);
  expect(await accept(world, 2, 1, 'proof-1')).toBe('accepted');
  await revokeMandate(market.container.pool, world.issuer, idOf(world, 0), false);
  expect(await accept(world, 1, 1, 'proof-2')).toBe('mandate_invalid');
  await Promise.all(
    world.calls.map(({ id }) => failPending(market.container.pool, id, 'engine_unavailable')),
  );
});

it('releases the reservations of calls that no process drives', async () => {
  const world = await newWorld();
  for (const mandate of [0, 1, 3]) expect(await accept(world, mandate, 5)).toBe('accepted');
  const abandoned = await listAbandoned(market.container.pool, 0, 1_000);
  await sweepInvocations(market.container.pool, 0, abandoned);
  const row = await readMandate(market.container.pool, world.issuer, idOf(world, 0));
  expect(row).toMatchObject({ reservedUnits: 0, spentUnits: 0, occurrences: 0 });
  await expectWholeLedger(market);
});

it('revokes at most 1,000 mandates that were never used, and any number of used ones', async () => {
  const world = await newWorld();
  expect(await accept(world, 1, 1, 'proof-1')).toBe('accepted');
  const { pool, mandates } = market.container;
  await pool.query(
    `INSERT INTO mandate_revocations (issuer_user_id, mandate_id, unused)
     SELECT $1, 'made-up-' || n, true FROM generate_series(1, 999) n`,
    [world.issuer],
  );
  await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => mandates.revoke(world.issuer, `one-more-${id}`)));
  const { rowCount } = await pool.query('SELECT FROM mandate_revocations WHERE issuer_user_id = $1', [
    world.issuer,
  ]);
  expect(rowCount).toBe(1_000);
  await expect(mandates.revoke(world.issuer, 'too-many')).rejects.toMatchObject({ code: 'invalid_state' });
  await mandates.revoke(world.issuer, 'made-up-1');
  await mandates.revoke(world.issuer, idOf(world, 0));
  expect(await accept(world, 1, 1, 'proof-2')).toBe('mandate_invalid');
  await Promise.all(world.calls.map(({ id }) => failPending(pool, id, 'engine_unavailable')));
});
