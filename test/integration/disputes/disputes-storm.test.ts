import { dispute, readDispute, registerOperator, resolve, respond } from '../../support/disputes/disputes';
import { few } from '../../support/ledger/counts';
import type { Behaviour } from '../../support/agents/behaviours';
import {
  balance,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type InvokeReply,
  type LiveAgent,
  type TestUser,
} from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';
import { eventually, realTime } from '../../support/waits';

/**
 * A dispute in the same instant as what ends the call otherwise
 * (docs/life-of-a-call.md#what-fails-and-how-the-call-ends): the hold row decides, the others learn it and change
 * nothing.
 */
/** A multiple of those at once. */
const ROUNDS = few(9, 30);
const CALLS = 2;
const AT_ONCE = 3;
const ANSWERS_AFTER_MS = 150;

const market = useMarket({});
let developer: TestUser;
const agent = useAgent();

beforeAll(async () => {
  developer = await register(market, 'developer');
});
afterEach(() => expectWholeLedger(market));

interface Ended {
  invocationId: string;
  reply: InvokeReply;
  disputes: Awaited<ReturnType<typeof dispute>>[];
}

/** One call, disputed twice at once, so many ms after it has reached the agent or after its end. */
async function race(buyer: TestUser, agentId: string, disputedAfterMs: number | 'its end'): Promise<Ended> {
  const text = `${agentId}-${Math.random()}`;
  const waiting = invoke(market, buyer, agentId, { input: { text } });
  const invocationId = await idOf(text);
  await (disputedAfterMs === 'its end' ? waiting : realTime(disputedAfterMs, 'the moment of the dispute'));
  const disputes = await Promise.all([
    dispute(market, buyer, invocationId),
    dispute(market, buyer, invocationId),
  ]);
  return { invocationId, reply: await waiting, disputes };
}

async function idOf(text: string): Promise<string> {
  const find = () => agent.deliveries.find(({ body }) => body.includes(text));
  await eventually(() => find() !== undefined, 60_000, 2);
  return find()?.invocationId ?? '';
}

async function rounds(behaviour: Behaviour, timeoutMs: number): Promise<{ buyer: TestUser; ended: Ended[] }> {
  agent.behave(behaviour);
  agent.forget();
  const buyer = await register(market, 'buyer', (ROUNDS * CALLS + 2) * 10);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10, timeoutMs });
  const endsAfterMs = behaviour.kind === 'hangs' ? timeoutMs : ANSWERS_AFTER_MS;
  // On a slow machine, all races may have the same winner. One dispute comes much too early, and one too late.
  const late = await race(buyer, agentId, 'its end');
  if (behaviour.kind === 'slow') agent.behave({ ...behaviour, ms: 10_000 });
  const ended: Ended[] = [late, await race(buyer, agentId, 0)];
  agent.behave(behaviour);
  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    // From well before the end to well after it, so that some rounds hit the instant itself.
    const batch = Array.from({ length: AT_ONCE * CALLS }, (_, n) =>
      race(buyer, agentId, endsAfterMs * (0.6 + (0.8 * (round + (n % AT_ONCE))) / ROUNDS)),
    );
    ended.push(...(await Promise.all(batch)));
  }
  return { buyer, ended };
}

/** The answers to both disputes: the status of the one that counted, or the code of both. */
function toldBy({ disputes }: Ended): string {
  const made = disputes.filter(({ status }) => status === 201);
  const refused = disputes.filter(({ status }) => status === 409).map(({ body }) => body.error?.code);
  expect(made.length + refused.length).toBe(2);
  if (made.length === 0) {
    expect(refused).toEqual(['invalid_state', 'invalid_state']);
    return 'invalid_state';
  }
  expect(refused).toEqual(['already_disputed']);
  return made[0]?.body.status ?? '?';
}

/** A call that was accepted and has no hold yet. */
const pendingCall = (id: string, buyer: TestUser, { agentId, versionId }: Omit<LiveAgent, 'signingSecret'>) =>
  market.owner.query(
    `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface,
         status, price_units, input_sha256, owner, trace_id)
       VALUES ($1, $2, $3, $4, $5, '1.0.0', 'invoke', 'pending', 1000, '', 'test', 'trace')`,
    [id, buyer.userId, developer.userId, agentId, versionId],
  );

