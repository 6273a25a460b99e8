import type { RubricRolloutState } from '../../src/domain/verification/rubric-rollout';
import { rolloutId } from '../../src/engine/rubric-rollout';
import { fastForward } from '../../src/engine/time-travel';
import { FIRST_RUBRIC } from '../../src/verification/scoring/first-rubric';
import { taskQueues } from '../../src/workers/queues';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  eventually,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { registerDeveloper, request, type TestDeveloper } from '../support/catalogue/publishing';
import { cleanEvidence } from '../support/verification/run-evidence';
import { runWith } from '../support/verification/trust';

let market: TestMarket;
let operator: TestUser;
let developer: TestDeveloper;
let agent: TestAgent;

/** One for each try: a version of a rubric can be announced once. */
beforeEach(async () => {
  market = await startMarket();
  agent = await startAgent();
  operator = await register(market, 'buyer');
  await market.container.accounts.grantOperator(operator.email);
  developer = await registerDeveloper(market);
});
afterEach(async () => {
  await market.stop();
  await agent.stop();
});

function rollout(version: string) {
  const { client } = market.environment;
  const queue = taskQueues(market.temporal.taskQueuePrefix).operations;
  return { client, handle: client.workflow.getHandle(rolloutId(queue, version)) };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

async function travel(version: string, days: number): Promise<void> {
  const { client, handle } = rollout(version);
  await fastForward(client, handle.workflowId, days * DAY_MS);
}

const phase = async (version: string) =>
  (await rollout(version).handle.query<RubricRolloutState>('state')).phase;

describe('a rubric with other weights', () => {
  it('takes effect after its comments, and every agent that serves runs again by it', async () => {
    const live = await putLive(market, developer.userId, agent.url);
    await runWith(market, live, cleanEvidence());
    const retired = await putLive(market, developer.userId, agent.url);
    await request(market, developer, 'POST', `/v1/developer/agents/${retired.agentId}/retire`);
    const document = structuredClone(FIRST_RUBRIC);
    document.version = '2026.3';
    document.deductions.low = 6;
    const announced = await request(market, operator, 'POST', '/v1/operator/rubrics', {
      document,
      changelog: 'Low findings cost a little more.',
      rfc_url: 'https://market.example/rfc/2026.3',
    });
    expect(announced).toMatchObject({ status: 201, body: { status: 'announced' } });

    await eventually(async () => (await phase('2026.3').catch(() => '')) === 'comments', 20_000);
    await travel('2026.3', 29);
    const inEffect = async () =>
      (await request<{ status: string }>(market, operator, 'GET', '/v1/rubrics/2026.3')).body.status;
    expect(await inEffect()).toBe('announced');
    expect(await phase('2026.3')).toBe('comments');

    await travel('2026.3', 3).catch(() => undefined); // the workflow is over before that
    await eventually(async () => (await phase('2026.3')) === 'done', 20_000);
    expect(await inEffect()).toBe('in_effect');
    const runs = () =>
      market.owner.query<{ agent_id: string; reason: string; rubric: string | null }>(
        `SELECT v.agent_id, v.reason, t.rubric_version AS rubric FROM verification_runs v
           LEFT JOIN trust_reports t USING (run_id) ORDER BY v.sequence`,
      );
    await eventually(async () => (await runs()).rows[1]?.rubric !== undefined, 30_000);
    await eventually(async () => (await runs()).rows[1]?.rubric !== null, 60_000);
    expect((await runs()).rows).toEqual([
      { agent_id: live.agentId, reason: 'reverify', rubric: '2026.2' },
      { agent_id: live.agentId, reason: 'rubric', rubric: '2026.3' },
    ]);
  });
});
