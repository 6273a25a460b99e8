/**
 * A random mixture of everything that moves credits of calls, from nine connections at once: payments and their
 * reversals, calls of persons and of members of organisations with keys, budgets, mandates and quotes, settlements,
 * failures, cancellations, disputes with whole and partial refunds, offers, slashes, payouts that arrive, fail or come
 * back, price changes with and without notice, and roll-ups. Nothing is predicted, but no money may appear, vanish or
 * be promised twice, no figure may be wrong, and nothing may dead-lock.
 */
import type { Pool } from 'pg';
import { newId } from '../../../src/kit/ids/ids';
import { INVOCATION_PROOFS, LEDGER_PROOFS, runProof } from '../../../src/stores/ledger/ledger-checks';
import { acceptAndPermit, settleInvocations } from '../../../src/stores/calls/call-batches';
import { cancelInvocation, refundInvocations } from '../../../src/stores/calls/invocations';
import type { MandateItem } from '../../../src/stores/mandates/mandates';
import { makeKey } from '../../support/accounts/keys';
import { company, memberKey, setBudget } from '../../support/accounts/members';
import { deposit } from '../../support/disputes/bonds';
import { registerOperator } from '../../support/disputes/disputes';
import { part } from '../../support/ledger/counts';
import { createPayoutMoves, type PayoutMoves } from '../../support/ledger/payout-moves';
import { type Random, randomOf } from '../../support/ledger/random';
import { expectWholeLedger, putLive, putVersion, register } from '../../support/market';
import { testPool } from '../../support/stack/pool';
import { useMarket } from '../../support/use-market';

const CONNECTIONS = 9;
const OPERATIONS = part(3_600, 100_000);
const MAX_PRICE = 10;
/** Calls, disputes and slashes that are still chosen from. */
const REMEMBERED = 30;

const market = useMarket({ operations: false });
let pool: Pool;
let operatorId: string;
let payoutMoves: PayoutMoves;
interface Agent {
  agentId: string;
  versionId: string;
  developerId: string;
  versions: number;
}
const agents: Agent[] = [];
interface Buyer {
  userId: string;
  keyIds: (string | null)[];
  /** Of an organisation: those who call by sessions. */
  memberIds?: string[];
}
const buyers: Buyer[] = [];

beforeAll(async () => {
  pool = testPool(market.database.appUrl, { max: CONNECTIONS });
  operatorId = (await registerOperator(market)).userId;
  const pricing = {
    model: 'per_token',
    credits_per_1k_tokens: '1',
    max_credits_per_call: MAX_PRICE,
  } as const;
  for (let n = 0; n < 2; n += 1) {
    const developer = await register(market, 'developer', 2_000);
    const live = await putLive(market, developer.userId, 'https://127.77.0.1:9', { pricing });
    await deposit(market, developer, 500);
    agents.push({ ...live, developerId: developer.userId, versions: 0 });
  }
  payoutMoves = createPayoutMoves(
    pool,
    agents.map(({ developerId }) => developerId),
  );
  await payoutMoves.setMethods();
  // So that the earnings of a few calls are paid.
  await market.owner.query(`UPDATE payout_rails SET minimum_units = 100 WHERE method = 'ach'`);
  for (let n = 0; n < 4; n += 1) {
    const buyer = await register(market, 'buyer', 2_000);
    const capped = await makeKey(market, buyer, { credit_cap: 400 });
    const daily = await makeKey(market, buyer, { credit_cap: 300, credit_cap_window: 'day' });
    await addBuyer({ userId: buyer.userId, keyIds: [null, capped.key_id, daily.key_id] });
  }
  for (let n = 0; n < 2; n += 1) await addCompany();
}, 120_000);

async function addBuyer(buyer: Buyer): Promise<void> {
  buyers.push(buyer);
  for (const [tag, cap, window] of [
    [null, 90_000_000, 'month'],
    ['project=atlas', 500_000, 'day'],
  ] as const)
    await pool.query('SELECT budget_add($1, $2, $3, $4, $5)', [buyer.userId, newId('bgt'), tag, cap, window]);
  await market.owner.query('INSERT INTO mandate_keys (user_id, kid, public_jwk) VALUES ($1, $2, $3)', [
    buyer.userId,
    'k'.repeat(43),
    '{}',
  ]);
}