const tally = (values: string[]) =>
  Object.fromEntries([...new Set(values)].map((v) => [v, values.filter((w) => w === v).length]));

it('a dispute and a success: the call is refunded and withheld, or delivered and a case', async () => {
  const paidBefore = await balance(market.owner, developer.userId, 'payable');
  const { buyer, ended } = await rounds({ kind: 'slow', ms: ANSWERS_AFTER_MS }, 20_000);
  const seen = ended.map((end) => {
    const told = toldBy(end);
    const { status, body } = end.reply;
    if (told === 'won')
      expect([status, body.error?.code, body.output]).toEqual([409, 'already_disputed', undefined]);
    else expect([told, status, body.usage?.credits_charged]).toEqual(['open', 200, 10]);
    return told;
  });
  const counts = tally(seen);
  expect(Object.keys(counts).sort()).toEqual(['open', 'won']);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe((counts['won'] ?? 0) * 1_000);
  expect(await balance(market.owner, buyer.userId, 'escrow')).toBe(0);
  expect((await balance(market.owner, developer.userId, 'payable')) - paidBefore).toBe(
    (counts['open'] ?? 0) * 970,
  );
}, 120_000);

it.each<[string, Behaviour, number, number, string]>([
  [
    'a failure',
    { kind: 'slow', ms: ANSWERS_AFTER_MS, then: { kind: 'status', status: 500 } },
    20_000,
    502,
    'agent_error',
  ],
  ['a timeout', { kind: 'hangs' }, 1_000, 504, 'agent_timeout'],
])(
  'a dispute and %s: everything comes back once, for one of the two reasons',
  async (_what, behaviour, timeoutMs, httpStatus, code) => {
    const { buyer, ended } = await rounds(behaviour, timeoutMs);
    const seen = ended.map((end) => {
      const told = toldBy(end);
      const got = [end.reply.status, end.reply.body.error?.code];
      expect(got).toEqual(told === 'won' ? [409, 'already_disputed'] : [httpStatus, code]);
      return told;
    });
    expect(Object.keys(tally(seen)).sort()).toEqual(['invalid_state', 'won']);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(ended.length * 1_000);
    const { rows } = await market.owner.query<{ n: string }>(
      `SELECT count(*) AS n FROM transactions t JOIN invocations i USING (invocation_id)
     WHERE i.buyer_user_id = $1 AND t.reference LIKE '%/void'`,
      [buyer.userId],
    );
    expect(Number(rows[0]?.n)).toBe(ended.length);
  },
  120_000,
);

it('success, failure, cancellation, sweep and dispute on one hold, straight at the database: one resolution, the same for all', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  const { agentId, versionId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
  const { pool, disputes } = market.container;
  const winners: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = `inv_${String(round).padStart(32, '0')}`;
    await pendingCall(id, buyer, { agentId, versionId });
    await pool.query('SELECT FROM invocation_hold($1, 60000)', [[id]]);
    const settle = {
      invocation_id: id,
      charged_units: 1_000,
      output_sha256: '',
      output_bytes: 1,
      duration_ms: 1,
      matures_after_ms: 60_000,
    };
    const moves = [
      () => pool.query('SELECT FROM invocation_settle($1)', [JSON.stringify([settle])]),
      () =>
        pool.query('SELECT FROM invocation_refund($1)', [
          JSON.stringify([{ invocation_id: id, error_code: 'agent_error' }]),
        ]),
      () => pool.query('SELECT FROM invocation_sweep(0, $1)', [[id]]),
      () => pool.query('SELECT FROM invocation_cancel($1)', [id]),
      ...Array.from(
        { length: 3 },
        () => () =>
          disputes
            .open({
              buyerUserId: buyer.userId,
              invocationId: id,
              reason: 'other',
              description: 'storm',
              traceId: 'trace',
              asOf: new Date(),
            })
            .catch((error: { code?: string }) =>
              expect(['already_disputed', 'invalid_state']).toContain(error.code),
            ),
      ),
    ];
    const shift = round % moves.length;
    await Promise.all([...moves.slice(shift), ...moves.slice(0, shift)].map((move) => move()));
    const { rows } = await pool.query<{ status: string; ends: string; disputes: string }>(
      `SELECT i.status, (SELECT count(*) FROM transactions t WHERE t.invocation_id = $1 AND t.kind <> 'invocation_hold') AS ends,
         (SELECT count(*) FROM disputes d WHERE d.invocation_id = $1) AS disputes FROM invocations i WHERE i.invocation_id = $1`,
      [id],
    );
    const [row] = rows;
    expect(row?.ends).toBe('1');
    expect(row?.disputes).toBe(row?.status === 'failed' ? '0' : '1');
    winners.push(row?.status ?? '?');
  }
  expect(Object.keys(tally(winners)).length).toBeGreaterThan(1);
  const kept = winners.filter((status) => status === 'succeeded').length;
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(100_000 - kept * 1_000);
}, 60_000);

