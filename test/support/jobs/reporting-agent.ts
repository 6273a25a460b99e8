import { addressIn, postCallback } from './callbacks';
import type { Behaviour } from '../agents/behaviours';
import { startAgent, type TestAgent } from '../agents/test-agent';
import { eventually, putLive, type TestMarket } from '../market';
import { jobOf } from './jobs';

const ACCEPTED: Behaviour = { kind: 'answer', status: 202, output: {} };

export interface JobAgent {
  agent: TestAgent;
  agentId: string;
  /** Sends what the agent calls back about a call that it has received. Returns the status of the response. */
  callBack: (invocationId: string, type: string, more?: object) => Promise<number>;
}

/** An agent that accepts every call as a job, and calls back. */
export async function startJobAgent(
  market: TestMarket,
  developer: { userId: string },
  options: { credits?: number; retentionDays?: number; displayName?: string } = {},
): Promise<JobAgent> {
  const agent = await startAgent({ behaviour: ACCEPTED });
  const terms = { jobs: { max_seconds: 600 }, ...options };
  const { agentId, signingSecret } = await putLive(market, developer.userId, agent.url, terms);
  return {
    agent,
    agentId,
    async callBack(invocationId, type, more = {}) {
      const call = agent.deliveries.find((each) => each.invocationId === invocationId);
      if (!call) throw new Error(`the agent did not get ${invocationId}`);
      return (await postCallback(addressIn(call, market), signingSecret, { type, ...more })).status;
    },
  };
}

/** Resolves with the id of the only call of the agent, once it is a job. */
export async function jobTaken({ owner }: Pick<TestMarket, 'owner'>, { agent }: JobAgent): Promise<string> {
  let id = '';
  await eventually(async () => {
    id = agent.deliveries.at(-1)?.invocationId ?? '';
    return id !== '' && (await jobOf(owner, id)) !== undefined;
  });
  return id;
}