/** An organisation with two members who have budgets and keys, and one key of its own. */
async function addCompany(): Promise<void> {
  const { orgId, members } = await company(market, ['owner', 'buyer'], 2_000);
  const keyIds: (string | null)[] = [null];
  for (const [member, window] of [
    [members.owner, 'month'],
    [members.buyer, 'day'],
  ] as const) {
    await setBudget(market, { orgId, by: members.owner, member }, { credits: 300, window });
    for (const wish of [{ credit_cap: 400 }, {}])
      keyIds.push((await memberKey(market, orgId, member, wish)).key_id);
  }
  const { key_id: own } = await memberKey(market, orgId, members.owner);
  await market.owner.query('UPDATE api_keys SET created_by = NULL WHERE key_id = $1', [own]);
  await addBuyer({
    userId: orgId,
    keyIds: [...keyIds, own],
    memberIds: Object.values(members).map(({ userId }) => userId),
  });
}
afterAll(() => pool.end());

interface Call {
  id: string;
  buyer: Buyer;
  agentId: string;
  priceUnits: number;
}
interface Case {
  id: string;
  offerId?: string;
}
const calls: Call[] = [];
const cases: Case[] = [];
const slashes: string[] = [];
const payments: { id: string; minor: number }[] = [];

function remember<T>(list: T[], one: T): void {
  list.push(one);
  if (list.length > REMEMBERED) list.shift();
}

