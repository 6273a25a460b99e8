/** One mandate on every surface: the same proof, the same wallet, the same budget. */
import { createHash } from 'node:crypto';
import { a2a, type PolledTask } from '../../support/protocols/a2a';
import { chat, CHAT_SCHEMAS, TURN } from '../../support/calls/chat';
import {
  type MandateScene,
  INPUT,
  mandateOf,
  outcomeOf,
  PRICE,
  startMandateScene,
  useMandate,
} from '../../support/mandates/mandate-scene';
import { claimsOf, type ProofOptions, readMandate, signProof } from '../../support/mandates/mandates';
import { balance, eventually, invoke, putLive, register } from '../../support/market';
import { legacy } from '../../support/protocols/mcp';
import { request } from '../../support/catalogue/publishing';
import { putSelfHosted, use } from '../../support/calls/use';

let scene: MandateScene;
let jws: string;
beforeAll(async () => {
  scene = await startMandateScene();
});
beforeEach(async () => {
  jws = await mandateOf(scene);
  scene.agent.behave({ kind: 'echo' });
  scene.agent.forget();
});
afterAll(() => scene.stop());

async function presented(input: unknown, options: Partial<ProofOptions> = {}) {
  const { agentId, holder, market } = scene;
  const proof = await signProof(market, { jws, agentId, holder, input, ...options });
  return { type: 'a2a.spend.v1', jws, proof };
}
const header = (mandate: unknown) => ({
  'x-mandate': Buffer.from(JSON.stringify(mandate)).toString('base64url'),
});
const read = () => readMandate(scene.market, scene.issuer, String(claimsOf(jws)['jti']));
const spent = async () => (await read()).spent_credits;

it('pays for a turn of chat, whose session belongs to the caller', async () => {
  const { market, developer, agent, caller, issuer } = scene;
  const { agentId } = await putLive(market, developer.userId, agent.url, CHAT_SCHEMAS);
  agent.behave({ kind: 'answer', output: { text: 'hello' } });
  const first = await chat(market, caller, agentId, { ...TURN, mandate: await presented(TURN, { agentId }) });
  expect(first).toMatchObject({ status: 200, text: 'hello', last: { type: 'done' } });
  const again = { ...TURN, session_id: first.last?.session_id ?? '' };
  const second = await chat(market, caller, agentId, {
    ...again,
    mandate: await presented(again, { agentId }),
  });
  expect(second.last?.session_id).toBe(first.last?.session_id);
  const wrong = await chat(market, caller, agentId, {
    ...again,
    mandate: await presented(TURN, { agentId }),
  });
  expect([wrong.status, wrong.refusal.error?.code]).toEqual([403, 'mandate_invalid']);
  await chat(market, issuer, agentId, again);
  const sessions = agent.deliveries.map(
    ({ body }) => (JSON.parse(body.toString()) as { session_id: string }).session_id,
  );
  expect(sessions[0]).toBe(sessions[1]);
  expect(sessions[2]).not.toBe(sessions[1]);
  expect(await spent()).toBe(2 * PRICE);
});

it("pays for bodies of the agent's own: the proof is over their hash", async () => {
  const { market, developer, agent, caller } = scene;
  const hosted = await putSelfHosted(market, developer, agent.url, { credits: PRICE });
  agent.behave({ kind: 'answer', output: { rows: 1 } });
  const body = Buffer.from('a;b\n1;2\n');
  const hash = createHash('sha256').update(body).digest('hex');
  const good = await presented(hash, { agentId: hosted.agentId });
  const csv = (mandate: unknown) =>
    use(market, caller, hosted, body, { 'content-type': 'text/csv', ...header(mandate) });
  const other = await presented(hash.replace(/^./, 'g'), { agentId: hosted.agentId });
  expect(outcomeOf(await csv(other))).toEqual([403, 'mandate_invalid']);
  expect(outcomeOf(await csv(good))).toEqual([200, null]);
  expect(agent.deliveries.map((delivery) => delivery.body.toString())).toEqual([body.toString()]);
  for (const text of ['{', 'not base64!', Buffer.from('{').toString('base64url')]) {
    const reply = await use(market, caller, hosted, body, { 'x-mandate': text });
    expect(outcomeOf(reply)).toEqual([400, 'invalid_header']);
  }
  expect(await spent()).toBe(PRICE);
});

