/**
 * `npx tsx bench/verification.ts [agents]`: latency of calls while nothing is verified, and while so many agents
 * (default 20) are verified at once. Processes of their own, as in production; prints both medians and their quotient.
 */
import { testManifest } from '../test/support/agents/manifest';
import { startAgent } from '../test/support/agents/test-agent';
import { eventually, invoke, putLive, register } from '../test/support/market';
import { startProcessStack } from '../test/support/process-stack';
import { publish, registerDeveloper } from '../test/support/publishing';

const CALLS = 200;
const WARM_UP = 100;
const AGENTS = Number(process.argv[2] ?? 20);

type Market = Parameters<typeof putLive>[0] & Parameters<typeof invoke>[0];
type Buyer = Awaited<ReturnType<typeof register>>;

async function main(): Promise<void> {
  const stack = await startProcessStack();
  const api = await stack.addProcess('api');
  await stack.addProcess('worker');
  const agent = await startAgent({ keepBodies: false });
  const market = { url: api.url, owner: stack.owner, container: stack.container as never };
  await eventually(async () => (await fetch(`${api.url}/readiness`)).status === 200, 60_000);
  const developer = await registerDeveloper(market);
  const buyer = await register(market, 'buyer', 100_000);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
  await measure(market, buyer, agentId, () => Promise.resolve(WARM_UP));
  const quiet = await measure(market, buyer, agentId, () => Promise.resolve(CALLS));
  for (let at = 0; at < AGENTS; at += 1) {
    const reply = await publish(market, developer, testManifest(agent.url, { agentId: `verified-${at}` }));
    if (reply.status !== 201) throw new Error(`publishing answered ${reply.status}`);
  }
  const open = async () => {
    const { rows } = await stack.owner.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM agent_versions WHERE state IN ('submitted', 'verifying')`,
    );
    return rows[0]?.n ? Infinity : 0;
  };
  const startedAt = performance.now();
  const busy = await measure(market, buyer, agentId, open);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`quiet: ${describe(quiet)}`);
  console.log(`while ${AGENTS} agents are verified (${seconds} s): ${describe(busy)}`);
  console.log(`quotient of the medians: ${(median(busy) / median(quiet)).toFixed(2)} (to be at most 1.5)`);
  await agent.stop();
  await stack.stop();
}

/** Calls one after another until there are as many as `wanted` says; milliseconds each. */
async function measure(
  market: Market,
  buyer: Buyer,
  agentId: string,
  wanted: () => Promise<number>,
): Promise<number[]> {
  const times: number[] = [];
  while (times.length < (await wanted())) {
    const startedAt = performance.now();
    const reply = await invoke(market, buyer, agentId, { input: { text: 'bench' } });
    if (reply.status !== 200) throw new Error(`a call answered ${reply.status}`);
    times.push(performance.now() - startedAt);
  }
  return times;
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

function describe(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? NaN;
  return `${times.length} calls, median ${median(times).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
