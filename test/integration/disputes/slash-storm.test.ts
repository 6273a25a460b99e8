import { newId } from '../../../src/kit/ids/ids';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import type { Slash } from '../../../src/services/bonds/slashes';
import { deposit } from '../../support/disputes/bonds';
import { registerOperator, succeed } from '../../support/disputes/disputes';
import {
  balance,
  expectWholeLedger,
  putLive,
  putVersion,
  register,
  type TestUser,
} from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

/** The moves of slashes without their workflows: amounts, repetitions, and many at once. */
const PRICES = [1, 3, 7];

const market = useMarket({ operations: false });
let developer: TestUser;
let operator: TestUser;
const agent = useAgent();
let agentId: string;
/** Call → what it was charged, in units. */
const charges = new Map<string, number>();

beforeAll(async () => {
  operator = await registerOperator(market);
  developer = await register(market, 'developer', 50_000);
  const buyers = await Promise.all([1, 2, 3].map(() => register(market, 'buyer', 100)));
  agentId = (await putLive(market, developer.userId, agent.url, { credits: PRICES[0] ?? 1 })).agentId;
  for (const [n, credits] of PRICES.entries()) {
    if (n > 0) await putVersion(market, agentId, agent.url, { credits, version: `1.0.${n}` });
    for (const buyer of buyers) charges.set(await succeed(market, buyer, agentId), credits * 100);
  }
  await deposit(market, developer, 40_000);
});

const apply = async (units: number, invocationIds: readonly string[]): Promise<Slash> =>
  (await order(units, invocationIds, null)).slash;

function order(units: number, invocationIds: readonly string[], idempotencyKey: string | null) {
  return market.container.slashes.apply({
    operatorUserId: operator.userId,
    idempotencyKey,
    agentId,
    units,
    explanation: 'It was so.',
    evidence: null,
    invocationIds,
    traceId: '0'.repeat(32),
    asOf: new Date(),
  });
}

async function end(slash: Slash, decision: 'upheld' | 'overturned' | 'developer_silent'): Promise<Slash> {
  const { slashes } = market.container;
  const about = { slashId: slash.slashId, asOf: new Date().toISOString() };
  if (decision === 'developer_silent') await slashes.recordDeveloperSilent(about);
  else {
    const { textId } = await slashes.prepareRuling(operator.userId, slash.slashId, 'overturned', 'Because.');
    if (decision === 'upheld') {
      const counter = await slashes.prepareCounter(developer.userId, slash.slashId, 'No.', undefined);
      await slashes.recordCounter({ ...about, textId: counter.textId });
    }
    await slashes.recordRuling({ ...about, decision, textId, operatorUserId: operator.userId });
  }
  return slashes.read(slash.slashId);
}

/** Largest remainders, at most the weights, in exact numbers. */
function split(taken: number, weights: [id: string, weight: number][]): Map<string, number> {
  const sum = weights.reduce((all, [, weight]) => all + weight, 0);
  const amount = Math.min(taken, sum);
  const total = BigInt(Math.max(sum, 1));
  const parts = weights.map(([id, weight]) => {
    const product = BigInt(amount) * BigInt(weight);
    return { id, part: Number(product / total), rest: product % total };
  });
  const missing = amount - parts.reduce((all, { part }) => all + part, 0);
  parts.sort((a, b) => (a.rest === b.rest ? (a.id < b.id ? -1 : 1) : a.rest > b.rest ? -1 : 1));
  return new Map(parts.map(({ id, part }, place) => [id, part + (place < missing ? 1 : 0)]));
}

it('splits any amount by what is left of the charges, exactly', async () => {
  const left = new Map(charges);
  const ids = [...charges.keys()];
  for (const [round, amount] of [1, 7, 10, 101, 333, 1_000, 99_999].entries()) {
    const calls = ids.filter((_id, n) => (n + round) % 3 !== 0);
    const weights = calls.map((id): [string, number] => [id, Math.max(0, left.get(id) ?? 0)]);
    const final = await end(await apply(amount, calls), round % 2 === 0 ? 'developer_silent' : 'upheld');
    expect(final.status).toBe('final');
    const refunds = new Map(final.calls.map((call) => [call.invocationId, call.refundUnits ?? -1]));
    expect(refunds).toEqual(new Map([...split(amount, weights)].sort(([a], [b]) => (a < b ? -1 : 1))));
    for (const [id, units] of refunds) left.set(id, (left.get(id) ?? 0) - units);
  }
  await expectWholeLedger(market);
});

it('refunds at most the charge, and gives the bond the rest', async () => {
  const fresh = await register(market, 'buyer', 100);
  const call = await succeed(market, fresh, agentId);
  const before = await balance(market.owner, developer.userId, 'bond');
  const wallet = await balance(market.owner, fresh.userId, 'wallet');
  const final = await end(await apply(4_000, [call]), 'developer_silent');
  const cost = 10_000 - wallet;
  expect(final.calls.map(({ refundUnits }) => refundUnits)).toEqual([cost]);
  expect(await balance(market.owner, fresh.userId, 'wallet')).toBe(10_000);
  expect(await balance(market.owner, developer.userId, 'bond')).toBe(before - cost);
  const again = await end(await apply(4_000, [...charges.keys()].slice(0, 1).concat(call)), 'upheld');
  expect(again.calls.find(({ invocationId }) => invocationId === call)?.refundUnits).toBe(0);
  await expectWholeLedger(market);
});

