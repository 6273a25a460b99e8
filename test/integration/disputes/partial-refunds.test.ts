/** Disputes that return a part of a charge, and offers of one (ADR 0355, ADR 0356, ADR 0357). */
import { compactVerify, createRemoteJWKSet } from 'jose';
import { makeKey, readKey } from '../../support/accounts/keys';
import { deposit } from '../../support/disputes/bonds';
import {
  dispute,
  openCase,
  readDispute,
  registerOperator,
  resolve,
  respond,
  succeed,
  type DisputeView,
} from '../../support/disputes/disputes';
import { balance, expectWholeLedger, invoke, putLive, register, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
let developer: TestUser;
let operator: TestUser;
let buyer: TestUser;
const agent = useAgent();
let agentId: string;

beforeAll(async () => {
  operator = await registerOperator(market);
});
beforeEach(async () => {
  developer = await register(market, 'developer', 1_000);
  buyer = await register(market, 'buyer', 100);
  agent.behave({ kind: 'echo' });
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 10 })).agentId;
});
afterEach(() => expectWholeLedger(market));

type Offered = DisputeView & {
  offer: null | { offer_id: string; refund_credits: number; status: string; statement: string | null };
};
const post = <T = Offered>(who: Pick<TestUser, 'cookie'>, path: string, body: object) =>
  request<T>(market, who, 'POST', path, body);
const offer = (who: TestUser, id: string, refundCredits: number, more: object = {}) =>
  post(who, `/v1/billing/disputes/${id}/offer`, { refund_credits: refundCredits, ...more });
const answer = (who: TestUser, id: string, offerId: string | undefined, decision: string) =>
  post(who, `/v1/billing/disputes/${id}/offer/answer`, { offer_id: offerId, decision });
const resolveWith = (id: string, refundCredits: number, decision = 'buyer') =>
  post(operator, `/v1/operator/disputes/${id}/resolve`, {
    decision,
    reason: 'A part of it is wrong.',
    refund_credits: refundCredits,
  });
const read = async (id: string) => (await readDispute(market, buyer, id)).body as Offered;
const wallet = (user: TestUser = buyer) => balance(market.owner, user.userId, 'wallet');
const payable = () => balance(market.owner, developer.userId, 'payable');
const fees = () => balance(market.owner, null, 'fees');
const codeOf = ({ status, body }: { status: number; body: { error?: { code?: string } } }) => [
  status,
  body.error?.code,
];

async function contested(): Promise<{ invocationId: string; disputeId: string }> {
  const opened = await openCase(market, buyer, agentId);
  expect((await respond(market, developer, opened.disputeId, 'contest')).status).toBe(200);
  return opened;
}

interface CallView {
  status: string;
  refunded_credits: number;
  evidence: { receipt: { credits_charged: number } };
  refund_receipt: null | {
    credits_charged: number;
    credits_refunded: number;
    ledger: string[];
    signature: string;
  };
}
const readCall = async (id: string) =>
  (await request<CallView>(market, buyer, 'GET', `/v1/invocations/${id}`)).body;

