/**
 * What people send to agents, and what agents answer, is nowhere to be read: not in a table, not in a log, not in
 * Temporal, not in any file of the stack. Searched for are the words themselves, and their base64 and hexadecimal
 * forms. Marks that must be there prove that the search would find them.
 */
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { retentionScheduleId } from '../../src/engine/schedules';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { workflowOf } from '../support/enrolled';
import { eventually, invoke, putLive, register, type TestUser } from '../support/market';
import { startProcessStack, type ProcessStack, type ServiceProcess } from '../support/process-stack';
import { dumpHistories, dumpTables, placesOf, postgresFolder, readFiles } from '../support/traces';

jest.setTimeout(180_000);

const SENT = 'canaryinput7f3a9c';
const ANSWERED = 'canaryoutput51d2e8';
/** Client's own words that are stored: idempotency keys. */
const STORED = 'storedmark90ab';

let stack: ProcessStack;
let api: ServiceProcess;
let agent: TestAgent;
let developer: TestUser;
let buyer: TestUser;

beforeAll(async () => {
  stack = await startProcessStack();
  agent = await startAgent();
  api = await stack.addProcess('api', { env: { LOG_LEVEL: 'trace' } });
  await stack.addProcess('worker', { env: { LOG_LEVEL: 'trace' } });
  await eventually(async () => (await fetch(`${api.url}/readiness`)).status === 200, 30_000);
  developer = await register(market(), 'developer');
  buyer = await register(market(), 'buyer', 1_000);
});
afterAll(async () => {
  await agent.stop();
  await stack.stop();
});

const market = () => ({ url: api.url, owner: stack.owner, container: stack.container as never });

const input = { text: SENT };
const answer = { kind: 'answer', output: { text: ANSWERED } } as const;

/** Every way a call can go: kept by key or not, failed by status, by schema, refused for its input. */
async function callEveryWay(retentionDays: number): Promise<string> {
  const { agentId } = await putLive(market(), developer.userId, agent.url, { retentionDays });
  const call = (body: unknown) => invoke(market(), buyer, agentId, body);
  agent.behave(answer);
  const replies = [
    await call({ input }),
    await call({ input, idempotency_key: `${STORED}-${retentionDays}` }),
  ];
  expect(replies.map((reply) => reply.body.output)).toEqual([answer.output, answer.output]);
  agent.behave({ ...answer, status: 500 });
  replies.push(await call({ input }));
  agent.behave({ kind: 'answer', output: { [ANSWERED]: ANSWERED } });
  replies.push(await call({ input }));
  replies.push(await call({ input: { text: SENT, n: SENT, [SENT]: true } }));
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 502, 502, 422]);
  return replies[1]?.body.invocation_id ?? '';
}

it('keeps nothing that can be read of inputs and outputs, in tables, logs, histories and files', async () => {
  const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  const client = new TemporalClient({ connection });
  const forgotten = await callEveryWay(0);
  const kept = await callEveryWay(1);
  const answersOf = async () =>
    (await stack.owner.query<{ id: string }>('SELECT invocation_id AS id FROM invocation_answers')).rows.map(
      ({ id }) => id,
    );
  await eventually(async () => !(await answersOf()).includes(forgotten));
  expect(await answersOf()).toEqual([kept]);
  for (const id of [forgotten, kept]) await workflowOf(client, id);

  const folder = await postgresFolder(stack);
  const tables = await dumpTables(stack);
  const histories = await dumpHistories(client);
  const files = new Map([...readFiles(stack.home), ...readFiles(folder)]);
  const everything = new Map([...tables, ...histories, ...files]);
  for (const word of [SENT, ANSWERED]) expect(placesOf(everything, word)).toEqual([]);

  // the search finds what is there: keys in tables and in Postgres' files, call ids in histories, Temporal's file and logs
  expect(placesOf(tables, STORED).sort()).toEqual(['table invocation_keys', 'table invocations']);
  expect(placesOf(files, STORED).length).toBeGreaterThan(0);
  expect(placesOf(histories, kept)).toEqual([`history ${await workflowOf(client, kept)}`]);
  expect(placesOf(files, kept).some((path) => path.includes('temporal.db'))).toBe(true);
  expect([...files.keys()].filter((path) => /\/(api|worker)-\d+\.log$/.test(path))).toHaveLength(2);
  expect(placesOf(files, '/v1/agents/').some((path) => /api-\d+\.log$/.test(path))).toBe(true);

  await stack.owner.query(`UPDATE invocation_answers SET expires_at = now() - interval '1 second'`);
  // The worker makes the Schedule when it has connected, which may be a moment after everything is ready.
  const trigger = () => client.schedule.getHandle(retentionScheduleId('')).trigger();
  await eventually(
    () =>
      trigger().then(
        () => true,
        () => false,
      ),
    20_000,
  );
  await eventually(async () => (await answersOf()).length === 0, 20_000);
  await connection.close();
});
