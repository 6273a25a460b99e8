import { setTimeout as sleep } from 'node:timers/promises';
import { checkLedger } from '../../src/services/ledger-check';
import {
  dispute,
  readDispute,
  registerOperator,
  resolve,
  respond,
  succeed,
  type DisputeList,
} from '../support/disputes';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { chat, CHAT_SCHEMAS } from '../support/chat';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { request } from '../support/publishing';

let market: TestMarket;
let developer: TestUser;
let operator: TestUser;
let buyer: TestUser;
let agent: TestAgent;
let agentId: string;

beforeAll(async () => {
  market = await startMarket();
  operator = await registerOperator(market);
  agent = await startAgent();
});
afterAll(async () => {
  await agent.stop();
  await market.stop();
});
beforeEach(async () => {
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 100);
  agent.behave({ kind: 'echo' });
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 10, timeoutMs: 20_000 })).agentId;
});
afterEach(() => expectWholeLedger(market));

const wallet = (user: TestUser) => balance(market.owner, user.userId, 'wallet');
const payable = () => balance(market.owner, developer.userId, 'payable');
const statusOf = async (invocationId: string) =>
  (await request<{ status: string }>(market, buyer, 'GET', `/v1/invocations/${invocationId}`)).body.status;

interface Line {
  entry_type: string;
  credits: number;
  invocation_id?: string;
}
const lines = async (who: TestUser, path: string) =>
  (await request<{ items: Line[] }>(market, who, 'GET', path)).body.items.map((line) => [
    line.entry_type,
    line.credits,
  ]);

/** A call that the agent does not answer; its id, and what its caller gets in the end. */
async function hangingCall() {
  agent.behave({ kind: 'hangs' });
  const before = agent.deliveries.length;
  const reply = invoke(market, buyer, agentId, { input: { text: 'wait' } });
  await agent.waitForDeliveries(before + 1);
  return { invocationId: agent.deliveries.at(-1)?.invocationId ?? '', reply };
}

async function openCase(): Promise<{ invocationId: string; disputeId: string }> {
  const invocationId = await succeed(market, buyer, agentId);
  const { status, body } = await dispute(market, buyer, invocationId);
  expect(status).toBe(201);
  return { invocationId, disputeId: body.dispute_id };
}