it('pays for inputs by use, MCP and A2A tasks', async () => {
  const { market, agentId, caller, developer } = scene;
  const found = await market.owner.query<{ developer_id: string; slug: string }>(
    'SELECT u.developer_id, a.slug FROM agents a JOIN users u ON u.user_id = $2 WHERE a.agent_id = $1',
    [agentId, developer.userId],
  );
  const { developer_id: owner = '', slug = '' } = found.rows[0] ?? {};
  expect(
    outcomeOf(await use(market, caller, { owner, slug }, INPUT, header(await presented(INPUT)))),
  ).toEqual([200, null]);

  const call = async (mandate: unknown) =>
    legacy(market, caller, agentId, 'tools/call', {
      name: 'invoke',
      arguments: INPUT,
      _meta: { 'io.market/mandate': mandate },
    });
  const result = await call(await presented(INPUT));
  expect(result.body.result).toMatchObject({
    structuredContent: INPUT,
    _meta: { 'io.market/credits_charged': PRICE },
  });
  const refused = await call({ ...(await presented({ text: 'other' })) });
  expect(refused.body.result).toMatchObject({
    isError: true,
    _meta: { 'io.market/error_code': 'mandate_invalid' },
  });

  const task = { input: INPUT, mandate: await presented(INPUT) };
  const accepted = await a2a(market, caller, 'POST', `${agentId}/tasks`, task);
  expect(accepted.status).toBe(202);
  const path = `${agentId}/tasks/${accepted.body.task_id}`;
  let polled: PolledTask | undefined;
  await eventually(async () => {
    polled = (await a2a(market, caller, 'GET', path)).body;
    return polled.status === 'succeeded';
  });
  expect(polled).toMatchObject({ output: INPUT, usage: { credits_charged: PRICE } });
  expect(await spent()).toBe(3 * PRICE);
});

it('does not count against the cap of an API key', async () => {
  const { market, agentId, issuer } = scene;
  const caller = await register(market, 'buyer', 100);
  const made = await fetch(`${market.url}/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: caller.cookie },
    body: JSON.stringify({ name: 'capped', scopes: ['agents:invoke'], credit_cap: 1 }),
  });
  const { key } = (await made.json()) as { key: string };
  const before = await balance(market.owner, issuer.userId, 'wallet');
  const body = { input: INPUT, mandate: await presented(INPUT) };
  const paid = await invoke(market, { cookie: '' }, agentId, body, { 'x-api-key': key });
  expect(outcomeOf(paid)).toEqual([200, null]);
  const own = await invoke(market, { cookie: '' }, agentId, { input: INPUT }, { 'x-api-key': key });
  expect(outcomeOf(own)).toEqual([402, 'credit_cap_exceeded']);
  expect(await balance(market.owner, issuer.userId, 'wallet')).toBe(before - PRICE * 100);
  expect(await balance(market.owner, caller.userId, 'wallet')).toBe(10_000);
  expect(outcomeOf(await useMandate(scene, jws, { proof: null }))).toEqual([403, 'mandate_invalid']);
});

it('is given back in full when the payer cancels the call, which its caller awaits and cannot cancel', async () => {
  const { market, agentId, agent, caller, issuer } = scene;
  const before = await balance(market.owner, issuer.userId, 'wallet');
  let release = (): void => undefined;
  agent.behave({ kind: 'waits', until: new Promise<void>((resolve) => (release = resolve)) });
  const body = { input: INPUT, mandate: await presented(INPUT) };
  const reply = invoke(market, caller, agentId, body, { prefer: 'respond-async' });
  await agent.waitForDeliveries(1);
  const path = `/v1/invocations/${agent.deliveries[0]?.invocationId ?? ''}`;
  expect(await read()).toMatchObject({ spent_credits: 0, reserved_credits: PRICE });
  expect((await request(market, caller, 'DELETE', path)).status).toBe(404);
  expect((await request(market, caller, 'GET', `${path}?wait=1`)).status).toBe(404);
  expect((await request(market, issuer, 'DELETE', path)).status).toBe(200);
  expect(outcomeOf(await reply)).toEqual([409, 'canceled']);
  release();
  expect(await read()).toMatchObject({ spent_credits: 0, reserved_credits: 0 });
  expect(await balance(market.owner, issuer.userId, 'wallet')).toBe(before);
});
