/**
 * 1,000 duplicates (500 outside the campaign) of one keyed call, 50 at once over two API processes, with a kill while the call runs and another
 * one afterwards (security reference, T9): one charge, one answer of the agent, equal replies.
 */
import { Pool } from 'pg';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import type { BehaviourChoice } from '../support/agents/behaviours';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  balance,
  eventually,
  invoke,
  putLive,
  register,
  type InvokeReply,
  type TestUser,
} from '../support/market';
import { few } from '../support/counts';
import { startProcessStack, type ProcessStack, type ServiceProcess } from '../support/process-stack';

const DUPLICATES = few(500, 1_000);
const AT_ONCE = 50;
const PRICE = 5;
const PATIENCE_MS = 90_000;

jest.setTimeout(240_000);

let stack: ProcessStack;
let apis: ServiceProcess[];
let agent: TestAgent;
let buyer: TestUser;
let agentId: string;

beforeAll(async () => {
  stack = await startProcessStack();
  const env = { RATE_LIMIT_PER_ACCOUNT: '1000000', RATE_LIMIT_INVOCATIONS: '1000000' };
  apis = [await stack.addProcess('api', { env }), await stack.addProcess('api', { env })];
  await stack.addProcess('worker');
  agent = await startAgent();
  const market = { url: apiAt(0).url, owner: stack.owner, container: stack.container as never };
  const developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 100);
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: PRICE, timeoutMs: 8_000 }));
  await Promise.all(apis.map((api) => untilServing(api)));
});

afterAll(async () => {
  await agent.stop();
  await stack.stop();
});

it('makes one charge, one answer and equal replies of all duplicates over two processes and two kills', async () => {
  // The first delivery is never answered: its process is killed first. The next one is answered after a while.
  const inTurn: BehaviourChoice = () =>
    agent.deliveries.length === 1 ? { kind: 'hangs' } : { kind: 'slow', ms: 500 };
  agent.behave(inTurn);
  const first = duplicate(0);
  await agent.waitForDeliveries(1, 10_000);
  let next = 1;
  const replies: InvokeReply[] = [];
  const callers = Array.from({ length: AT_ONCE }, async () => {
    while (next < DUPLICATES) replies.push(await duplicate(next++));
  });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await apiAt(0).kill();
  await apiAt(0).start();
  await eventually(() => Promise.resolve(replies.length > DUPLICATES / 4), PATIENCE_MS);
  await apiAt(1).kill();
  await apiAt(1).start();
  await Promise.all(callers);
  replies.push(await first);

  expect(replies).toHaveLength(DUPLICATES);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(agent.deliveries.filter(({ answered }) => answered)).toHaveLength(1);
  expect(await balance(stack.owner, buyer.userId, 'wallet')).toBe((100 - PRICE) * 100);
  const { rows } = await stack.owner.query(
    `SELECT status, count(*)::int AS calls FROM invocations GROUP BY 1 ORDER BY 1`,
  );
  expect(rows).toEqual([
    { status: 'failed', calls: 1 },
    { status: 'succeeded', calls: 1 },
  ]);
  await expectWholeLedger();
});

/** Calls as clients should: again with the same key while the answer is missing or says that a retry may help. */
async function duplicate(n: number): Promise<InvokeReply> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let attempt = 0; ; attempt += 1) {
    const at = apiAt((n + attempt) % apis.length);
    const reply = await invoke(at, buyer, agentId, {
      input: { text: 'once' },
      idempotency_key: 'order-1',
    }).catch(() => undefined);
    if (reply && (reply.status < 500 || !reply.body.error?.retryable)) return reply;
    if (Date.now() > giveUpAt) throw new Error(`no answer: ${JSON.stringify(reply?.body)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function apiAt(index: number): ServiceProcess {
  const api = apis[index];
  if (!api) throw new Error(`no API process ${index}`);
  return api;
}

async function untilServing(api: ServiceProcess): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${api.url}/readiness`).catch(() => undefined);
    return response?.status === 200;
  }, 60_000);
}

async function expectWholeLedger(): Promise<void> {
  const pool = new Pool({ connectionString: stack.environment()['DATABASE_URL'] });
  const report = await checkLedger(pool);
  await pool.end();
  expect(report.proofs.filter((proof) => proof.total > 0)).toEqual([]);
}
