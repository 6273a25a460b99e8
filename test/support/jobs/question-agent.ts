import { randomUUID } from 'node:crypto';
import { createCallbackTokens } from '../../../src/kit/crypto/callback-token';
import { refusedSignature, signWebhook } from '../../../src/kit/crypto/webhook-signature';
import type { Behaviour, Delivery } from '../agents/behaviours';
import { startAgent, type TestAgent } from '../agents/test-agent';
import { type LiveAgent, putLive, type TestMarket } from '../market';

export interface JobAgent extends LiveAgent {
  agent: TestAgent;
  /** From now on the agent answers so when it is asked. */
  finish(output: unknown): void;
}

export interface JobAgentOptions {
  jobs?: { max_seconds: number; heartbeat_seconds?: number };
  /** Where it is asked for its answer; without it, it calls back. */
  location?: string;
  /** What its 202 asks the buyer, each time. */
  question?: object;
  /** How many deliveries of answers it refuses. */
  refusals?: number;
  /** It accepts the call then. */
  until?: Promise<void>;
}

const isAnswer = ({ method, body }: Delivery) => method === 'POST' && body.includes('"type":"answer"');
const secrets = new WeakMap<TestAgent, string>();

/** An agent that accepts each call as a job. */
export async function newJobAgent(
  market: Pick<TestMarket, 'owner' | 'container'>,
  developerUserId: string,
  { jobs = { max_seconds: 600 }, location, question, refusals = 0, until }: JobAgentOptions,
): Promise<JobAgent> {
  let output: unknown;
  let refused = 0;
  const headers: Record<string, string> = location === undefined ? {} : { location, 'retry-after': '1' };
  const accepted: Behaviour = { kind: 'answer', status: 202, output: {}, headers };
  const agent = await startAgent({
    behaviour: (delivery) => {
      if (isAnswer(delivery)) {
        refused += 1;
        return { kind: 'status', status: refused > refusals ? 204 : 503 };
      }
      if (delivery.method !== 'GET') return until ? { kind: 'waits', until, then: accepted } : accepted;
      if (output !== undefined) return { kind: 'answer', output };
      return { ...accepted, output: question ? { question } : {} };
    },
  });
  const live = await putLive(market, developerUserId, agent.url, { jobs });
  secrets.set(agent, live.signingSecret);
  return { ...live, agent, finish: (given) => (output = given) };
}

/** The answers of buyers that the agent got. */
export function answersOf(agent: TestAgent) {
  return agent.deliveries.filter(isAnswer).map(({ path, body, headers }) => ({
    path,
    json: JSON.parse(body.toString()) as unknown,
    webhookId: headers['webhook-id'],
    isSigned: refusedSignature([secrets.get(agent) ?? ''], headers as never, body, Date.now()) === undefined,
  }));
}

/** What the agent calls back about one of its calls. */
export async function callBack(
  { url, config }: Pick<TestMarket, 'url' | 'config'>,
  { signingSecret }: LiveAgent,
  invocationId: string,
  message: object,
  webhookId: string = randomUUID(),
): Promise<{ status: number; body: { status?: string; question_id?: string } }> {
  const token = createCallbackTokens(config.SESSION_SECRET).of(invocationId);
  const body = Buffer.from(JSON.stringify(message));
  const signed = signWebhook(signingSecret, webhookId, Math.floor(Date.now() / 1_000), body);
  const response = await fetch(`${url}/v1/callbacks/${invocationId}/${token}`, {
    method: 'POST',
    headers: { ...signed, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, body: (await response.json()) as { status?: string } };
}
