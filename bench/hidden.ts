/**
 * `npm run bench:hidden`: whether the time of a 404 shows a private agent apart from one that does not exist. A buyer
 * asks each surface for both, in random order. Prints for each surface both medians, the median of the differences of
 * pairs with its 95 % interval, and how often an answer about the private agent takes longer than one about the missing
 * agent (50 % if the time shows nothing). Fails if a surface is outside the limits. `BENCH_PAIRS` (default 1500), and
 * `BENCH_SURFACES` for some of them.
 */
import { SURFACES, type Named, type Surface } from '../test/support/catalogue/surfaces';
import { registerDeveloper, request } from '../test/support/catalogue/publishing';
import { startAgent } from '../test/support/agents/test-agent';
import { putLive, register, type TestMarket } from '../test/support/market';
import { startProcessStack } from '../test/support/stack/process-stack';
import { median, quantile } from './measure';

const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 1_500);
const WARM_UP = 200;
const MEASURED = ['getListing', 'listing by slug', 'getBadge', 'getAgentCard', 'invokeAgent', 'mcpAgent', 'describe_agent at the market', 'a2aSendMessage', 'completion', 'program of an agent'] as const; // prettier-ignore
/**
 * The part of a median by which pairs may differ beyond what chance explains, and how far the share of longer answers
 * may be off 50 %.
 */
const LIMITS = { part: 0.03, share: 0.05 };
/** Half of the interval of a median of n values in which it is with 95 %, in square roots of n. */
const HALF_WIDTH = 0.98;

type Times = Record<'hidden' | 'missing', number[]>;
type Ask = (agent: Named) => Promise<number>;

async function pairs(ask: Ask, agents: Record<keyof Times, Named>, count: number): Promise<Times> {
  const times: Times = { hidden: [], missing: [] };
  for (let at = 0; at < count; at += 1) {
    const order = Math.random() < 0.5 ? (['hidden', 'missing'] as const) : (['missing', 'hidden'] as const);
    for (const kind of order) times[kind].push(await ask(agents[kind]));
  }
  return times;
}

/** How often a value of `first` is larger than one of `second`; equal ones count half. */
function shareOfLarger(first: readonly number[], second: readonly number[]): number {
  const sorted = [...second].sort((a, b) => a - b);
  const below = (value: number, isOrEqual: boolean) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const at = (low + high) >> 1;
      const one = sorted[at] ?? Infinity;
      if (one < value || (isOrEqual && one === value)) low = at + 1;
      else high = at;
    }
    return low;
  };
  const sum = first.reduce((total, value) => total + (below(value, false) + below(value, true)) / 2, 0);
  return sum / (first.length * sorted.length);
}

function report(name: string, { hidden, missing }: Times): { line: string; tells: boolean } {
  const differences = hidden.map((ms, at) => ms - (missing[at] ?? 0)).sort((a, b) => a - b);
  const half = HALF_WIDTH / Math.sqrt(differences.length);
  const [from, middle, to] = [0.5 - half, 0.5, 0.5 + half].map((part) => quantile(differences, part));
  const share = shareOfLarger(hidden, missing);
  const typical = median(missing);
  const isSure = (from ?? 0) > 0 || (to ?? 0) < 0;
  const isBeyond =
    (isSure && Math.abs(middle ?? 0) > LIMITS.part * typical) || Math.abs(share - 0.5) > LIMITS.share;
  const us = (ms = 0) => Math.round(ms * 1_000);
  const line =
    `${name.padEnd(20)} private ${median(hidden).toFixed(3)} ms, missing ${typical.toFixed(3)} ms, ` +
    `difference ${us(middle)} µs (${us(from)} to ${us(to)}), longer ${(100 * share).toFixed(1)} %`;
  return { line, tells: isBeyond };
}

async function main(): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  const agent = await startAgent({ keepBodies: false });
  try {
    const { url } = await stack.addProcess('api', { env: { LOG_LEVEL: 'warn', PUBLIC_READS: 'true' } });
    const market = { url, owner: stack.owner, container: stack.container } as unknown as TestMarket;
    const [owner, buyer] = [await registerDeveloper(market), await register(market, 'buyer', 1_000)];
    const { agentId } = await putLive(market, owner.userId, agent.url, { credits: 1, a2aInvocable: true });
    const path = `/v1/developer/agents/${agentId}/visibility`;
    const made = await request(market, owner, 'PATCH', path, { visibility: 'private' });
    if (made.status !== 200) throw new Error(`visibility: ${made.status}`);
    const slug = agentId.slice(4, -3).replaceAll('_', '-');
    const hidden: Named = { agentId, slug, developerId: owner.developerId };
    // The same length, and the same developer: only whether it exists differs.
    const missing = { ...hidden, agentId: agentId.replace(/.(?=_v1$)/, 'q'), slug: slug.replace(/.$/, 'q') };
    console.log(`${PAIRS} pairs of answers for each surface:`);
    let tells = 0;
    const chosen = process.env['BENCH_SURFACES']?.split(',') ?? MEASURED;
    for (const name of chosen) {
      const surface = SURFACES.find((one) => one.name === name);
      if (!surface) throw new Error(`no surface ${name}`);
      const ask = timed(surface, url, { cookie: buyer.cookie });
      await pairs(ask, { hidden, missing }, WARM_UP);
      const found = report(name, await pairs(ask, { hidden, missing }, PAIRS));
      console.log(`${found.line}${found.tells ? '  OUTSIDE THE LIMITS' : ''}`);
      if (found.tells) tells += 1;
    }
    if (tells > 0) process.exitCode = 1;
  } finally {
    await agent.stop();
    await stack.stop();
  }
}

const timed = ({ name, ask }: Surface, url: string, caller: Record<string, string>): Ask => {
  let first: number | undefined;
  return async (agent) => {
    const from = performance.now();
    const { status } = await ask({ url }, caller, agent);
    const took = performance.now() - from;
    first ??= status;
    if (status !== first || status < 400) throw new Error(`${name} answered ${status}, before ${first}`);
    return took;
  };
};

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