describe('an offer', () => {
  it('that the buyer accepts returns its part: fee, earnings, usage and receipt in proportion', async () => {
    const before = await fees();
    const { invocationId, disputeId } = await contested();
    const made = await offer(developer, disputeId, 4, { statement: 'Four of ten rows are wrong.' });
    expect(made).toMatchObject({
      status: 200,
      body: {
        status: 'contested',
        offer: { refund_credits: 4, status: 'open', statement: 'Four of ten rows are wrong.' },
      },
    });
    expect(await wallet()).toBe(9_000);
    const accepted = await answer(buyer, disputeId, made.body.offer?.offer_id, 'accept');
    expect(accepted).toMatchObject({
      status: 200,
      body: {
        status: 'accepted',
        resolution: 'offer_accepted',
        refunded_credits: 4,
        offer: { status: 'accepted' },
      },
    });
    // 4 of 10 credits: 3.88 of the earning and 0.12 of the fee.
    expect([await wallet(), await payable(), (await fees()) - before]).toEqual([9_400, 582, 18]);
    const call = await readCall(invocationId);
    expect(call).toMatchObject({
      status: 'succeeded',
      refunded_credits: 4,
      evidence: { receipt: { credits_charged: 10 } },
      refund_receipt: {
        credits_charged: 10,
        credits_refunded: 4,
        ledger: [expect.stringMatching(/^txn_/) as string],
      },
    });
    const usage = await request(market, developer, 'GET', `/v1/agents/${agentId}/usage`);
    expect(usage.body).toMatchObject({
      calls: 1,
      succeeded: 1,
      disputed: 0,
      gross_credits: 6,
      refunded_credits: 4,
      developer_earnings_credits: 5.82,
      platform_fee_credits: 0.18,
    });
    const earned = await request(market, developer, 'GET', '/v1/billing/developer/balance');
    expect(earned.body).toMatchObject({ lifetime_earned_credits: 5.82, pending_payout_credits: 5.82 });
    // A decided case stays as it is.
    expect(codeOf(await resolve(market, operator, disputeId, 'buyer'))).toEqual([409, 'invalid_state']);
    expect(codeOf(await dispute(market, buyer, invocationId))).toEqual([409, 'already_disputed']);
  });

  it('is signed as a receipt of its own, which the published keys verify', async () => {
    const { invocationId, disputeId } = await contested();
    await resolveWith(disputeId, 2.5);
    const { refund_receipt: receipt } = await readCall(invocationId);
    const { signature, ...terms } = receipt!;
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', market.url));
    const { payload, protectedHeader } = await compactVerify(signature, keys);
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual(terms);
    expect(protectedHeader).toMatchObject({ invocation_id: invocationId });
    expect((await readCall(invocationId)).refund_receipt).toEqual(receipt);
  });

  it('that is declined leaves the case to the operator, who may return a part', async () => {
    const { disputeId } = await contested();
    const made = await offer(developer, disputeId, 1);
    expect((await answer(buyer, disputeId, made.body.offer?.offer_id, 'decline')).body).toMatchObject({
      status: 'contested',
      offer: { status: 'declined' },
    });
    expect(codeOf(await answer(buyer, disputeId, made.body.offer?.offer_id, 'accept'))).toEqual([
      409,
      'invalid_state',
    ]);
    expect(await wallet()).toBe(9_000);
    expect((await resolveWith(disputeId, 7)).body).toMatchObject({ status: 'won', refunded_credits: 7 });
    expect([await wallet(), await payable()]).toEqual([9_700, 291]);
  });

  it('is not accepted by silence: it ends with the dispute', async () => {
    const { disputeId } = await contested();
    await offer(developer, disputeId, 4);
    expect((await resolve(market, operator, disputeId, 'developer')).body.status).toBe('lost');
    expect((await read(disputeId)).offer).toMatchObject({ status: 'ended' });
    expect([await wallet(), await payable()]).toEqual([9_000, 970]);
  });

  it('is replaced by a newer one, and the replaced one cannot be accepted', async () => {
    const { disputeId } = await contested();
    const first = await offer(developer, disputeId, 1);
    const again = await offer(developer, disputeId, 1);
    expect(again.body.offer?.offer_id).toBe(first.body.offer?.offer_id);
    const second = await offer(developer, disputeId, 3);
    expect(codeOf(await answer(buyer, disputeId, first.body.offer?.offer_id, 'accept'))).toEqual([
      409,
      'invalid_state',
    ]);
    expect(
      (await answer(buyer, disputeId, second.body.offer?.offer_id, 'accept')).body.refunded_credits,
    ).toBe(3);
    expect(await wallet()).toBe(9_300);
  });

  it('is made ten times at most', async () => {
    const { disputeId } = await contested();
    for (let n = 1; n <= 10; n += 1) expect((await offer(developer, disputeId, n / 4)).status).toBe(200);
    expect(codeOf(await offer(developer, disputeId, 5))).toEqual([409, 'invalid_state']);
  });

  it('comes with the response of a developer who would return less than all: alone, the developer ends nothing', async () => {
    const { disputeId } = await openCase(market, buyer, agentId);
    const path = `/v1/billing/disputes/${disputeId}/respond`;
    const body = { decision: 'accept', statement: 'A part is wrong.', refund_credits: 2 };
    expect((await post(developer, path, body)).body).toMatchObject({
      status: 'contested',
      refunded_credits: 0,
      offer: { refund_credits: 2, status: 'open' },
    });
    expect(await wallet()).toBe(9_000);
    const { offer: open } = await read(disputeId);
    expect((await answer(buyer, disputeId, open?.offer_id, 'accept')).body.status).toBe('accepted');
    expect(await wallet()).toBe(9_200);
  });

  it('of all that is left is an acceptance', async () => {
    const { disputeId } = await openCase(market, buyer, agentId);
    const path = `/v1/billing/disputes/${disputeId}/respond`;
    const body = { decision: 'accept', statement: 'All of it.', refund_credits: 10 };
    expect((await post(developer, path, body)).body).toMatchObject({
      status: 'accepted',
      refunded_credits: 10,
    });
  });

  it('belongs to its sides', async () => {
    const opened = await openCase(market, buyer, agentId);
    expect(codeOf(await offer(developer, opened.disputeId, 1))).toEqual([409, 'invalid_state']);
    await respond(market, developer, opened.disputeId, 'contest');
    expect(codeOf(await offer(buyer, opened.disputeId, 1))).toEqual([403, 'forbidden']);
    const made = await offer(developer, opened.disputeId, 1);
    const id = made.body.offer?.offer_id;
    expect(codeOf(await answer(developer, opened.disputeId, id, 'accept'))).toEqual([403, 'forbidden']);
    const stranger = await register(market, 'developer');
    expect((await offer(stranger, opened.disputeId, 1)).status).toBe(404);
    expect((await answer(stranger, opened.disputeId, id, 'accept')).status).toBe(404);
    expect(codeOf(await answer(buyer, opened.disputeId, `dof_${'0'.repeat(32)}`, 'accept'))).toEqual([
      409,
      'invalid_state',
    ]);
  });

  it('is accepted once by many at once, or the operator decides first', async () => {
    const { disputeId } = await contested();
    const id = (await offer(developer, disputeId, 4)).body.offer?.offer_id;
    const answers = await Promise.all([
      answer(buyer, disputeId, id, 'accept'),
      answer(buyer, disputeId, id, 'decline'),
      resolveWith(disputeId, 6),
    ]);
    const counted = answers.filter(({ status }) => status === 200);
    const { status, refunded_credits: refunded } = await read(disputeId);
    expect(counted.length).toBeGreaterThan(0);
    expect(['accepted', 'won', 'contested']).toContain(status);
    expect(await wallet()).toBe(9_000 + refunded * 100);
  });
});

