/**
 * Jobs whose agent asks its buyer, one in each state of a question while the processes of the service die: asked but
 * not stored, open, answered but not delivered, and delivered.
 */
import type { Client } from 'pg';
import { request } from '../catalogue/publishing';
import { startAgent, type TestAgent } from '../agents/test-agent';
import { eventually, invoke, putLive, type TestMarket, type TestUser } from '../market';
import { addressIn, postCallback } from './callbacks';

type Market = Pick<TestMarket, 'url' | 'owner' | 'container'>;

const QUESTION = {
  type: 'question',
  question_id: 'format',
  prompt: 'Which format do you want?',
  schema: { type: 'object', properties: { format: { type: 'string' } } },
};
/** One job in each state. */
const STATES = ['unstored', 'open', 'undelivered', 'delivered'] as const;

export interface QuestionsAcrossKills {
  agent: TestAgent;
  ids: readonly string[];
  /** Asks the question of the first job while processes die. Never throws. */
  askMeanwhile: () => Promise<void>;
  /** Asks again, answers what waits for the buyer, and ends each job by a callback. */
  goOn: (api: { url: string }) => Promise<void>;
  /** For each job: how many answers were delivered, and how many of them are the same message. */
  deliveries: () => { sent: number; messages: number }[];
}

export async function startQuestions(
  market: Market,
  developer: { userId: string },
  buyer: TestUser,
  credits: number,
): Promise<QuestionsAcrossKills> {
  let accepts = true;
  const agent = await startAgent({
    host: '127.77.0.5',
    behaviour: ({ body }) =>
      body.includes('"type":"answer"')
        ? { kind: 'status', status: accepts ? 204 : 503 }
        : { kind: 'answer', status: 202, output: {} },
  });
  const terms = { credits, timeoutMs: 60_000, jobs: { max_seconds: 3_600 } };
  const { agentId, signingSecret } = await putLive(market, developer.userId, agent.url, terms);
  const begun = await Promise.all(
    STATES.map((text) => invoke(market, buyer, agentId, { input: { text } }, { prefer: 'respond-async' })),
  );
  const ids = begun.map(({ body }) => String(body.invocation_id));
  const [unstored = '', , undelivered = '', delivered = ''] = ids;
  const answersTo = (id: string) =>
    agent.deliveries.filter(({ body }) => body.includes(id) && body.includes('"type":"answer"'));
  const callBack = async (api: { url: string }, id: string, message: object) => {
    const call = agent.deliveries.find(({ invocationId }) => invocationId === id);
    if (!call) throw new Error(`the agent did not get ${id}`);
    const named = message === QUESTION ? [`msg_${id}`] : [];
    return (await postCallback(addressIn(call, api), signingSecret, message, ...named)).status;
  };
  const ask = (api: { url: string }, id: string) => callBack(api, id, QUESTION);
  const give = async (api: { url: string }, id: string) => {
    const answer = { question_id: 'format', input: { format: 'pdf' } };
    return (await request(api, buyer, 'POST', `/v1/invocations/${id}/input`, answer)).status;
  };

  await eventually(async () => (await jobsOf(market.owner, ids)) === STATES.length, 60_000);
  for (const id of ids.slice(1)) must(await ask(market, id), 202);
  must(await give(market, delivered), 200);
  await eventually(async () => (await deliveredOf(market.owner, ids)) === 1, 30_000);
  accepts = false;
  must(await give(market, undelivered), 200);
  await eventually(() => answersTo(undelivered).length > 0, 30_000);

  return {
    agent,
    ids,
    askMeanwhile: () =>
      ask(market, unstored).then(
        () => undefined,
        () => undefined,
      ),
    async goOn(api) {
      accepts = true;
      must(await ask(api, unstored), 202);
      for (const id of ids) must(await give(api, id), 200);
      await eventually(() => ids.every((id) => answersTo(id).length > 0), 90_000);
      for (const id of ids)
        must(await callBack(api, id, { type: 'answer', output: { text: 'called back' } }), 202);
    },
    deliveries: () =>
      ids.map((id) => {
        const sent = answersTo(id);
        return {
          sent: sent.length,
          messages: new Set(sent.map(({ headers }) => headers['webhook-id'])).size,
        };
      }),
  };
}

async function jobsOf(owner: Client, ids: readonly string[]): Promise<number> {
  return (await owner.query('SELECT FROM jobs WHERE invocation_id = ANY ($1)', [ids])).rows.length;
}

async function deliveredOf(owner: Client, ids: readonly string[]): Promise<number> {
  const { rows } = await owner.query(
    'SELECT FROM job_questions WHERE invocation_id = ANY ($1) AND delivered_at IS NOT NULL',
    [ids],
  );
  return rows.length;
}

function must(status: number, wanted: number): void {
  if (status !== wanted) throw new Error(`the response is ${status} instead of ${wanted}`);
}
