import { refusedSignature } from '../../../src/kit/crypto/webhook-signature';
import type { Behaviour, Delivery } from '../agents/behaviours';
import { startAgent, type TestAgent } from '../agents/test-agent';
import { type LiveAgent, putLive, type TestMarket } from '../market';
import { type CallbackReply, sendCallback } from './callbacks';

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
  market: Pick<TestMarket, 'url' | 'config'>,
  { signingSecret: secret }: LiveAgent,
  invocationId: string,
  message: object,
  webhookId?: string,
): Promise<Pick<CallbackReply, 'status' | 'body'>> {
  const { status, body } = await sendCallback(market, { invocationId, secret }, message, webhookId);
  return { status, body };
}
