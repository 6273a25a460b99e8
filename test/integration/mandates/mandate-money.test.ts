/** What a mandate reserves, spends and releases, exactly, under parallel calls on two API processes. */
import {
  type MandateScene,
  type UseOptions,
  INPUT,
  mandateOf,
  messageOf,
  outcomeOf,
  PRICE,
  startMandateScene,
  useMandate,
} from '../../support/mandates/mandate-scene';
import {
  budget,
  claimsOf,
  type MandateView,
  perCall,
  readMandate,
  registerSigner,
  signProof,
  times,
} from '../../support/mandates/mandates';
import {
  balance,
  eventually,
  expectWholeLedger,
  type InvokeReply,
  putLive,
  register,
  startMarket,
  type TestMarket,
} from '../../support/market';
import { request } from '../../support/catalogue/publishing';

const EXCEEDED = [402, 'mandate_exceeded'];
const CALLERS = 50;

let scene: MandateScene;
let second: TestMarket;
beforeAll(async () => {
  scene = await startMandateScene({ agent: { credits: PRICE, timeoutMs: 20_000 } });
  second = await startMarket({ share: scene.market });
  const warm = await mandateOf(scene);
  await Promise.all([scene.market, second].map((at) => useMandate(scene, warm, { at })));
});
beforeEach(() => {
  scene.agent.behave({ kind: 'echo' });
  scene.agent.forget();
});
afterAll(async () => {
  await second.stop();
  await scene.stop();
});

const standing = (jws: string): Promise<MandateView> =>
  readMandate(scene.market, scene.issuer, String(claimsOf(jws)['jti']));
