/**
 * Automatic retries (specification, "capabilities"; issue: only for agents that declare `idempotent: true`, inside
 * `timeout_ms`, under the same `Idempotency-Key`, at most 3 attempts, never after a valid answer).
 */
import type { Behaviour } from '../../support/agents/behaviours';
import { balance, invoke, putLive, type InvokeReply } from '../../support/market';
import { startScene, type Scene } from '../../support/scene';

let scene: Scene;
let market: Scene['market'];
let buyer: Scene['buyer'];
let agent: Scene['agent'];
let idempotent: string;
let plain: string;

beforeAll(async () => {
  scene = await startScene({ agent: { idempotent: false } });
  ({ market, buyer, agent, agentId: plain } = scene);
  idempotent = await put({ idempotent: true });
});
beforeEach(() => agent.forget());
afterAll(() => scene.stop());

async function put(options: Parameters<typeof putLive>[3]): Promise<string> {
  return (
    await putLive(market, scene.developer.userId, agent.url, { credits: 10, timeoutMs: 15_000, ...options })
  ).agentId;
}

/** The agent answers its deliveries one after another like this, the last one for ever. */
function answerInTurn(...turns: Behaviour[]): void {
  let at = 0;
  agent.behave(() => turns[Math.min(at++, turns.length - 1)] as Behaviour);
}

const ECHO: Behaviour = { kind: 'echo' };
const FAILS: Behaviour = { kind: 'status', status: 500 };
const call = (agentId: string, body: object = {}) =>
  invoke(market, buyer, agentId, { input: { text: 'try' }, ...body });
const outcomeOf = (reply: InvokeReply) => [reply.status, reply.body.error?.code];
const wallet = () => balance(market.owner, buyer.userId, 'wallet');
const headersOf = (name: string) => agent.deliveries.map(({ headers }) => headers[name]);

describe('a failed forward to an idempotent agent', () => {
  const failures: [string, Behaviour][] = [
    ['an error status', FAILS],
    ['something that is not JSON', { kind: 'not_json' }],
    ['a closed connection', { kind: 'dies_before_answer' }],
    ['half of an answer', { kind: 'dies_mid_answer' }],
    ...[408, 409, 425, 429].map((status): [string, Behaviour] => [
      `${status}, which says nothing about the input`,
      { kind: 'status', status },
    ]),
  ];

  it.each(failures)('is repeated after %s, and charged once', async (_name, failure) => {
    answerInTurn(failure, failure, ECHO);
    const before = await wallet();
    const reply = await call(idempotent);
    expect(reply.body).toMatchObject({ output: { text: 'try' }, usage: { credits_charged: 10 } });
    expect(agent.deliveries).toHaveLength(3);
    expect(new Set(headersOf('idempotency-key'))).toEqual(new Set([reply.body.invocation_id]));
    expect(new Set(headersOf('x-invocation-id'))).toEqual(new Set([reply.body.invocation_id]));
    expect(new Set(agent.deliveries.map(({ body }) => body.toString()))).toEqual(new Set(['{"text":"try"}']));
    expect(before - (await wallet())).toBe(1_000);
  });

  it('is given up after the third attempt, and is free', async () => {
    answerInTurn(FAILS);
    const before = await wallet();
    expect(outcomeOf(await call(idempotent))).toEqual([502, 'agent_error']);
    expect(agent.deliveries).toHaveLength(3);
    expect(await wallet()).toBe(before);
  });

  it('is not repeated beyond timeout_ms', async () => {
    const agentId = await put({ idempotent: true, timeoutMs: 1_000 });
    answerInTurn({ kind: 'slow', ms: 320, then: FAILS });
    const startedAt = performance.now();
    expect(outcomeOf(await call(agentId))).toEqual([502, 'agent_error']);
    expect(performance.now() - startedAt).toBeLessThan(1_900);
    expect(agent.deliveries).toHaveLength(2);
  });

  it('leaves a repeated attempt only the time that is left', async () => {
    const agentId = await put({ idempotent: true, timeoutMs: 1_200 });
    answerInTurn({ kind: 'slow', ms: 500, then: FAILS }, { kind: 'hangs' });
    const startedAt = performance.now();
    expect(outcomeOf(await call(agentId))).toEqual([504, 'agent_timeout']);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    const [first, second] = headersOf('x-deadline-ms').map(Number);
    expect(first).toBeGreaterThan(1_100);
    expect(second).toBeLessThanOrEqual(700);
    expect(agent.deliveries).toHaveLength(2);
  });

  it('costs a call that is paid by seconds only its last attempt', async () => {
    const pricing = { model: 'per_second' as const, credits_per_second: '100', max_credits_per_call: 1_000 };
    const agentId = await put({ idempotent: true, pricing });
    answerInTurn({ kind: 'slow', ms: 800, then: FAILS }, ECHO);
    const { usage } = (await call(agentId)).body;
    expect(usage?.duration_ms).toBeLessThan(800);
    expect(usage?.credits_charged).toBe(Math.ceil((usage?.duration_ms ?? 0) / 10));
  });
});

describe('only one delivery is made', () => {
  const answers: [string, Behaviour, unknown[]][] = [
    ['a valid answer', ECHO, [200, undefined]],
    ['JSON outside the output schema', { kind: 'wrong_shape' }, [502, 'output_schema_mismatch']],
    ...[400, 401, 404, 413, 415, 422].map((status): [string, Behaviour, unknown[]] => [
      `${status}, which it would give again`,
      { kind: 'status', status },
      [502, 'agent_error'],
    ]),
    ['too large an answer', { kind: 'huge', bytes: 11 * 1024 * 1024 }, [502, 'response_too_large']],
  ];

  it.each(answers)('when an idempotent agent gives %s', async (_name, answer, outcome) => {
    answerInTurn(answer, ECHO);
    expect(outcomeOf(await call(idempotent))).toEqual(outcome);
    expect(agent.deliveries).toHaveLength(1);
  });

  it.each([FAILS, { kind: 'dies_before_answer' }, { kind: 'dies_mid_answer' }] as Behaviour[])(
    'when an agent is not idempotent, with a key too (%j)',
    async (failure) => {
      answerInTurn(failure, ECHO);
      expect((await call(plain)).status).toBe(502);
      expect((await call(plain, { idempotency_key: `plain-${failure.kind}` })).status).toBe(200);
      answerInTurn(failure, ECHO);
      expect((await call(plain, { idempotency_key: `keyed-${failure.kind}` })).status).toBe(502);
      expect(agent.deliveries).toHaveLength(3);
      expect(new Set(headersOf('idempotency-key')).size).toBe(3);
    },
  );
});