describe('a call in progress', () => {
  it('is disputed at once, refunded in full, and its caller and its agent learn it', async () => {
    const { invocationId, reply } = await hangingCall();
    expect(await balance(market.owner, buyer.userId, 'escrow')).toBe(1_000);
    const startedAt = Date.now();
    const answer = await dispute(market, buyer, invocationId, { reason: 'no_response' });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        status: 'won',
        resolution: 'call_in_progress',
        refunded_credits: 10,
        respond_by: null,
        role: 'buyer',
      },
    });
    const waiting = await reply;
    expect(Date.now() - startedAt).toBeLessThan(1_500);
    expect([waiting.status, waiting.body.error?.code]).toEqual([409, 'already_disputed']);
    expect(waiting.body.invocation_id).toBe(invocationId);
    expect(waiting.body.output).toBeUndefined();
    await eventually(async () => (await agent.openConnections()) === 0, 2_000);
    expect(await wallet(buyer)).toBe(10_000);
    expect(await payable()).toBe(0);
    expect(await statusOf(invocationId)).toBe('disputed');
    expect((await lines(buyer, '/v1/billing/ledger')).slice(0, 2)).toEqual([
      ['dispute_refund', 10],
      ['invocation_hold', -10],
    ]);
    const workflow = market.engine.link.client()?.workflow.getHandle(`invocation/${invocationId}`);
    expect(await workflow?.result()).toMatchObject({ status: 'disputed' });
  });

  it('that streams ends with an error and no done, and the agent is hung up on', async () => {
    let sent = 0;
    async function* parts() {
      for (; ; sent += 1) {
        yield 'data: "piece "\n\n';
        await sleep(20);
      }
    }
    agent.behave({ kind: 'stream', contentType: 'text/event-stream', parts });
    const before = agent.deliveries.length;
    const live = await putLive(market, developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      credits: 10,
      timeoutMs: 20_000,
    });
    const turn = chat(market, buyer, live.agentId);
    await agent.waitForDeliveries(before + 1);
    const invocationId = agent.deliveries.at(-1)?.invocationId ?? '';
    await eventually(() => Promise.resolve(sent > 5));
    expect((await dispute(market, buyer, invocationId)).body).toMatchObject({
      status: 'won',
      refunded_credits: 10,
    });
    const { events, last } = await turn;
    expect(last).toMatchObject({ type: 'error', error: { code: 'already_disputed' } });
    expect(events.filter(({ type }) => type === 'error' || type === 'done')).toHaveLength(1);
    await eventually(async () => (await agent.openConnections()) === 0, 1_000);
    expect(await wallet(buyer)).toBe(10_000);
  });

  it('has a signed receipt like any other that is over', async () => {
    const { invocationId, reply } = await hangingCall();
    await dispute(market, buyer, invocationId);
    await reply;
    const { body } = await request<{
      evidence: { receipt: { ledger: string[]; output_sha256: string | null } };
    }>(market, buyer, 'GET', `/v1/invocations/${invocationId}`);
    expect(body.evidence.receipt.output_sha256).toBeNull();
    expect(body.evidence.receipt.ledger).toHaveLength(2);
  });

  it('keeps its key: it answers 409 from then on', async () => {
    agent.behave({ kind: 'hangs' });
    const before = agent.deliveries.length;
    const call = () =>
      invoke(market, buyer, agentId, { input: { text: 'wait' } }, { 'idempotency-key': 'once' });
    const waiting = [call(), call()];
    await agent.waitForDeliveries(before + 1);
    const invocationId = agent.deliveries.at(-1)?.invocationId ?? '';
    await dispute(market, buyer, invocationId);
    for (const reply of [...(await Promise.all(waiting)), await call()]) {
      expect([reply.status, reply.body.error?.code]).toEqual([409, 'already_disputed']);
    }
    expect(agent.countOf(invocationId)).toBe(1);
  });

  it('can be disputed once', async () => {
    const { invocationId, reply } = await hangingCall();
    const answers = await Promise.all(Array.from({ length: 5 }, () => dispute(market, buyer, invocationId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error?.code).toBe('already_disputed');
    await reply;
    expect(await wallet(buyer)).toBe(10_000);
  });
});

