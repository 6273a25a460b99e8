/** What a key answers after its call, in one API process and across two (contract, "Invocation"). */
import { invoke, putLive, register } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import {
  INPUT,
  PRICE,
  newKey,
  outcomeOf,
  startSameKeyScene,
  type SameKeyScene,
} from '../../support/calls/same-key';
import { realTime } from '../../support/waits';

let scene: SameKeyScene;
let market: SameKeyScene['market'];
let second: SameKeyScene['second'];
let agent: SameKeyScene['agent'];
let agentId: SameKeyScene['agentId'];
let developer: SameKeyScene['developer'];
let callWith: SameKeyScene['callWith'];
let holdAnswers: SameKeyScene['holdAnswers'];
let walletOf: SameKeyScene['walletOf'];

beforeAll(async () => {
  scene = await startSameKeyScene();
  ({ market, second, agent, agentId, developer, callWith, holdAnswers, walletOf } = scene);
});
beforeEach(() => {
  agent.behave({ kind: 'echo' });
  agent.forget();
});
afterAll(() => scene.stop());

describe('a key after its call', () => {
  it('runs again when the call failed, and is charged once', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    agent.behave({ kind: 'status', status: 500 });
    expect((await callWith(key, buyer)).status).toBe(502);
    expect((await callWith(key, buyer, second)).status).toBe(502);
    agent.behave({ kind: 'echo' });
    const reply = await callWith(key, buyer, second);
    expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(agent.deliveries).toHaveLength(3);
    expect((await callWith(key, buyer)).body).toEqual(reply.body);
    expect(await walletOf(buyer)).toBe(100 - PRICE);
  });

  it('may be used for something else when the call failed or was refused', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    agent.behave({ kind: 'status', status: 500 });
    await callWith(key, buyer);
    expect(outcomeOf(await callWith(key, buyer, market, { wrong: true }))).toEqual([
      422,
      'input_schema_mismatch',
    ]);
    agent.behave({ kind: 'echo' });
    expect((await callWith(key, buyer, market, { text: 'another' })).body.output).toEqual({
      text: 'another',
    });
  });

  it('is refused for another input or agent, while the call runs and afterwards, in both processes', async () => {
    const buyer = await register(market, 'buyer', 100);
    const other = await putLive(market, developer.userId, agent.url, { credits: PRICE });
    const key = newKey();
    const release = holdAnswers();
    const running = callWith(key, buyer);
    await agent.waitForDeliveries(1);
    const misuses = async () => [
      ...(await Promise.all([market, second].map((at) => callWith(key, buyer, at, { text: 'two' })))),
      ...(await Promise.all(
        [market, second].map((at) =>
          invoke(at, buyer, other.agentId, { input: INPUT, idempotency_key: key }),
        ),
      )),
    ];
    const early = await misuses();
    release();
    const { invocation_id: invocationId } = (await running).body;
    for (const reply of [...early, ...(await misuses())]) {
      expect(outcomeOf(reply)).toEqual([409, 'idempotency_key_reused']);
      expect(reply.body.invocation_id).toBe(invocationId);
    }
    expect(agent.deliveries).toHaveLength(1);
    expect(await walletOf(buyer)).toBe(100 - PRICE);
  });

  it('means the same input however its JSON is written', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const first = await callWith(key, buyer, market, { text: 'é', n: 10 });
    const body = `{"idempotency_key":"${key}","input":{ "n" : 1e1, "text":"\\u00e9" }}`;
    expect((await invoke(second, buyer, agentId, body)).body).toEqual(first.body);
    expect(agent.deliveries).toHaveLength(1);
  });

  it('is 409 already_disputed after a dispute, for waiting callers and for later ones', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const release = holdAnswers();
    const waiting = [callWith(key, buyer), callWith(key, buyer, second)];
    await agent.waitForDeliveries(1);
    await realTime(500, 'both callers begin to wait, which nothing shows');
    const { rows } = await market.owner.query<{ invocation_id: string }>(
      'SELECT invocation_id FROM invocations WHERE buyer_user_id = $1',
      [buyer.userId],
    );
    const dispute = {
      invocation_id: rows[0]?.invocation_id,
      reason: 'other',
      description: 'I did not want this.',
    };
    expect((await request(second, buyer, 'POST', '/v1/billing/disputes', dispute)).status).toBe(201);
    for (const reply of await Promise.all(waiting))
      expect(outcomeOf(reply)).toEqual([409, 'already_disputed']);
    release();
    for (const at of [market, second])
      expect(outcomeOf(await callWith(key, buyer, at))).toEqual([409, 'already_disputed']);
    expect(await walletOf(buyer)).toBe(100);
  });

  it('answers without output when the stored answer has expired, and charges nothing', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const first = await callWith(key, buyer);
    await market.owner.query(
      `UPDATE invocation_answers SET expires_at = now() - interval '1 second' WHERE invocation_id = $1`,
      [first.body.invocation_id],
    );
    for (const at of [market, second]) {
      const replay = await callWith(key, buyer, at);
      expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(replay.body).toEqual({ ...first.body, output: null, output_expired: true });
    }
    expect(agent.deliveries).toHaveLength(1);
    expect(await walletOf(buyer)).toBe(100 - PRICE);
  });
});
