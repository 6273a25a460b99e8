/** kill -9 of the API process in the middle of 20 streams: every buyer is refunded in full and nothing stays open. */
import { Pool } from 'pg';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import { eventStream } from '../support/agents/behaviours';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { chat, CHAT_SCHEMAS, type ChatEvent, TURN } from '../support/chat';
import { balance, eventually, putLive, register, type TestUser } from '../support/market';
import { startProcessStack, type ProcessStack, type ServiceProcess } from '../support/process-stack';

const STREAMS = 20;
/** The promise: this long after everything is back, nothing is open. */
const HEAL_MS = 30_000;

jest.setTimeout(180_000);

let stack: ProcessStack;
let api: ServiceProcess;
let agent: TestAgent;
let buyer: TestUser;
let developer: TestUser;
let agentId: string;

beforeAll(async () => {
  stack = await startProcessStack();
  api = await stack.addProcess('api');
  await stack.addProcess('worker');
  agent = await startAgent({
    behaviour: eventStream(
      Array.from({ length: 200 }, () => 'word '),
      100,
    ),
  });
  const market = { url: api.url, owner: stack.owner, container: stack.container as never };
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  ({ agentId } = await putLive(market, developer.userId, agent.url, {
    credits: 5,
    timeoutMs: 30_000,
    ...CHAT_SCHEMAS,
  }));
  await eventually(async () => (await fetch(`${api.url}/readiness`)).status === 200, 60_000);
});
afterAll(async () => {
  await agent.stop();
  await stack.stop();
});

it('refunds all 20 and leaves none stuck', async () => {
  const seen = Array.from({ length: STREAMS }, (): ChatEvent[] => []);
  const turns = seen.map((events, n) =>
    chat(
      api,
      buyer,
      agentId,
      { ...TURN, idempotency_key: `stream-${n}` },
      { onEvent: (event) => void events.push(event) },
    ),
  );
  const ends = Promise.allSettled(turns);
  await eventually(() => Promise.resolve(seen.every((events) => events.length > 2)), 20_000);
  expect(await balance(stack.owner, buyer.userId, 'escrow')).toBe(STREAMS * 500);
  await api.kill();
  expect((await ends).map(({ status }) => status)).toEqual(Array.from({ length: STREAMS }, () => 'rejected'));
  expect(seen.flat().filter(({ type }) => type !== 'output_chunk')).toEqual([]);
  await eventually(async () => (await agent.openConnections()) === 0);
  await api.start();
  await eventually(async () => (await openCalls()) === 0, HEAL_MS);
  expect(await balance(stack.owner, buyer.userId, 'wallet')).toBe(100_000);
  expect(await balance(stack.owner, buyer.userId, 'escrow')).toBe(0);
  expect(await balance(stack.owner, developer.userId, 'payable')).toBe(0);
  const { rows } = await stack.owner.query(
    'SELECT status, count(*)::int AS calls FROM invocations GROUP BY 1',
  );
  expect(rows).toEqual([{ status: 'failed', calls: STREAMS }]);
  const pool = new Pool({ connectionString: stack.environment()['DATABASE_URL'] });
  const { proofs } = await checkLedger(pool);
  await pool.end();
  expect(proofs.filter(({ total }) => total > 0)).toEqual([]);
});

it('serves the same turns again afterwards', async () => {
  agent.behave(eventStream(['again']));
  const reply = await chat(api, buyer, agentId, { ...TURN, idempotency_key: 'stream-0' });
  expect([reply.text, reply.last?.type]).toEqual(['again', 'done']);
});

async function openCalls(): Promise<number> {
  const { rows } = await stack.owner.query<{ open: number }>(
    `SELECT ((SELECT count(*) FROM holds WHERE state = 'open')
           + (SELECT count(*) FROM invocations WHERE status IN ('pending', 'running')))::int AS open`,
  );
  return rows[0]?.open ?? -1;
}