const wallet = () => balance(scene.market.owner, scene.issuer.userId, 'wallet');
/** The number of replies for each outcome, such as `{'200 ': 10, '402 mandate_exceeded': 40}`. */
function tally(replies: InvokeReply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const name = body.error ? `${status} ${body.error.code}` : String(status);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The agent answers when `release` is called. */
function keepWaiting(): () => void {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  scene.agent.behave({ kind: 'waits', until });
  return release;
}

/** Many calls over both processes, all decided before the agent answers the first. */
async function storm(jws: string, admitted: number, options: UseOptions = {}): Promise<InvokeReply[]> {
  const release = keepWaiting();
  let refused = 0;
  const calls = Array.from({ length: CALLERS }, async (_, n) => {
    const call = () => useMandate(scene, jws, { at: n % 2 ? second : scene.market, ...options });
    let reply = await call();
    // A busy machine may answer 503, which decides nothing about the call.
    while (reply.status === 503) reply = await call();
    if (reply.status !== 200) refused += 1;
    return reply;
  });
  await eventually(() => Promise.resolve(refused === CALLERS - admitted), 30_000);
  expect(await standing(jws)).toMatchObject({
    reserved_credits: admitted * PRICE,
    spent_credits: 0,
    occurrences: admitted,
  });
  await expectWholeLedger(scene.market);
  release();
  return Promise.all(calls);
}

describe('50 parallel calls', () => {
  it('spend exactly the budget and no credit more', async () => {
    const jws = await mandateOf(scene, { constraints: [budget(105)] });
    const before = await wallet();
    const replies = await storm(jws, 10);
    expect(tally(replies)).toEqual({ 200: 10, '402 mandate_exceeded': 40 });
    expect(await standing(jws)).toMatchObject({
      max_credits: 105,
      spent_credits: 100,
      reserved_credits: 0,
      remaining_credits: 5,
      occurrences: 10,
    });
    expect(await wallet()).toBe(before - 10_000);
    expect(scene.agent.deliveries).toHaveLength(10);
    const over = await useMandate(scene, jws);
    expect(outcomeOf(over)).toEqual(EXCEEDED);
    expect(messageOf(over)).toContain('This call needs 10 credits; the mandate has 5 credits left.');
  });

  it('run exactly as often as the mandate allows', async () => {
    const jws = await mandateOf(scene, { constraints: [budget(1_000), times(7)] });
    const replies = await storm(jws, 7);
    expect(tally(replies)).toEqual({ 200: 7, '402 mandate_exceeded': 43 });
    expect(messageOf(await useMandate(scene, jws))).toContain('The mandate has no calls left');
  });

  it('with one proof run once', async () => {
    const jws = await mandateOf(scene);
    const options = { jws, holder: scene.holder, agentId: scene.agentId, input: INPUT };
    const replies = await storm(jws, 1, { proof: await signProof(scene.market, options) });
    expect(tally(replies)).toEqual({ 200: 1, '403 mandate_invalid': 49 });
  });

  it('that fail give everything back', async () => {
    const jws = await mandateOf(scene, { constraints: [budget(100), times(10)] });
    const before = await wallet();
    scene.agent.behave({ kind: 'status', status: 500 });
    const failures = await Promise.all(Array.from({ length: 10 }, () => useMandate(scene, jws)));
    expect(tally(failures)).toEqual({ '502 agent_error': 10 });
    expect(await standing(jws)).toMatchObject({ spent_credits: 0, reserved_credits: 0, occurrences: 0 });
    expect(await wallet()).toBe(before);
    scene.agent.behave({ kind: 'echo' });
    const replies = await Promise.all(Array.from({ length: 10 }, () => useMandate(scene, jws)));
    expect(tally(replies)).toEqual({ 200: 10 });
  });
});

describe('one call', () => {
  it('may cost what mandate, proof and caller allow, whichever is least', async () => {
    const limited = await mandateOf(scene, { constraints: [budget(100), perCall(9)] });
    const wide = await mandateOf(scene, { constraints: [budget(100), perCall(10)] });
    const dear = await useMandate(scene, limited);
    expect(outcomeOf(dear)).toEqual(EXCEEDED);
    expect(messageOf(dear)).toContain('This call needs 10 credits. The mandate or its proof allows less');
    expect(outcomeOf(await useMandate(scene, wide, { maxCredits: 9 }))).toEqual(EXCEEDED);
    const own = await useMandate(scene, wide, { body: { max_cost_credits: 9 } });
    expect(outcomeOf(own)).toEqual([402, 'max_cost_exceeded']);
    expect(outcomeOf(await useMandate(scene, wide, { maxCredits: 10 }))).toEqual([200, null]);
    expect(scene.agent.deliveries).toHaveLength(1);
  });

  it('that is metered holds no more than its ceiling and spends what it cost', async () => {
    const { market, developer, agent } = scene;
    const pricing = {
      model: 'per_token',
      credits_per_1k_tokens: '100',
      max_credits_per_call: 1_000,
    } as const;
    const { agentId } = await putLive(market, developer.userId, agent.url, { pricing, timeoutMs: 20_000 });
    const jws = await mandateOf(scene, { constraints: [budget(100), perCall(60)] });
    const release = keepWaiting();
    const running = useMandate(scene, jws, { agentId, maxCredits: 50 });
    await agent.waitForDeliveries(1);
    expect(await standing(jws)).toMatchObject({ reserved_credits: 50, remaining_credits: 50 });
    release();
    const { body } = await running;
    const charged = body.usage?.credits_charged ?? 0;
    expect(charged).toBeGreaterThan(0);
    expect(charged).toBeLessThan(50);
    expect(await standing(jws)).toMatchObject({
      reserved_credits: 0,
      spent_credits: charged,
      occurrences: 1,
    });
    expect(outcomeOf(await useMandate(scene, jws, { agentId, maxCredits: 0 }))).toEqual(EXCEEDED);
  });

  it('of the free tier costs nothing of the budget and counts as a call', async () => {
    const { market, developer, agent } = scene;
    const { agentId } = await putLive(market, developer.userId, agent.url, { freeTierCalls: 5 });
    const jws = await mandateOf(scene, { constraints: [budget(1), times(2)] });
    expect(outcomeOf(await useMandate(scene, jws, { agentId }))).toEqual([200, null]);
    expect(outcomeOf(await useMandate(scene, jws, { agentId }))).toEqual([200, null]);
    expect(outcomeOf(await useMandate(scene, jws, { agentId }))).toEqual(EXCEEDED);
    expect(await standing(jws)).toMatchObject({ spent_credits: 0, occurrences: 2, remaining_credits: 1 });
  });

  it('is refused when the wallet of the issuer is empty, and reserves nothing', async () => {
    const { market } = scene;
    const issuer = await register(market, 'buyer', 5);
    const signer = await registerSigner(market, issuer);
    const jws = await mandateOf(scene, { issuer: issuer.userId, subject: issuer.userId, signer });
    const refused = await useMandate(scene, jws);
    expect(outcomeOf(refused)).toEqual([402, 'insufficient_credits']);
    expect(messageOf(refused)).toBe(
      "This call needs 10 credits; the wallet of the mandate's issuer holds too few. The issuer must top it up.",
    );
    expect((await request(market, issuer, 'GET', '/v1/mandates')).body).toMatchObject({
      items: [],
      total: 0,
    });
  });
});

describe('a dispute', () => {
  const dispute = (invocationId: string) =>
    request<{ dispute_id: string; status: string }>(
      scene.market,
      scene.issuer,
      'POST',
      '/v1/billing/disputes',
      {
        invocation_id: invocationId,
        reason: 'no_response',
        description: 'It takes too long.',
      },
    );

  it('of a call in progress releases what it reserved', async () => {
    const jws = await mandateOf(scene);
    const release = keepWaiting();
    const running = useMandate(scene, jws);
    await scene.agent.waitForDeliveries(1);
    expect((await dispute(scene.agent.deliveries[0]?.invocationId ?? '')).body.status).toBe('won');
    expect(outcomeOf(await running)).toEqual([409, 'already_disputed']);
    release();
    expect(await standing(jws)).toMatchObject({ reserved_credits: 0, spent_credits: 0, occurrences: 0 });
  });

  it('that is won gives the budget back', async () => {
    const jws = await mandateOf(scene);
    const reply = await useMandate(scene, jws);
    const opened = await dispute(reply.body.invocation_id ?? '');
    expect(await standing(jws)).toMatchObject({ spent_credits: 10 });
    const path = `/v1/billing/disputes/${opened.body.dispute_id}/respond`;
    const answer = { decision: 'accept', statement: 'Sorry.' };
    expect((await request(scene.market, scene.developer, 'POST', path, answer)).body).toMatchObject({
      status: 'accepted',
    });
    expect(await standing(jws)).toMatchObject({
      reserved_credits: 0,
      spent_credits: 0,
      remaining_credits: 100,
    });
  });
});