it('keeps the ledger whole when many are applied, ended and repeated at once', async () => {
  const { slashes } = market.container;
  const fresh = await register(market, 'buyer', 100);
  const calls = await Promise.all([1, 2, 3].map(() => succeed(market, fresh, agentId)));
  const bondBefore = await balance(market.owner, developer.userId, 'bond');
  const applied = await Promise.all([...Array(10).keys()].map((n) => apply(100 * n + 1, calls)));
  expect(await balance(market.owner, developer.userId, 'slash_hold')).toBe(4_510);
  const decisions = ['upheld', 'overturned', 'developer_silent'] as const;
  await Promise.all([
    ...applied.map((slash, n) => end(slash, decisions[n % 3] ?? 'developer_silent')),
    deposit(market, developer, 10),
  ]);
  const repeated = applied.map(({ slashId }) =>
    slashes.recordRuling({
      slashId,
      decision: 'overturned',
      textId: newId('slt'),
      operatorUserId: operator.userId,
      asOf: new Date().toISOString(),
    }),
  );
  const states = (await Promise.all(repeated)).map(({ status }) => status);
  expect(states).toEqual(applied.map((_slash, n) => (n % 3 === 1 ? 'overturned' : 'final')));
  const ended = await Promise.all(applied.map(({ slashId }) => slashes.read(slashId)));
  const refunds = ended.flatMap((slash) => slash.calls.map((call) => call.refundUnits ?? 0));
  const lost = refunds.reduce((sum, units) => sum + units, 0);
  const charged = await market.owner.query<{ units: string }>(
    'SELECT sum(gross_units) AS units FROM earnings WHERE invocation_id = ANY ($1)',
    [calls],
  );
  expect(lost).toBeLessThanOrEqual(Number(charged.rows[0]?.units));
  expect(await balance(market.owner, developer.userId, 'bond')).toBe(bondBefore - lost + 1_000);
  expect(await balance(market.owner, developer.userId, 'slash_hold')).toBe(0);
  await expectWholeLedger(market);
});

it('deducts once for concurrent requests under one key', async () => {
  const fresh = await register(market, 'buyer', 100);
  const calls = await Promise.all([1, 2].map(() => succeed(market, fresh, agentId)));
  const holds = () => balance(market.owner, developer.userId, 'slash_hold');
  await expect(order(5, ['inv_' + 'f'.repeat(32)], 'twice')).rejects.toMatchObject({
    code: 'validation_failed',
  });
  const made = await Promise.all([...Array(10).keys()].map(() => order(5, calls, 'twice')));
  expect(new Set(made.map(({ slash }) => slash.slashId)).size).toBe(1);
  expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(await holds()).toBe(5);
  await expect(order(6, calls, 'twice')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  const other = await order(5, calls, 'once more');
  expect([other.replayed, await holds()]).toEqual([false, 10]);
  for (const { slash } of [...made.slice(0, 1), other]) await end(slash, 'developer_silent');
  await expectWholeLedger(market);
});

it.each([
  [
    'a refund that was recorded and not made',
    'UPDATE slash_calls SET refund_units = refund_units + 1 WHERE refund_units > 0',
    'UPDATE slash_calls SET refund_units = refund_units - 1 WHERE refund_units > 0',
    'slashes',
  ],
  [
    'an overturned slash that was returned to no account',
    `UPDATE slash_calls SET refund_units = 0 WHERE slash_id IN (SELECT slash_id FROM slashes WHERE status = 'overturned')`,
    `UPDATE slash_calls SET refund_units = NULL WHERE slash_id IN (SELECT slash_id FROM slashes WHERE status = 'overturned')`,
    'slashes',
  ],
  [
    'a withdrawal that was recorded and not paid',
    `INSERT INTO bond_withdrawals (withdrawal_id, developer_user_id, requested_units, status, paid_units, requested_at,
       due_at, completed_at, trace_id)
     SELECT 'bwd_' || repeat('a', 32), user_id, 5, 'paid', 5, now(), now(), now(), 'x' FROM users LIMIT 1`,
    `DELETE FROM bond_withdrawals WHERE withdrawal_id = 'bwd_' || repeat('a', 32)`,
    'bonds',
  ],
])('the check of the ledger finds %s', async (_what, forge, undo, proof) => {
  await market.owner.query(forge);
  const report = await checkLedger(market.container.pool);
  await market.owner.query(undo);
  expect(report.proofs.filter(({ total }) => total > 0).map(({ name }) => name)).toEqual([proof]);
  await expectWholeLedger(market);
});
