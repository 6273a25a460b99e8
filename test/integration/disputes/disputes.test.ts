import {
  dispute,
  openCase,
  registerOperator,
  resolve,
  respond,
  succeed,
} from '../../support/disputes/disputes';
import { workflowOf } from '../../support/calls/enrolled';
import { chat, CHAT_SCHEMAS } from '../../support/calls/chat';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
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

/** The payloads of a workflow's history as text. */
function payloadTexts(history: unknown): string[] {
  if (history instanceof Uint8Array) return [Buffer.from(history).toString()];
  if (typeof history === 'string') return [history];
  if (typeof history !== 'object' || history === null) return [];
  return Object.values(history).flatMap(payloadTexts);
}

describe('a call in progress', () => {
  it('is disputed at once, refunded in full, and ended for its caller and its agent', async () => {
    const { invocationId, reply } = await hangingCall();
    expect(await balance(market.owner, buyer.userId, 'escrow')).toBe(1_000);
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
    // Neither waits for the agent's deadline of 20 s.
    expect([waiting.status, waiting.body.error?.code]).toEqual([409, 'already_disputed']);
    expect(waiting.body.invocation_id).toBe(invocationId);
    expect(waiting.body.output).toBeUndefined();
    await eventually(async () => (await agent.openConnections()) === 0);
    expect(await wallet(buyer)).toBe(10_000);
    expect(await payable()).toBe(0);
    expect(await statusOf(invocationId)).toBe('disputed');
    expect((await lines(buyer, '/v1/billing/ledger')).slice(0, 2)).toEqual([
      ['dispute_refund', 10],
      ['invocation_hold', -10],
    ]);
    const client = market.environment.client;
    const handle = client.workflow.getHandle(await workflowOf(client, invocationId));
    expect(JSON.stringify(await handle.result())).toContain('"disputed"');
    const texts = payloadTexts(await handle.fetchHistory());
    expect(texts.filter((text) => text.includes('engine_unavailable'))).toEqual([]);
    expect(texts.filter((text) => text.includes('"already_disputed"')).length).toBeGreaterThan(0);
  });

  it('that streams but has delivered nothing ends with an error, and the connection to the agent is closed', async () => {
    agent.behave({ kind: 'stream', contentType: 'text/event-stream', parts: () => [], then: 'hangs' });
    const before = agent.deliveries.length;
    const live = await putLive(market, developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      credits: 10,
      timeoutMs: 20_000,
    });
    const turn = chat(market, buyer, live.agentId);
    await agent.waitForDeliveries(before + 1);
    const invocationId = agent.deliveries.at(-1)?.invocationId ?? '';
    expect((await dispute(market, buyer, invocationId)).body).toMatchObject({
      status: 'won',
      refunded_credits: 10,
    });
    const { events, last } = await turn;
    expect(last).toMatchObject({ type: 'error', error: { code: 'already_disputed' } });
    expect(events).toHaveLength(1);
    await eventually(async () => (await agent.openConnections()) === 0);
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
  it('is refunded when the developer accepts: fee from the platform, net from the earnings', async () => {
    const fees = await balance(market.owner, null, 'fees');
    const { invocationId, disputeId } = await openCase(market, buyer, agentId);
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
    const { invocationId, disputeId } = await openCase(market, buyer, agentId);
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
});