it('a cancellation and what begins or delivers a call, straight at the database: one of them counts', async () => {
  const buyer = await register(market, 'buyer', 100);
  const live = await putLive(market, developer.userId, agent.url, { credits: 10 });
  const { pool } = market.container;
  const one = async (text: string, values: unknown[]) =>
    Object.values((await pool.query<object>(text, values)).rows[0] ?? {})[0] as unknown;
  const cancel = (id: string) => one('SELECT invocation_cancel($1)', [id]);
  const hold = (id: string) => one('SELECT outcome FROM invocation_hold($1, 60000)', [[id]]);
  const deliver = (id: string) => one('SELECT invocation_deliver($1)', [id]);
  const seen: unknown[] = [];
  for (let round = 0; round < 12; round += 1) {
    const id = `inv_c${String(round).padStart(31, '0')}`;
    await pendingCall(id, buyer, live);
    // Half of the rounds begin before the hold, half before the first piece.
    const isHeld = round % 2 === 1;
    if (isHeld) expect(await hold(id)).toBe('held');
    const moves = [() => cancel(id), () => (isHeld ? deliver(id) : hold(id))];
    if (round % 4 > 1) moves.reverse();
    const outcomes = await Promise.all(moves.map((move) => move()));
    seen.push(`${isHeld ? 'held' : 'pending'}: ${outcomes.sort().join(' ')}`);
    if (!outcomes.includes('delivering')) expect(await hold(id)).toBe('failed');
    else
      expect(
        await one('SELECT status FROM invocation_refund($1)', [
          JSON.stringify([{ invocation_id: id, error_code: 'agent_error' }]),
        ]),
      ).toBe('failed');
  }
  const allowed = [
    'held: canceled false',
    'held: delivering true',
    'pending: canceled failed',
    'pending: canceled held',
  ];
  expect(seen.filter((each) => !allowed.includes(String(each)))).toEqual([]);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
}, 60_000);

it('many cases of one developer decided at once: every buyer has exactly the own charge back', async () => {
  const seller = await register(market, 'developer');
  const operator = await registerOperator(market);
  agent.behave({ kind: 'echo' });
  const { agentId } = await putLive(market, seller.userId, agent.url, { credits: 10 });
  const buyers: TestUser[] = [];
  for (let n = 0; n < 6; n += 1) buyers.push(await register(market, 'buyer', 20));
  const cases = await Promise.all(
    buyers.map(async (buyer) => {
      const reply = await invoke(market, buyer, agentId, { input: { text: 'x' } });
      return { buyer, id: (await dispute(market, buyer, reply.body.invocation_id ?? '')).body.dispute_id };
    }),
  );
  await Promise.all(
    cases.map(async ({ buyer, id }, n) => {
      const traffic = invoke(market, buyer, agentId, { input: { text: 'meanwhile' } });
      await respond(market, seller, id, n % 2 === 0 ? 'accept' : 'contest');
      if (n % 2 === 1) await resolve(market, operator, id, n === 1 ? 'developer' : 'buyer');
      expect((await traffic).status).toBe(200);
    }),
  );
  for (const [n, { buyer, id }] of cases.entries()) {
    const { body } = await readDispute(market, buyer, id);
    expect(body.status).toBe(n === 1 ? 'lost' : n % 2 === 0 ? 'accepted' : 'won');
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(n === 1 ? 0 : 1_000);
  }
  expect(await balance(market.owner, seller.userId, 'payable')).toBe(7 * 970);
}, 60_000);