describe('a success', () => {
  it('becomes a case that keeps its earnings from maturing', async () => {
    const short = await startMarket({ env: { DISPUTE_WINDOW_MS: '1500' } });
    try {
      const seller = await register(short, 'developer');
      const customer = await register(short, 'buyer', 100);
      const live = await putLive(short, seller.userId, agent.url, { credits: 10 });
      const ids = [
        await succeed(short, customer, live.agentId),
        await succeed(short, customer, live.agentId),
      ];
      const opened = await dispute(short, customer, ids[0] ?? '');
      expect(opened.body).toMatchObject({ status: 'open', resolution: null, refunded_credits: 0 });
      const matured = async () =>
        (
          await request<{ matured_credits: number; pending_payout_credits: number }>(
            short,
            seller,
            'GET',
            '/v1/billing/developer/balance',
          )
        ).body;
      expect(await matured()).toMatchObject({ matured_credits: 0, pending_payout_credits: 19.4 });
      await eventually(async () => (await matured()).matured_credits > 0);
      expect(await matured()).toMatchObject({ matured_credits: 9.7, pending_payout_credits: 19.4 });
      const late = await dispute(short, customer, ids[1] ?? '');
      expect([late.status, late.body.error?.code]).toEqual([409, 'invalid_state']);
      await respond(short, seller, opened.body.dispute_id, 'contest');
      const judge = await registerOperator(short);
      await resolve(short, judge, opened.body.dispute_id, 'developer');
      expect(await matured()).toMatchObject({ matured_credits: 19.4 });
      await expectWholeLedger(short);
    } finally {
      await short.stop();
    }
  });

  it('is refunded when the developer accepts: fee from the platform, net from the earnings', async () => {
    const fees = await balance(market.owner, null, 'fees');
    const { invocationId, disputeId } = await openCase();
    expect(await wallet(buyer)).toBe(9_000);
    expect(await statusOf(invocationId)).toBe('succeeded');
    const accepted = await respond(market, developer, disputeId, 'accept');
    expect(accepted).toMatchObject({
      status: 200,
      body: {
        status: 'accepted',
        resolution: 'developer_accepted',
        refunded_credits: 10,
        statement: 'This is our view.',
        role: 'developer',
      },
    });
    expect(await wallet(buyer)).toBe(10_000);
    expect(await payable()).toBe(0);
    expect(await balance(market.owner, null, 'fees')).toBe(fees);
    expect(await statusOf(invocationId)).toBe('disputed');
    expect((await lines(buyer, '/v1/billing/ledger'))[0]).toEqual(['dispute_refund', 10]);
    expect(await lines(developer, '/v1/billing/developer/transactions')).toEqual([
      ['dispute_refund', -9.7],
      ['invocation_earning', 9.7],
    ]);
    const again = await dispute(market, buyer, invocationId);
    expect([again.status, again.body.error?.code]).toEqual([409, 'already_disputed']);
  });

  it.each([
    ['buyer', 'won', 10_000, 0, 'disputed'],
    ['developer', 'lost', 9_000, 970, 'succeeded'],
  ])('contested and decided for the %s is %s', async (decision, status, walletUnits, payableUnits, call) => {
    const { invocationId, disputeId } = await openCase();
    const early = await resolve(market, operator, disputeId, decision);
    expect([early.status, early.body.error?.code]).toEqual([409, 'invalid_state']);
    const contested = await respond(market, developer, disputeId, 'contest');
    expect(contested.body).toMatchObject({ status: 'contested', resolved_at: null, refunded_credits: 0 });
    expect(await wallet(buyer)).toBe(9_000);
    const second = await respond(market, developer, disputeId, 'accept');
    expect([second.status, second.body.error?.code]).toEqual([409, 'invalid_state']);
    const decided = await resolve(market, operator, disputeId, decision);
    expect(decided).toMatchObject({
      status: 200,
      body: {
        status,
        resolution: 'operator',
        decision_reason: 'We have looked at it.',
        resolved_by: operator.userId,
      },
    });
    expect([await wallet(buyer), await payable(), await statusOf(invocationId)]).toEqual([
      walletUnits,
      payableUnits,
      call,
    ]);
    const late = await resolve(market, operator, disputeId, decision === 'buyer' ? 'developer' : 'buyer');
    expect([late.status, late.body.error?.code]).toEqual([409, 'invalid_state']);
  });

  it('that was free becomes disputed without money', async () => {
    const free = await putLive(market, developer.userId, agent.url, { credits: 10, freeTierCalls: 1 });
    const invocationId = await succeed(market, buyer, free.agentId);
    const { body } = await dispute(market, buyer, invocationId);
    expect((await respond(market, developer, body.dispute_id, 'accept')).body.refunded_credits).toBe(0);
    expect([await wallet(buyer), await statusOf(invocationId)]).toEqual([10_000, 'disputed']);
  });

  it('whose earnings were paid out is taken from wallet and bond, and the platform bears the rest', async () => {
    const other = await startMarket();
    try {
      const seller = await register(other, 'developer');
      const customer = await register(other, 'buyer', 100);
      const live = await putLive(other, seller.userId, agent.url, { credits: 10 });
      const invocationId = await succeed(other, customer, live.agentId);
      const opened = await dispute(other, customer, invocationId);
      // What payouts and bonds will do: 470 units left, 300 and 200 are on wallet and bond.
      await other.owner.query(`SELECT ledger_roll_up_locked(ARRAY[ledger_account($1, 'payable')])`, [
        seller.userId,
      ]);
      await other.owner.query(
        `SELECT ledger_post('topup', 'test/payout', NULL, NULL, 'test', NULL,
           ARRAY[ledger_account($1, 'payable'), 1, ledger_account($1, 'wallet'), ledger_account($1, 'bond')],
           ARRAY['test', 'test', 'test', 'test'], ARRAY[-970, 470, 300, 200]::bigint[])`,
        [seller.userId],
      );
      await other.owner.query(`UPDATE earnings SET payout_id = 'pay_test' WHERE invocation_id = $1`, [
        invocationId,
      ]);
      const accepted = await respond(other, seller, opened.body.dispute_id, 'accept');
      expect(accepted.body).toMatchObject({ status: 'accepted', refunded_credits: 10 });
      const left = (user: TestUser | null, kind: string) => balance(other.owner, user && user.userId, kind);
      expect(await left(customer, 'wallet')).toBe(10_000);
      expect([
        await left(seller, 'payable'),
        await left(seller, 'wallet'),
        await left(seller, 'bond'),
      ]).toEqual([0, 0, 0]);
      expect([await left(null, 'fees'), await left(null, 'platform')]).toEqual([0, -470]);
      const debts = await other.owner.query('SELECT invocation_id, owed_units FROM clawback_debts');
      expect(debts.rows).toEqual([{ invocation_id: invocationId, owed_units: '470' }]);
      const lost = await request<{ items: (Line & { account: string })[] }>(
        other,
        seller,
        'GET',
        '/v1/billing/developer/transactions?entry_type=dispute_refund',
      );
      expect(lost.body.items.map((line) => [line.account, line.credits])).toEqual([['bond', -2]]);
      // Only the made-up transaction and the payout that it stands for are out of order.
      const { proofs } = await checkLedger(other.container.pool);
      expect(proofs.filter((proof) => proof.total > 0).map((proof) => proof.name)).toEqual([
        'payouts',
        'top-ups',
        'reasons',
      ]);
    } finally {
      await other.stop();
    }
  });
});

