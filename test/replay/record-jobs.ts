/** Records the workflows of jobs: a task that becomes one, a question that is answered, and one that goes on as new. */
import type { Client } from '@temporalio/client';
import { addressIn, postCallback } from '../support/jobs/callbacks';
import { newJobAgent } from '../support/jobs/question-agent';
import { jobOf } from '../support/jobs/jobs';
import { eventually, invoke, register, type TestMarket } from '../support/market';
import { request } from '../support/catalogue/publishing';

type Market = Pick<TestMarket, 'url' | 'owner' | 'container'>;
type Show = (name: string, workflowId: string, runId?: string) => void;

const SCHEMA = { type: 'object', properties: { format: { type: 'string' } } };
const QUESTION = { type: 'question', question_id: 'q', prompt: 'Which format?', schema: SCHEMA };

export async function recordJobs(market: Market, client: Client, show: Show): Promise<void> {
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 1_000);
  const begin = async (agentId: string) => {
    const begun = await invoke(market, buyer, agentId, { input: { text: 'x' } }, { prefer: 'respond-async' });
    const id = begun.body.invocation_id ?? '';
    await eventually(async () => (await jobOf(market.owner, id)) !== undefined, 30_000);
    return id;
  };

  const calling = await newJobAgent(market, developer.userId, {});
  const asked = await begin(calling.agentId);
  const first = await client.workflow.getHandle(`invocation/${asked}`).describe();
  const callBack = async (message: object) => {
    const [call] = calling.agent.deliveries;
    if (call) await postCallback(addressIn(call, market), calling.signingSecret, message);
  };
  await callBack(QUESTION);
  const answer = { question_id: 'q', input: { format: 'pdf' } };
  await request(market, buyer, 'POST', `/v1/invocations/${asked}/input`, answer);
  await eventually(
    () => calling.agent.deliveries.some(({ body }) => body.includes('"type":"answer"')),
    30_000,
  );
  await callBack({ type: 'answer', output: { text: 'done' } });
  await client.workflow.getHandle(`invocation/${asked}`).result();
  show('task-became-job', `invocation/${asked}`, first.raw.workflowExecutionInfo?.firstRunId ?? first.runId);
  show('job-question-answered', `invocation/${asked}`);
  show('job-ended-at-once', `invocation/${asked}`);

  const polled = await newJobAgent(market, developer.userId, { location: '/jobs/1' });
  const long = await begin(polled.agentId);
  const handle = client.workflow.getHandle(`invocation/${long}`);
  await eventually(async () => (await handle.describe()).type === 'job', 30_000);
  const { runId } = await handle.describe();
  while ((await handle.describe()).runId === runId) {
    const looks = polled.agent.deliveries.length;
    await handle.signal('look');
    await polled.agent.waitForDeliveries(looks + 1, 30_000);
  }
  await request(market, buyer, 'DELETE', `/v1/invocations/${long}`);
  await handle.result().catch(() => undefined);
  show('job-continued-as-new', `invocation/${long}`, runId);
  show('job-canceled', `invocation/${long}`);
  await Promise.all([calling, polled].map(({ agent }) => agent.stop()));
}