const mandateOf = ({ userId }: Buyer): MandateItem => ({
  caller_user_id: userId,
  kid: 'k'.repeat(43),
  proof_jti: null,
  levels: [
    {
      mandate_id: `mdt_${userId}`,
      jti: `mdt_${userId}`,
      parent_id: null,
      depth: 1,
      content_sha256: 'c',
      kid: 'k'.repeat(43),
      subject: userId,
      max_units: 20_000,
      max_call_units: null,
      max_occurrences: null,
      payees: null,
      not_before: null,
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
  ],
});

const pick = <T>(random: Random, list: readonly T[]): T | undefined => list[random(list.length || 1)];

async function accept(random: Random): Promise<string> {
  const buyer = pick(random, buyers)!;
  const { agentId, versionId } = pick(random, agents)!;
  const key = pick(random, buyer.keyIds) ?? null;
  const member = key === null ? pick(random, buyer.memberIds ?? []) : undefined;
  const id = newId('inv');
  const isQuoted = random(5) === 0;
  const quoteId = newId('quo');
  if (isQuoted)
    await pool.query(
      `INSERT INTO price_quotes (quote_id, user_id, agent_id, version_id, input_sha256, is_former, expires_at)
       VALUES ($1, $2, $3, $4, $5, false, now() + interval '10 minutes')`,
      [quoteId, buyer.userId, agentId, versionId, 'a'.repeat(64)],
    );
  const [result] = await acceptAndPermit(pool, [
    {
      invocation_id: id,
      buyer_user_id: buyer.userId,
      agent_id: agentId,
      version_id: versionId,
      surface: 'invoke',
      max_cost_credits: 1 + random(MAX_PRICE),
      least_cost_credits: 0,
      idempotency_key: null,
      input_sha256: 'a'.repeat(64),
      input_bytes: 1,
      owner: 'nobody',
      trace_id: 'trace',
      max_in_flight_buyer: 1_000,
      max_in_flight_agent: 1_000,
      max_in_flight_unpaid: 64,
      key_id: key,
      ...(member !== undefined && { member_user_id: member }),
      mandate: key === null && random(3) === 0 ? mandateOf(buyer) : null,
      lease_ms: 3_600_000,
      ...(random(3) === 0 && { metadata: { project: 'atlas' } }),
      ...(isQuoted && { quote_id: quoteId }),
    },
  ]);
  if (result?.outcome === 'accepted') remember(calls, { id, buyer, agentId, priceUnits: result.priceUnits });
  return result?.outcome ?? 'none';
}

async function settle(random: Random): Promise<string> {
  const call = pick(random, calls);
  if (!call) return 'none';
  const [state] = await settleInvocations(pool, [
    {
      invocation_id: call.id,
      charged_units: Math.min(call.priceUnits, random(MAX_PRICE + 1) * 100),
      output_sha256: 'b'.repeat(64),
      output_bytes: 1,
      tokens_in: 1,
      tokens_out: 1,
      duration_ms: 1 + random(900),
      truncated_by: null,
      answer: null,
      answer_ttl_ms: 0,
      answer_quota: null,
      matures_after_ms: random(2) === 0 ? 0 : 3_600_000,
    },
  ]);
  return state?.status ?? 'none';
}

async function one(text: string, values: unknown[]): Promise<string> {
  const { rows } = await pool.query<{ outcome: string }>(text, values);
  return rows[0]?.outcome ?? 'none';
}

async function openDispute(random: Random): Promise<string> {
  const call = pick(random, calls);
  if (!call) return 'none';
  const id = newId('dsp');
  const outcome = await one(
    `SELECT outcome FROM dispute_open($1, $2, $3, 'other', 'text', 3600000, 3600000, now(), 'trace')`,
    [id, call.id, call.buyer.userId],
  );
  if (outcome === 'opened') remember(cases, { id });
  return outcome;
}

async function respond(random: Random): Promise<string> {
  const found = pick(random, cases);
  if (!found) return 'none';
  const decision = ['contest', 'contest', 'contest', 'accept', 'silence'][random(5)];
  const offerId = decision === 'contest' && random(2) === 0 ? newId('dof') : null;
  if (offerId) found.offerId = offerId;
  const units = offerId ? 1 + random(400) : null;
  return one('SELECT outcome FROM dispute_respond($1, $2, NULL, now(), $3, $4)', [
    found.id,
    decision,
    offerId,
    units,
  ]);
}

async function offer(random: Random): Promise<string> {
  const found = pick(random, cases);
  if (!found) return 'none';
  const offerId = newId('dof');
  const outcome = await one('SELECT outcome FROM dispute_offer($1, $2, $3, NULL, now())', [
    found.id,
    offerId,
    1 + random(400),
  ]);
  if (outcome === 'offered') found.offerId = offerId;
  return outcome;
}

async function answer(random: Random): Promise<string> {
  const found = pick(random, cases);
  if (!found?.offerId) return 'none';
  const decision = random(2) === 0 ? 'decline' : 'accept';
  return one('SELECT outcome FROM dispute_offer_answer($1, $2, $3, now())', [
    found.id,
    found.offerId,
    decision,
  ]);
}

async function resolve(random: Random): Promise<string> {
  const found = pick(random, cases);
  if (!found) return 'none';
  const decision = random(3) === 0 ? 'developer' : 'buyer';
  const units = decision === 'buyer' && random(3) > 0 ? 1 + random(400) : null;
  return one('SELECT outcome FROM dispute_resolve($1, $2, NULL, $3, now(), $4)', [
    found.id,
    decision,
    operatorId,
    units,
  ]);
}

async function slash(random: Random): Promise<string> {
  const call = pick(random, calls);
  if (!call) return 'none';
  if (random(2) === 0 && slashes.length > 0) {
    const id = pick(random, slashes);
    const isOverturned = random(3) === 0;
    const textId = isOverturned ? newId('slt') : null;
    if (textId)
      await pool.query(
        'INSERT INTO slash_texts (text_id, slash_id, author_user_id, body) VALUES ($1, $2, $3, $4)',
        [textId, id, operatorId, 'text'],
      );
    return one('SELECT status AS outcome FROM slash_resolve($1, $2, $3, $4, now())', [
      id,
      isOverturned ? 'overturned' : 'developer_silent',
      textId,
      isOverturned ? operatorId : null,
    ]);
  }
  const of = calls.filter(({ agentId }) => agentId === call.agentId).slice(0, 1 + random(3));
  const id = newId('slh');
  const outcome = await one(
    `SELECT outcome FROM slash_order(NULL, NULL, $1, $2, $3, $4, 'affected', 'text', '{}', $5, 3600000, 3600000, 'trace', now())`,
    [id, operatorId, call.agentId, 1 + random(700), of.map((each) => each.id)],
  );
  if (outcome === 'applied') remember(slashes, id);
  return outcome;
}

async function pay(random: Random): Promise<string> {
  const buyer = pick(random, buyers)!;
  const topupId = newId('top');
  const paymentId = `pay_${topupId.slice(4)}`;
  const minor = 1_000 + random(20_000);
  await pool.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
     VALUES ($1, $2, $3, 'INR', $3, 'razorpay')`,
    [topupId, buyer.userId, minor],
  );
  const outcome = await one(`SELECT payment_record('razorpay', $1, 'paid', $2, $3, $4, 'INR') AS outcome`, [
    newId('evt'),
    paymentId,
    topupId,
    minor,
  ]);
  remember(payments, { id: paymentId, minor });
  return outcome;
}

async function reverse(random: Random): Promise<string> {
  const payment = pick(random, payments);
  if (!payment) return 'none';
  const step = random(4) === 0 ? 'return' : 'take';
  return one(`SELECT payment_reverse('razorpay', $1, 'x', $2, 'dispute', $3, $4, $5, 'INR') AS outcome`, [
    newId('evt'),
    `disp_${payment.id}`,
    step,
    payment.id,
    payment.minor,
  ]);
}

let isPublishing = false;

/** A version with another price, with a notice of a rise or at once; calls of the former version are still accepted. */
async function reprice(random: Random): Promise<string> {
  if (isPublishing) return 'busy';
  isPublishing = true;
  try {
    const agent = pick(random, agents)!;
    agent.versions += 1;
    const most = 2 + random(MAX_PRICE);
    agent.versionId = await putVersion(market, agent.agentId, 'https://127.77.0.1:9', {
      version: `1.${agent.versions}.0`,
      pricing: { model: 'per_token', credits_per_1k_tokens: '1', max_credits_per_call: most },
      priceNoticeMs: random(2) * 500,
    });
    return 'live';
  } finally {
    isPublishing = false;
  }
}

const rollUp = async (random: Random): Promise<string> => {
  const statements = [
    'SELECT ledger_roll_up(50)',
    'SELECT usage_roll_up(500)',
    'SELECT earning_days_roll_up(500)',
    'SELECT buyer_days_dispute(500)',
  ];
  await pool.query(statements[random(statements.length)]!);
  return 'rolled';
};

/** Each with its weight. */
const MOVES: [name: string, weight: number, move: (random: Random) => Promise<string>][] = [
  ['accept', 30, accept],
  ['settle', 34, settle],
  [
    'fail',
    3,
    async (random) => {
      const call = pick(random, calls);
      if (!call) return 'none';
      const item = { invocation_id: call.id, error_code: 'agent_error' as const, duration_ms: 1 };
      return (await refundInvocations(pool, [item]))[0]?.status ?? 'none';
    },
  ],
  [
    'cancel',
    2,
    async (random) => {
      const call = pick(random, calls);
      return call ? cancelInvocation(pool, call.id) : 'none';
    },
  ],
  ['dispute', 14, openDispute],
  ['respond', 10, respond],
  ['offer', 6, offer],
  ['answer', 10, answer],
  ['resolve', 8, resolve],
  ['slash', 5, slash],
  ['pay', 2, pay],
  ['reverse', 1, reverse],
  ['reserve', 4, (random) => payoutMoves.reserve(random)],
  ['pay out', 3, (random) => payoutMoves.payOut(random)],
  ['reprice', 1, reprice],
  ['roll up', 2, rollUp],
];
const BAG = MOVES.flatMap(([name, weight, move]) => Array.from({ length: weight }, () => ({ name, move })));

const MUST_MEET = [
  'accept: accepted',
  'settle: succeeded',
  'dispute: opened',
  'dispute: refunded',
  'respond: responded',
  'offer: offered',
  'offer: not_contested',
  'answer: accepted',
  'answer: declined',
  'answer: no_offer',
  'resolve: resolved',
  'resolve: not_contested',
  'slash: applied',
  'slash: final',
  'pay: credited',
  'reverse: taken',
  'reserve: pending',
  'pay out: paid',
  'pay out: failed',
  'pay out: came back',
  'reprice: live',
];

it(
  'keeps every proof, the incremental ones too, when nine connections do all of it at once',
  async () => {
    const seed = Date.now() & 0x7fffffff;
    const seen = new Map<string, number>();
    let left = OPERATIONS;
    const work = async (worker: number) => {
      const random = randomOf(seed + worker);
      // Some outcomes are rare: where one is missing, the mixture goes on.
      const isMissing = () => MUST_MEET.some((outcome) => !seen.has(outcome));
      while (left > 0 || (left > -2 * OPERATIONS && isMissing())) {
        left -= 1;
        const { name, move } = BAG[random(BAG.length)]!;
        const outcome = `${name}: ${await move(random)}`;
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, worker) => work(worker)));
    expect({ seed, unmet: MUST_MEET.filter((outcome) => !seen.has(outcome)) }).toEqual({ seed, unmet: [] });
    const { rows } = await pool.query<{ parts: string; wholes: string }>(
      `SELECT count(*) FILTER (WHERE returned_units IS NOT NULL) AS parts,
              count(*) FILTER (WHERE clawed_back_at IS NOT NULL) AS wholes FROM earnings`,
    );
    expect(Number(rows[0]?.parts)).toBeGreaterThan(OPERATIONS / 1_000);
    expect(Number(rows[0]?.wholes)).toBeGreaterThan(OPERATIONS / 1_000);
    await expectWholeLedger(market);
    const firstDay = new Date(Date.now() - 3_600_000).toISOString().slice(0, 10);
    for (const proof of [...LEDGER_PROOFS, ...INVOCATION_PROOFS])
      if (proof.window)
        expect([proof.name, await runProof(pool, proof, 5, { firstDay })]).toEqual([
          proof.name,
          { findings: [], total: 0 },
        ]);
  },
  part(180_000, 1_200_000),
);