describe('who may do what', () => {
  it('the two sides read a case, others get 404', async () => {
    const { disputeId, invocationId } = await openCase();
    const stranger = await register(market, 'developer');
    for (const [who, role] of [
      [buyer, 'buyer'],
      [developer, 'developer'],
    ] as const) {
      const { status, body } = await readDispute(market, who, disputeId);
      expect([status, body.role, body.invocation_id]).toEqual([200, role, invocationId]);
      expect(JSON.stringify(body)).not.toContain('usr_');
    }
    for (const who of [stranger, operator]) {
      expect((await readDispute(market, who, disputeId)).status).toBe(404);
    }
    expect((await respond(market, stranger, disputeId, 'accept')).status).toBe(404);
    const byBuyer = await respond(market, buyer, disputeId, 'accept');
    expect([byBuyer.status, byBuyer.body.error?.code]).toEqual([403, 'forbidden']);
    for (const who of [buyer, developer]) {
      expect((await resolve(market, who, disputeId, 'buyer')).status).toBe(403);
      expect((await request(market, who, 'GET', '/v1/operator/disputes')).status).toBe(403);
    }
    expect((await dispute(market, stranger, invocationId)).status).toBe(404);
    expect((await request(market, { cookie: '' }, 'GET', `/v1/billing/disputes/${disputeId}`)).status).toBe(
      401,
    );
    expect((await readDispute(market, buyer, disputeId)).body.status).toBe('open');
  });

  it('a call that failed, or that nobody made, cannot be disputed', async () => {
    agent.behave({ kind: 'status', status: 500 });
    const failed = await invoke(market, buyer, agentId, { input: { text: 'x' } });
    const reply = await dispute(market, buyer, failed.body.invocation_id ?? '');
    expect([reply.status, reply.body.error?.code]).toEqual([409, 'invalid_state']);
    expect((await dispute(market, buyer, `inv_${'0'.repeat(32)}`)).status).toBe(404);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown reason', { reason: 'because' }, 'reason'],
    ['an empty description', { description: '' }, 'description'],
    ['a blank description', { description: ' \n' }, 'description'],
    ['a description with NUL', { description: 'a\u0000b' }, 'description'],
    ['a lone surrogate', { description: 'a\ud800' }, 'description'],
    ['too long a description', { description: 'x'.repeat(4_001) }, 'description'],
    ['an id of another kind', { invocation_id: 'dsp_1' }, 'invocation_id'],
    ['an id that is no text', { invocation_id: { $ne: null } }, 'invocation_id'],
    ['an unknown field', { refund: true }, 'refund'],
  ])('%s is 422', async (_what, more, field) => {
    const reply = await dispute(market, buyer, `inv_${'0'.repeat(32)}`, more);
    expect(reply.status).toBe(422);
    expect(reply.body.detail?.[0]?.loc).toEqual(['body', field]);
  });

  it('a response or a decision of another kind is 422, and the case stays open', async () => {
    const { disputeId } = await openCase();
    expect((await respond(market, developer, disputeId, 'silence')).status).toBe(422);
    expect((await resolve(market, operator, disputeId, 'nobody')).status).toBe(422);
    expect((await readDispute(market, buyer, disputeId)).body.status).toBe('open');
    expect((await respond(market, developer, `dsp_${'0'.repeat(32)}`, 'accept')).status).toBe(404);
    expect((await respond(market, developer, 'dsp_x', 'accept')).status).toBe(404);
  });
});