describe('a part', () => {
  it.each([
    [0.01, 9_001, 969, 30],
    [0.17, 9_017, 954, 29],
    [3.33, 9_333, 647, 20],
    [9.99, 9_999, 1, 0],
  ])(
    'of %d credits of 10 takes fee and net by the largest remainder',
    async (credits, walletUnits, net, fee) => {
      const before = await fees();
      const { disputeId } = await contested();
      expect((await resolveWith(disputeId, credits)).body.refunded_credits).toBe(credits);
      expect([await wallet(), await payable(), (await fees()) - before]).toEqual([walletUnits, net, fee]);
    },
  );

  it.each([0, -1, 10.01, 0.001, '4', 1e12])('of %s is 422, and the case stays contested', async (credits) => {
    const { disputeId } = await contested();
    expect((await resolveWith(disputeId, credits as number)).status).toBe(422);
    expect((await offer(developer, disputeId, credits as number)).status).toBe(422);
    expect((await read(disputeId)).status).toBe('contested');
  });

  it('goes with a decision for the buyer only, and an offer is less than all', async () => {
    const { disputeId } = await contested();
    expect((await resolveWith(disputeId, 1, 'developer')).status).toBe(422);
    expect((await offer(developer, disputeId, 10)).status).toBe(422);
    expect((await resolveWith(disputeId, 10)).body).toMatchObject({ status: 'won', refunded_credits: 10 });
    expect(await wallet()).toBe(10_000);
  });

  it('cannot be given of a call that was free', async () => {
    const free = await putLive(market, developer.userId, agent.url, { credits: 10, freeTierCalls: 1 });
    const { body } = await dispute(market, buyer, await succeed(market, buyer, free.agentId));
    await respond(market, developer, body.dispute_id, 'contest');
    expect((await resolveWith(body.dispute_id, 1)).status).toBe(422);
  });

  it('goes back into the cap of the key and the budget of the call', async () => {
    const key = await makeKey(market, buyer, {
      scopes: ['agents:invoke', 'billing:read', 'disputes:write'],
      credit_cap: 12,
    });
    const made = await post<{ budget_id: string }>(buyer, '/v1/billing/budgets', {
      credits: 12,
      window: 'month',
    });
    expect(made.status).toBe(201);
    const headers = { 'x-api-key': key.key, 'content-type': 'application/json' };
    const call = () =>
      fetch(`${market.url}/v1/agents/${agentId}/invoke`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ input: { text: 'hello' } }),
      });
    const first = (await (await call()).json()) as { invocation_id: string };
    expect((await call()).status).toBe(402);
    // The key disputes its own call, and takes the offer.
    const byKey = async (path: string, body: object) => {
      const response = await fetch(market.url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Offered };
    };
    const about = {
      invocation_id: first.invocation_id,
      reason: 'output_incorrect',
      description: 'It is wrong.',
    };
    const opened = await byKey('/v1/billing/disputes', about);
    expect(opened.status).toBe(201);
    const disputeId = opened.body.dispute_id;
    await respond(market, developer, disputeId, 'contest');
    const id = (await offer(developer, disputeId, 8)).body.offer?.offer_id;
    const path = `/v1/billing/disputes/${disputeId}/offer/answer`;
    const taken = await byKey(path, { offer_id: id, decision: 'accept' });
    expect(taken).toMatchObject({ status: 200, body: { status: 'accepted', refunded_credits: 8 } });
    expect((await readKey(market, buyer, key.key_id))?.spent_credits).toBe(2);
    expect((await call()).status).toBe(200);
    const narrow = await makeKey(market, buyer, { scopes: ['agents:invoke'] });
    const refused = await fetch(market.url + path, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': narrow.key },
      body: JSON.stringify({ offer_id: id, decision: 'accept' }),
    });
    expect(refused.status).toBe(403);
  });

  it('and slashes of the same call return no more than its charge', async () => {
    await deposit(market, developer, 500);
    const slashed = async (invocationId: string, credits: number) => {
      const { slash } = await market.container.slashes.apply({
        operatorUserId: operator.userId,
        idempotencyKey: null,
        agentId,
        units: credits * 100,
        explanation: 'It was so.',
        evidence: null,
        invocationIds: [invocationId],
        traceId: '0'.repeat(32),
        asOf: new Date(),
      });
      await market.container.slashes.recordDeveloperSilent({
        slashId: slash.slashId,
        asOf: new Date().toISOString(),
      });
      return slash.amountUnits;
    };
    const first = await contested();
    await resolveWith(first.disputeId, 6);
    expect(await slashed(first.invocationId, 10)).toBe(400);
    expect(await wallet()).toBe(10_000);
    const second = await contested();
    expect(await slashed(second.invocationId, 3)).toBe(300);
    expect((await resolveWith(second.disputeId, 8)).status).toBe(422);
    expect((await resolveWith(second.disputeId, 5)).body.refunded_credits).toBe(5);
    // 8 of 10 credits are undone: 0.24 of the fee. The bond has its 3 credits back, and payable returned 7.76.
    expect(await wallet()).toBe(9_800);
    expect(await balance(market.owner, developer.userId, 'bond')).toBe(50_000 - 400);
  });

  it('of at least half counts as a failure of the day for the buyers of the agent, a smaller one does not', async () => {
    for (const credits of [4.99, 5]) {
      const { disputeId } = await contested();
      await resolveWith(disputeId, credits);
    }
    const failed = async () => {
      const { rows } = await market.owner.query<{ failed: number }>(
        `SELECT (SELECT count(*) FROM buyer_day_disputes WHERE agent_id = $1)::int
           + coalesce((SELECT sum(failed) FROM buyer_days WHERE agent_id = $1), 0)::int AS failed`,
        [agentId],
      );
      return rows[0]?.failed;
    };
    expect(await failed()).toBe(1);
  });
});

