import { type ApiClient, createApiClient } from '../../src/runtime/demonstration/api-client';
import { exampleInput } from '../../src/runtime/demonstration/demo-agents';
import type { RunningCluster } from '../../ops/cluster/start';
import { urlsOf } from '../../src/runtime/stack';
import { realTime } from '../support/waits';

/** The answers to the callers of a load. */
export interface LoadReport {
  /** Ids of the calls that were answered with 200. */
  acknowledged: string[];
  /** Every other answer, with its time. */
  failures: string[];
  /** Longest time to an answer, in milliseconds. */
  slowestMs: number;
  seconds: number;
}

export interface Load {
  /** Lets the calls in flight end. */
  stop(): Promise<LoadReport>;
}

const SLUG = 'unit-converter';
const TOP_UP_PAISE = 10_000_000;
const PAUSE_MS = 50;

/** A buyer with credits, logged in through the proxy. */
export async function loginBuyer({ cluster }: RunningCluster): Promise<ApiClient> {
  const client = createApiClient(urlsOf(cluster.stack).api);
  await client.call('POST', '/v1/auth/login', cluster.stack.secrets.accounts.buyer);
  await client.call('POST', '/v1/billing/topup', { amountPaise: TOP_UP_PAISE, currency: 'INR' });
  return client;
}

/** Callers that make one paid call after another through the proxy, with a short pause between two. */
export async function startLoad(
  running: RunningCluster,
  buyer: ApiClient,
  callers: number,
  pauseMs = PAUSE_MS,
): Promise<Load> {
  const { agent_id: agentId } = await buyer.call<{ agent_id: string }>('GET', `/v1/listings/slug/${SLUG}`);
  const input = await exampleInput(running.cluster.stack.agents, SLUG);
  const report: LoadReport = { acknowledged: [], failures: [], slowestMs: 0, seconds: 0 };
  const startedAt = Date.now();
  let stopping = false;
  const fail = (text: string) => report.failures.push(`${new Date().toISOString()} ${text}`);

  async function callOnce(): Promise<void> {
    const since = Date.now();
    try {
      const { status, body } = await buyer.attempt('POST', `/v1/agents/${agentId}/invoke`, { input });
      if (status === 200) report.acknowledged.push((body as { invocation_id: string }).invocation_id);
      else fail(`${status} ${JSON.stringify(body).slice(0, 300)}`);
    } catch (error) {
      fail(String((error as Error).cause ?? error));
    }
    report.slowestMs = Math.max(report.slowestMs, Date.now() - since);
  }

  const working = Array.from({ length: callers }, async () => {
    while (!stopping) {
      await callOnce();
      await realTime(pauseMs, 'calls have a rate');
    }
  });
  return {
    async stop() {
      stopping = true;
      await Promise.all(working);
      report.seconds = (Date.now() - startedAt) / 1_000;
      return report;
    },
  };
}