describe('lists', () => {
  it('show each side its own, filtered and paged', async () => {
    const opened = [];
    for (let n = 0; n < 3; n += 1) opened.push((await openCase()).disputeId);
    const newest = [...opened].reverse();
    await respond(market, developer, opened[0] ?? '', 'accept');
    const list = async (who: TestUser, query = '') =>
      (await request<DisputeList>(market, who, 'GET', `/v1/billing/disputes${query}`)).body;
    const idsOf = (found: DisputeList) => found.items.map((item) => item.dispute_id);
    expect(idsOf(await list(buyer))).toEqual(newest);
    expect(idsOf(await list(developer))).toEqual(newest);
    expect((await list(developer)).items.map((item) => item.role)).toEqual([
      'developer',
      'developer',
      'developer',
    ]);
    expect((await list(developer, '?role=buyer')).total).toBe(0);
    expect(idsOf(await list(buyer, '?status=open&role=buyer'))).toEqual(newest.slice(0, 2));
    expect((await list(await register(market, 'buyer'))).items).toEqual([]);
    const first = await list(buyer, '?limit=2');
    expect([idsOf(first), first.total]).toEqual([newest.slice(0, 2), 3]);
    const second = await list(buyer, `?limit=2&cursor=${first.next_cursor}`);
    expect([idsOf(second), second.next_cursor]).toEqual([newest.slice(2), null]);
    const foreign = await request(
      market,
      developer,
      'GET',
      `/v1/billing/disputes?cursor=${first.next_cursor}`,
    );
    expect(foreign.status).toBe(422);
  });

  it('show operators what is not decided, with its deadline', async () => {
    const { disputeId } = await openCase();
    const decided = await openCase();
    await respond(market, developer, decided.disputeId, 'accept');
    await respond(market, developer, disputeId, 'contest');
    const { body } = await request<DisputeList>(market, operator, 'GET', '/v1/operator/disputes?limit=100');
    const ids = body.items.map((item) => item.dispute_id);
    expect(ids).toContain(disputeId);
    expect(ids).not.toContain(decided.disputeId);
    const found = body.items.find((item) => item.dispute_id === disputeId);
    expect(found).toMatchObject({
      buyer_user_id: buyer.userId,
      developer_user_id: developer.userId,
      status: 'contested',
    });
    expect(Date.parse(found?.respond_by ?? '') - Date.parse(found?.opened_at ?? '')).toBe(72 * 3_600_000);
    const one = await request(market, operator, 'GET', `/v1/operator/disputes/${disputeId}`);
    expect(one.body).toEqual(found);
  });
});