describe('the developer', () => {
  it('is notified once when the buyer declines an offer, and the buyer is not', async () => {
    const { disputeId } = await contested();
    const made = await offer(developer, disputeId, 4);
    for (const _time of ['first', 'again'])
      await answer(buyer, disputeId, made.body.offer?.offer_id, 'decline');
    const notices = async (who: TestUser) =>
      (
        await request<{ items: { type: string; message: string; subject_id: string }[] }>(
          market,
          who,
          'GET',
          '/v1/notices',
        )
      ).body.items.filter(
        ({ type, subject_id: id }) => type === 'dispute.offer_declined' && id === disputeId,
      );
    expect(await notices(developer)).toMatchObject([
      {
        message: `The buyer declined your offer to return 4 credits of a disputed call of ${agentId}. Make another one, or an operator decides.`,
      },
    ]);
    expect(await notices(buyer)).toEqual([]);
  });
});

describe('the buyer', () => {
  it('is notified of an offer, and the developer is not', async () => {
    const { disputeId } = await contested();
    await offer(developer, disputeId, 4);
    const notices = async (who: TestUser) =>
      (
        await request<{ items: { type: string; message: string; subject_id: string }[] }>(
          market,
          who,
          'GET',
          '/v1/notices',
        )
      ).body.items;
    expect((await notices(buyer))[0]).toMatchObject({
      type: 'dispute.offered',
      subject_id: disputeId,
      message: `The developer of ${agentId} offers to return 4 of 10 credits of a call that you dispute. Accept or decline it. Without an answer of yours, an operator decides.`,
    });
    expect((await notices(developer)).map(({ type }) => type)).not.toContain('dispute.offered');
  });

  it('keeps the answer of a call of which a part was returned', async () => {
    const headers = { 'idempotency-key': 'kept' };
    const first = await invoke(market, buyer, agentId, { input: { text: 'hello' } }, headers);
    const { body } = await dispute(market, buyer, first.body.invocation_id ?? '');
    await respond(market, developer, body.dispute_id, 'contest');
    await resolveWith(body.dispute_id, 5);
    const again = await invoke(market, buyer, agentId, { input: { text: 'hello' } }, headers);
    expect([again.status, again.body.output]).toEqual([200, { text: 'hello' }]);
  });
});
