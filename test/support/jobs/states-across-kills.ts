/**
 * Jobs across the death of a process, one in each state: accepted by its agent, reporting, waiting for its buyer, with
 * an answer that arrives in the moment of the death, and ended. A further one runs all the time.
 */
import { Client, Connection } from '@temporalio/client';
import { fastForward } from '../../../src/engine/time-travel';
import { startAgent } from '../agents/test-agent';
import { request } from '../catalogue/publishing';
import { eventually, invoke, putLive, register, type TestMarket, type TestUser } from '../market';
import type { ProcessStack } from '../stack/process-stack';
import { addressIn, postCallback } from './callbacks';
import { jobOf } from './jobs';

const STATES = ['accepted', 'reporting', 'asking', 'answering', 'ended'] as const;
const ANSWER = { type: 'answer', output: { text: 'done' } };
const CREDITS = 5;
const SCHEMA = { type: 'object', properties: { format: { type: 'string' } } };

interface Ended {
  status: string;
  output: unknown;
  usage: { credits_charged: number; duration_ms: number };
  job: { progress: number | null };
}

export async function startJobs(stack: ProcessStack, api: { url: string }) {
  const market = () => ({
    url: api.url,
    owner: stack.owner,
    container: stack.container as TestMarket['container'],
  });
  const buyer = await register(market(), 'buyer', 1_000);
  const developer = await register(market(), 'developer');
  const agent = await startAgent({
    host: '127.77.0.6',
    behaviour: ({ body }) => ({
      kind: 'answer',
      status: body.includes('"question_id"') ? 204 : 202,
      output: {},
    }),
  });
  const jobs = { max_seconds: 7_200, heartbeat_seconds: 3_600 };
  const live = await putLive(market(), developer.userId, agent.url, {
    credits: CREDITS,
    timeoutMs: 60_000,
    jobs,
  });
  const isTaken = async (id: string) => (await jobOf(stack.owner, id)) !== undefined;
  const path = (id: string) => `/v1/invocations/${id}`;
  const read = async (id: string) => (await request<Ended>(api, buyer, 'GET', `${path(id)}?wait=60`)).body;
  const say = async (id: string, message: object) => {
    const call = agent.deliveries.find(({ invocationId }) => invocationId === id);
    if (!call) throw new Error(`the agent did not get ${id}`);
    const { type } = message as { type: string };
    return (await postCallback(addressIn(call, api), live.signingSecret, message, `${id}-${type}`)).status;
  };
  let begun = 0;

  async function begin(text: string): Promise<string> {
    const { body } = await invoke(
      market(),
      buyer,
      live.agentId,
      { input: { text } },
      { prefer: 'respond-async' },
    );
    const id = String(body.invocation_id);
    await eventually(() => isTaken(id), 60_000);
    begun += 1;
    return id;
  }

  /** A client waits for its call, and hangs up before the answer. */
  async function beginAndLeave(): Promise<string> {
    const left = new AbortController();
    const waits = fetch(`${api.url}/v1/agents/${live.agentId}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: buyer.cookie },
      body: JSON.stringify({ input: { text: 'long' } }),
      signal: left.signal,
    });
    await agent.waitForDeliveries(1, 60_000);
    const id = agent.deliveries[0]?.invocationId ?? '';
    await eventually(() => isTaken(id), 60_000);
    left.abort();
    await expect(waits).rejects.toThrow('aborted');
    begun += 1;
    return id;
  }

  /** One job in each state, by its name; that of `answering` is answered by `answerNow`. */
  async function inEachState() {
    const [accepted, reporting, asking, answering, ended] = (await Promise.all(STATES.map(begin))) as [
      string, string, string, string, string,
    ]; // prettier-ignore
    const question = { type: 'question', question_id: 'q', prompt: 'Which format?', schema: SCHEMA };
    const replies = [
      await say(reporting, { type: 'progress', progress: 0.5 }),
      await say(asking, question),
      await say(ended, ANSWER),
    ];
    expect(replies).toEqual([202, 202, 202]);
    expect((await read(ended)).status).toBe('succeeded');
    return {
      /** Never throws: the process that it reaches may die. */
      answerNow: () => say(answering, ANSWER).catch(() => 0),
      async goOn(): Promise<void> {
        // 409: what was sent before was accepted, and has ended the call.
        expect([202, 409]).toContain(await say(answering, ANSWER));
        const answer = { question_id: 'q', input: { format: 'pdf' } };
        expect((await request(api, buyer, 'POST', `${path(asking)}/input`, answer)).status).toBe(200);
        for (const id of [accepted, reporting, asking]) expect(await say(id, ANSWER)).toBe(202);
        const late = { type: 'failure', message: 'late' };
        for (const id of [accepted, reporting, asking, answering, ended]) {
          expect(await read(id)).toMatchObject({
            status: 'succeeded',
            output: { text: 'done' },
            usage: { credits_charged: CREDITS },
            job: { progress: id === reporting ? 0.5 : null },
          });
          expect(await say(id, late)).toBe(409);
        }
      },
    };
  }

  /** The clocks of a job go forward: that of its row, and that of its workflow. Its agent has reported meanwhile. */
  async function pass(id: string, minutes: number): Promise<void> {
    await stack.owner.query(
      `UPDATE jobs SET taken_at = taken_at - $2 * interval '1 minute', ends_at = ends_at - $2 * interval '1 minute',
         heard_at = now() WHERE invocation_id = $1`,
      [id, minutes],
    );
    const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
    const moved = await fastForward(new Client({ connection }), `invocation/${id}`, minutes * 60_000);
    await connection.close();
    expect(moved).toBe('running');
  }

  return {
    agent,
    buyer: buyer satisfies TestUser,
    beginAndLeave,
    inEachState,
    pass,
    answer: (id: string) => say(id, ANSWER),
    read,
    /** What the buyer has paid, if each job was charged once. */
    spent: () => begun * CREDITS * 100,
  };
}
