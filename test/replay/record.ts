/**
 * `npx tsx test/replay/record.ts`: runs each kind of workflow on a stack of its own and saves its history. Run it when
 * a workflow type is new or changes its course, and give the new history a new name. A saved history is never deleted,
 * because workflows that began with that code may still run (test/workflow/replay.test.ts).
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Behaviour } from '../support/agents/behaviours';
import { a2a } from '../support/protocols/a2a';
import { startAgent } from '../support/agents/test-agent';
import { dispute, resolve, respond, succeed } from '../support/disputes/disputes';
import { startHookServer } from '../support/webhooks/hook-server';
import { workflowOf } from '../support/calls/enrolled';
import { testManifest } from '../support/agents/manifest';
import { eventually, invoke, putLive, register, type TestMarket } from '../support/market';
import { publish, registerDeveloper, request } from '../support/catalogue/publishing';
import { findTemporalBinary } from '../../src/runtime/temporal/temporal-binary';
import { startProcessStack } from '../support/stack/process-stack';
import { recordGroups } from './record-groups';
import { recordJobs } from './record-jobs';
import { recordMonday, recordSlashes, SHORT_WINDOWS } from './record-money';
import { startUsdc } from './record-usdc';

const FOLDER = join(__dirname, 'histories');
const CALLS: [string, Behaviour][] = [
  ['invocation-succeeded', { kind: 'echo' }],
  ['invocation-agent-error', { kind: 'status', status: 500 }],
  ['invocation-agent-timeout', { kind: 'hangs' }],
  ['invocation-output-mismatch', { kind: 'wrong_shape' }],
];

const TASKS: [string, Behaviour][] = [
  ['task-steps-succeeded', { kind: 'echo' }],
  ['task-steps-mismatch', { kind: 'wrong_shape' }],
  ['task-steps-canceled', { kind: 'hangs' }],
];

const CASES: [string, string][] = [
  ['dispute-accepted', 'accept'],
  ['dispute-won', 'buyer'],
  ['dispute-lost', 'developer'],
];

async function main(): Promise<void> {
  const stack = await startProcessStack();
  const api = await stack.addProcess('api', {
    // Most calls of a group share its workflow.
    env: { ...SHORT_WINDOWS, OWN_WORKFLOWS_PER_SECOND: '1' },
  });
  const usdc = await startUsdc();
  await stack.addProcess('worker', { env: usdc.settings });
  const agent = await startAgent();
  const market = { url: api.url, owner: stack.owner, container: stack.container as never };
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 1_000);
  await eventually(async () => (await fetch(`${api.url}/readiness`)).status === 200, 60_000);
  const address = stack.environment()['TEMPORAL_ADDRESS'] ?? '';
  const binary = await findTemporalBinary(() => undefined);
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const show = (name: string, workflowId: string, runId?: string) =>
    save(
      name,
      [
        ...['workflow', 'show', '--address', address, '--workflow-id', workflowId, '--output', 'json'],
        ...(runId === undefined ? [] : ['--run-id', runId]),
      ],
      binary,
    );
  await recordVerification(market, client, agent.url, show);
  for (const [name, behaviour] of CALLS) {
    agent.behave(behaviour);
    const { agentId } = await putLive(market, developer.userId, agent.url, { timeoutMs: 1_000 });
    const { body } = await invoke(api, buyer, agentId, { input: { text: name } });
    const workflowId = await workflowOf(client, body.invocation_id ?? '');
    await client.workflow.getHandle(workflowId).result();
    show(name, workflowId);
  }
  await recordGroups(market, client, show);
  await recordJobs(market, client, show);
  agent.behave({ kind: 'echo' });
  const operator = await register(market, 'buyer');
  await stack.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  await recordSlashes(market, client, { agentUrl: agent.url, operator, buyer }, show);
  await recordMonday(stack, show);
  await usdc.record(stack, client, show);
  await usdc.stop();
  for (const [name, decision] of CASES) {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const { body } = await dispute(api, buyer, await succeed(api, buyer, agentId));
    await respond(api, developer, body.dispute_id, decision === 'accept' ? 'accept' : 'contest');
    if (decision !== 'accept') await resolve(api, operator, body.dispute_id, decision);
    const workflowId = `dispute/${body.dispute_id}`;
    await client.workflow.getHandle(workflowId).result();
    show(name, workflowId);
  }
  const { agentId } = await putLive(market, developer.userId, agent.url);
  const hook = await startHookServer();
  for (const [name, behaviour] of TASKS) {
    agent.behave(behaviour);
    const task = await sendTask(api, buyer, agentId, hook.url);
    if (name === 'task-steps-canceled') {
      await eventually(async () => agent.countOf(task) > 0);
      await client.workflow.getHandle(`invocation/${task}`).cancel();
    }
    await client.workflow.getHandle(`invocation/${task}`).result();
    show(name, `invocation/${task}`);
  }
  const { rows } = await stack.owner.query<{ id: string }>(
    `SELECT 'webhook/' || event_id || '/' || endpoint_id AS id FROM webhook_deliveries LIMIT 1`,
  );
  const delivery = rows[0]?.id ?? '';
  await eventually(
    async () => (await client.workflow.getHandle(delivery).describe()).status.name === 'COMPLETED',
  );
  show('webhook-delivered', delivery);
  await hook.stop();
  await connection.close();
  await agent.stop();
  await stack.stop();
}

/** The life of an agent: published, verified again, retired. */
async function recordVerification(
  market: Pick<TestMarket, 'url' | 'owner'>,
  client: Client,
  agentUrl: string,
  show: (name: string, workflowId: string) => void,
): Promise<void> {
  const developer = await registerDeveloper(market);
  const { body } = await publish(market, developer, testManifest(agentUrl, { agentId: 'recorded' }));
  const life = client.workflow.getHandle(`verification/${body.agent_id}`);
  const runs = (count: number) => async () =>
    (await life.query<{ runs: number }>('state').catch(() => undefined))?.runs === count;
  await eventually(runs(1), 30_000);
  await life.signal('trigger', { reason: 'reverify' });
  await eventually(runs(2), 30_000);
  await request(market, developer, 'POST', `/v1/developer/agents/${body.agent_id}/retire`);
  await life.signal('trigger', { reason: 'scheduled' });
  await life.result();
  const { rows } = await market.owner.query<{ run_id: string }>(
    'SELECT run_id FROM verification_runs LIMIT 1',
  );
  show('agent-verification', `verification/${body.agent_id}`);
  show('verification-run-own-calls', `verification/${body.agent_id}/${rows[0]?.run_id}`);
}

async function sendTask(
  api: { url: string },
  buyer: { cookie: string },
  agentId: string,
  hookUrl: string,
): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: 'record' } }] };
  const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: hookUrl } };
  const reply = await a2a<{ task: { id: string } }>(
    api,
    buyer,
    'POST',
    `${agentId}/message:send`,
    { message, configuration },
    { 'a2a-version': '1.0' },
  );
  return reply.body.task.id;
}

/**
 * Saves a history as `temporal workflow show` prints it and every SDK reads it, on one line: no person reads it by eye.
 */
function save(name: string, args: string[], binary: string): void {
  const file = join(FOLDER, `${name}.json`);
  if (existsSync(file)) return console.log(`${name}: kept`);
  const history: unknown = JSON.parse(
    execFileSync(binary, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  );
  writeFileSync(file, `${JSON.stringify(history)}\n`);
  console.log(`${name}: saved`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
