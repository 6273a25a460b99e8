import { putLive, register } from '../test/support/market';
import type { ProcessStack, ServiceProcess } from '../test/support/stack/process-stack';

/** An API process that a bench calls. */
export interface BenchApi {
  api: ServiceProcess;
  /** The session of a buyer with ten million credits. */
  cookie: string;
  /** Registers another buyer with a million credits; returns its session. */
  addBuyer(): Promise<string>;
  /** Publishes an agent at 5 credits a call; returns the path that invokes it. */
  invokePath(agentUrl: string): Promise<string>;
}

/** Starts an API process without limits of rate, which a bench would reach, and registers a developer and a buyer. */
export async function addBenchApi(
  stack: ProcessStack,
  { command, env }: { command?: string[]; env: Record<string, string> },
): Promise<BenchApi> {
  const api = await stack.addProcess('api', {
    ...(command && { command }),
    env: {
      LOG_LEVEL: 'warn',
      // Agents on loopback: production refuses them.
      NODE_ENV: 'development',
      MAX_IN_FLIGHT_PER_BUYER: '1024',
      RATE_LIMIT_PER_ACCOUNT: '1000000000',
      RATE_LIMIT_INVOCATIONS: '1000000000',
      ...env,
    },
  });
  const market = { url: api.url, owner: stack.owner, container: stack.container as never };
  const developer = await register(market, 'developer');
  const { cookie } = await register(market, 'buyer', 10_000_000);
  const invokePath = async (agentUrl: string): Promise<string> => {
    const { agentId } = await putLive(market, developer.userId, agentUrl, { credits: 5 });
    return `/v1/agents/${agentId}/invoke`;
  };
  const addBuyer = async (): Promise<string> => (await register(market, 'buyer', 1_000_000)).cookie;
  return { api, cookie, addBuyer, invokePath };
}
