/** Changed workflow code is deployed next to workflows that wait for months (docs/operators/upgrade.md). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { jobTaken, startJobAgent } from '../support/jobs/reporting-agent';
import { startAgent } from '../support/agents/test-agent';
import { counter, decide, deposit, readSlash, slash } from '../support/disputes/bonds';
import { registerOperator, succeed } from '../support/disputes/disputes';
import {
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';

const BUNDLE = resolve(__dirname, '../../dist/workflow-bundle.js');
const folder = mkdtempSync(join(tmpdir(), 'worker-versions-'));
const CHANGED_BUNDLE = join(folder, 'workflow-bundle.js');

let market: TestMarket;
let next: TestMarket;

beforeAll(async () => {
  market = await startMarket({ env: { WORKER_BUILD_ID: 'first' } });
  await makeCurrent('first');
});
afterAll(async () => {
  await next.stop();
  await market.stop();
  rmSync(folder, { recursive: true });
});

/** The effect of `temporal worker deployment set-current-version`. */
async function makeCurrent(buildId: string): Promise<void> {
  const { namespace, taskQueuePrefix } = market.temporal;
  const { workflowService } = market.environment.client;
  const deploymentName = `${taskQueuePrefix}marketplace`;
  await eventually(() =>
    workflowService
      .setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId })
      .then(() => true)
      // Until its worker has polled for the first time, the server does not know a build.
      .catch(() => false),
  );
}

/** The workflows of slashes begin in another way: no history of before can be replayed with it. */
function changeBundle(): void {
  const changed = readFileSync(BUNDLE, 'utf8').replace(
    /(async function slashBond\(input\) \{)/,
    `$1 await workflow_1.sleep(1);`,
  );
  expect(changed).toMatch(/slashBond\(input\) \{ await workflow_1\.sleep\(1\);/);
  writeFileSync(CHANGED_BUNDLE, changed);
}

const buildOf = (slashId: string) => buildOfWorkflow(`slash/${slashId}`);

async function buildOfWorkflow(workflowId: string): Promise<string | undefined> {
  const description = await market.environment.client.workflow.getHandle(workflowId).describe();
  return description.raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
}

it('ends a slash on the build that it began on, while new slashes run on the next', async () => {
  const operator = await registerOperator(market);
  const agent = await startAgent();
  const buyer = await register(market, 'buyer', 100_000);
  const apply = async (): Promise<{ slashId: string; developer: TestUser }> => {
    const developer = await register(market, 'developer', 3_000);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 700 });
    const calls = [await succeed(market, buyer, agentId)];
    await deposit(market, developer, 600);
    const { body } = await slash(market, operator, { agentId, credits: 100, calls });
    const begun = async () => (await buildOf(body.slash_id).catch(() => undefined)) !== undefined;
    await eventually(begun, 20_000);
    return { slashId: body.slash_id, developer };
  };
  const before = await apply();
  const working = await startJobAgent(market, await register(market, 'developer'));
  await invoke(market, buyer, working.agentId, { input: { text: 'x' } }, { prefer: 'respond-async' });
  const job = await jobTaken(market, working);

  changeBundle();
  const env = { WORKER_BUILD_ID: 'second', WORKFLOW_BUNDLE: CHANGED_BUNDLE };
  next = await startMarket({ share: market, operations: true, env });
  await makeCurrent('second');
  const after = await apply();
  expect([await buildOf(before.slashId), await buildOf(after.slashId)]).toEqual(['first', 'second']);

  // A job waits on its build as well; its agent answers it after the deploy.
  expect(await working.callBack(job, 'answer', { output: { text: 'done' } })).toBe(202);
  const ended = await fetch(`${market.url}/v1/invocations/${job}?wait=30`, {
    headers: { cookie: buyer.cookie },
  });
  expect(await ended.json()).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
  expect(await buildOfWorkflow(`invocation/${job}`)).toBe('first');
  await working.agent.stop();

  for (const { slashId, developer } of [before, after]) {
    // While the server spreads the news of the current build, an update may be refused as unavailable.
    await eventually(async () => {
      if ((await counter(market, developer, slashId)).status === 200) return true;
      return (await readSlash(market, developer, slashId)).status === 'contested';
    });
    expect((await decide(market, operator, slashId, 'overturned')).status).toBe(200);
    expect((await readSlash(market, developer, slashId)).status).toBe('overturned');
  }
  expect([await buildOf(before.slashId), await buildOf(after.slashId)]).toEqual(['first', 'second']);
  await agent.stop();
  await expectWholeLedger(market);
});
