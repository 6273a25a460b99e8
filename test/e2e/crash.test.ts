/**
 * kill -9 of each part of the product while 20 calls are in flight against an agent that takes two seconds. Afterwards
 * no credit may be lost, doubled or stuck. `npm test` runs one round of each kill, `npm run test:crash` ten.
 */
import { Client, Connection } from '@temporalio/client';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { CRASH_ROUNDS } from '../support/ledger/counts';
import { workflowOf } from '../support/calls/enrolled';
import {
  eventually,
  invoke,
  putLive,
  register,
  topUp,
  type InvokeReply,
  type TestUser,
} from '../support/market';
import {
  startProcessStack,
  type ProcessStack,
  type ServiceProcess,
  untilServing,
} from '../support/stack/process-stack';
import { realTime } from '../support/waits';
import { expectStackLedger, openCalls } from '../support/crash/books';

const CALLS = 20;
/** The promise: no hold is open when all parts have been back for this time. */
const HEAL_MS = 30_000;

jest.setTimeout(Math.max(240_000, CRASH_ROUNDS * 120_000));

let stack: ProcessStack;
let api: ServiceProcess;
let worker: ServiceProcess;
let agent: TestAgent;
let buyer: TestUser;
let agentId: string;

beforeAll(async () => {
  stack = await startProcessStack();
  api = await stack.addProcess('api');
  worker = await stack.addProcess('worker');
  agent = await startAgent({ behaviour: { kind: 'slow', ms: 2_000 }, keepBodies: false });
  const developer = await register(market(), 'developer');
  buyer = await register(market(), 'buyer', 1_000);
  ({ agentId } = await putLive(market(), developer.userId, agent.url, { credits: 5, timeoutMs: 10_000 }));
  await untilServing(api);
});

afterAll(async () => {
  await agent.stop();
  await stack.stop();
});

const market = () => ({ url: api.url, owner: stack.owner, container: stack.container as never });

type Outcome = { key: string; reply?: InvokeReply };

const victims: Record<string, { kill: () => Promise<void>; restart: () => Promise<void> }> = {
  'the API process': { kill: () => api.kill(), restart: () => api.start() },
  Postgres: { kill: () => stack.killPostgres(), restart: () => stack.startPostgres() },
  'the Temporal server': { kill: () => stack.killTemporal(), restart: () => stack.startTemporal() },
  'the worker': { kill: () => worker.kill(), restart: () => worker.start() },
};

describe.each(Object.keys(victims))('kill -9 of %s with 20 calls in flight', (name) => {
  it.each(Array.from({ length: CRASH_ROUNDS }, (_, n) => n + 1))(
    'loses, duplicates and leaves open no call (round %i)',
    async (round) => {
      const victim = victims[name];
      if (!victim) throw new Error(name);
      await topUp(stack.owner, buyer.userId, CALLS * 5);
      agent.forget();
      const running = Array.from({ length: CALLS }, (_, n) =>
        callOnce(`${name.replaceAll(' ', '_')}-${round}-${n}`),
      );
      await agent.waitForDeliveries(CALLS, 10_000);
      await realTime(350 * ((round * 7) % 5), 'the moment of the kill');
      expect(await openCalls(stack)).toBeGreaterThan(0);
      await victim.kill();
      await realTime(500, 'the part is away');
      await victim.restart();
      await untilServing(api);
      const backAt = Date.now();
      const outcomes = await Promise.all(running);
      await eventually(async () => (await openCalls(stack)) === 0, HEAL_MS - (Date.now() - backAt));
      if (process.env['CRASH_VERBOSE'])
        console.log(name, round, `healed ${Date.now() - backAt} ms after`, await ends(round, name));
      await expectNothingLost(outcomes);
      await expectAllEnrolled(round, name);
    },
  );
});

async function callOnce(key: string): Promise<Outcome> {
  try {
    const reply = await invoke(api, buyer, agentId, { input: { text: key } }, { 'idempotency-key': key });
    return { key, reply };
  } catch {
    return { key };
  }
}

async function ends(round: number, name: string): Promise<unknown> {
  const { rows } = await stack.owner.query(
    `SELECT status, error_code, count(*)::int, max(settled_at - invoked_at)::text AS longest FROM invocations
     WHERE idempotency_key LIKE 'k:' || $1 || '%' GROUP BY 1, 2`,
    [`${name.replaceAll(' ', '_')}-${round}-`],
  );
  return rows;
}

/** Each call of a round is in a workflow, also those that were accepted a moment before the kill. */
async function expectAllEnrolled(round: number, name: string): Promise<void> {
  const { rows } = await stack.owner.query<{ id: string }>(
    `SELECT invocation_id AS id FROM invocations WHERE idempotency_key LIKE 'k:' || $1 || '%'`,
    [`${name.replaceAll(' ', '_')}-${round}-`],
  );
  const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  const client = new Client({ connection });
  await Promise.all(rows.map(({ id }) => workflowOf(client, id)));
  await connection.close();
}

async function expectNothingLost(outcomes: Outcome[]): Promise<void> {
  await expectStackLedger(stack);
  const delivered = agent.deliveries.map((delivery) => delivery.invocationId);
  expect(new Set(delivered).size).toBe(delivered.length);
  const succeeded = await stack.owner.query<{ invocation_id: string; idempotency_key: string }>(
    `SELECT invocation_id, idempotency_key FROM invocations WHERE buyer_user_id = $1 AND status = 'succeeded'`,
    [buyer.userId],
  );
  const charged = new Map(succeeded.rows.map((row) => [row.idempotency_key, row.invocation_id]));
  for (const { key, reply } of outcomes) {
    if (reply?.status === 200) expect(charged.get(`k:${key}`)).toBe(reply.body.invocation_id);
    else if (reply) expect(charged.has(`k:${key}`)).toBe(false);
  }
}
