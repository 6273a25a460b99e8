/**
 * `npm run bench:verification -- agents [name…]`: publishes the agents, or sets, of `test/corpora/agents` in a market
 * with the clocks of development, calls each as a buyer, and prints a table: live, findings, detected. Good agents must
 * go live without a high or critical finding; bad ones must get one within three minutes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CorpusAgent,
  type RunningAgent,
  startCorpusAgent,
} from '../../test/corpora/agents/corpus-agent';
import { corpusAgents } from '../../test/corpora/agents/sets';
import { testManifest } from '../../test/support/agents/manifest';
import { eventually, invoke, register, type TestMarket, type TestUser } from '../../test/support/market';
import { startProcessStack } from '../../test/support/stack/process-stack';
import { newSlug } from '../../test/support/names';
import {
  publish,
  registerDeveloper,
  request,
  type TestDeveloper,
} from '../../test/support/catalogue/publishing';

const PATIENCE_MS = 180_000;
const LOOK_MS = 1_000;
const BUYER_CALLS = 45;
const AT_ONCE = Number(process.env['AT_ONCE'] ?? 6);

interface Row {
  name: string;
  kind: string;
  isGood: boolean;
  isLive: boolean;
  score: number | null;
  grave: string[];
  runMs: number;
}

interface Scene {
  market: Pick<TestMarket, 'url' | 'owner'>;
  developer: TestDeveloper;
  buyers: TestUser[];
}

/** Examines all agents, or those with the given names, and prints the tables. */
export async function benchAgents(wanted: readonly string[]): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  try {
    const env = { VERIFICATION_CLOCK: 'development', SWEEP_INTERVAL_MS: '1000' };
    const api = await stack.addProcess('api', { env });
    await stack.addProcess('worker', { env });
    await eventually(async () => (await fetch(`${api.url}/readiness`)).status === 200, 60_000);
    const market = { url: api.url, owner: stack.owner };
    const developer = await registerDeveloper(market);
    const buyers = await Promise.all([1, 2, 3].map(() => register(market, 'buyer', 1_000_000)));
    const scene = { market, developer, buyers };
    const agents = corpusAgents(wanted);
    const rows: Row[] = [];
    const next = agents.values();
    const work = async () => {
      for (const { agent, isGood } of next) {
        const row = await examine(scene, agent, isGood);
        rows.push(row);
        console.log(`${rows.length} of ${agents.length}: ${row.name}${isRight(row) ? '' : ' is wrong'}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    print(rows);
  } finally {
    await stack.stop();
  }
}

async function examine(scene: Scene, agent: CorpusAgent, isGood: boolean): Promise<Row> {
  const running = await startCorpusAgent(agent);
  const { more, ...options } = agent.manifest;
  // Agents of two sets may have one name.
  const slug = newSlug(`${isGood ? 'good' : 'bad'}-${agent.name}`);
  const manifest = { ...testManifest(running.url, { ...options, agentId: slug, credits: 1 }), ...more };
  const beganAt = performance.now();
  const { body, status } = await publish(scene.market, scene.developer, manifest);
  if (status !== 201) throw new Error(`${slug}: ${JSON.stringify(body)}`);
  const found = await watch(scene, agent, running, body.agent_id, isGood);
  await running.stop();
  return { name: agent.name, kind: agent.kind, isGood, ...found, runMs: found.firstMs - beganAt };
}

/** Waits for the first report, calls as a buyer, and waits until a bad agent is found. */
async function watch(
  scene: Scene,
  agent: CorpusAgent,
  running: RunningAgent,
  agentId: string,
  isGood: boolean,
) {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let firstMs = 0;
  for (;;) {
    const report = await reportOf(scene, agentId);
    if (report && firstMs === 0) {
      firstMs = performance.now();
      if (report.isLive) {
        running.sell();
        await callAsBuyers(scene, agent, agentId);
        if (isGood) await sleep(5 * LOOK_MS);
        continue;
      }
    }
    const isOver = report && (isGood || report.grave.length > 0 || !report.isLive);
    if (isOver || performance.now() > giveUpAt)
      return { isLive: false, score: null, grave: [], ...report, firstMs };
    await sleep(LOOK_MS);
  }
}

async function callAsBuyers({ market, buyers }: Scene, agent: CorpusAgent, agentId: string): Promise<void> {
  const { a, b } = { a: 2, b: 3 };
  const fields = (agent.manifest.inputSchema?.['properties'] ?? {}) as Record<string, unknown>;
  for (let call = 0; call < BUYER_CALLS; call += 1) {
    const usual = 'a' in fields ? { a, b } : { text: `Please look at order ${call} of today.` };
    const buyer = buyers[call % buyers.length];
    if (buyer) await invoke(market, buyer, agentId, { input: agent.buyerInput ?? usual });
  }
}

interface Shown {
  score: number;
  serves: boolean;
  stages: Record<string, { findings: { severity: string; category: string; description: string }[] }>;
}

async function reportOf({ market, developer }: Scene, agentId: string) {
  const { status, body } = await request<Shown>(
    market,
    developer,
    'GET',
    `/v1/agents/${agentId}/trust-report`,
  );
  if (status !== 200) return undefined;
  const findings = Object.values(body.stages).flatMap((stage) => stage.findings);
  if (process.env['FINDINGS'] === '1')
    console.log(
      agentId,
      findings.map(({ description }) => description),
    );
  return {
    isLive: body.serves,
    score: body.score,
    grave: findings
      .filter(({ severity }) => severity === 'high' || severity === 'critical')
      .map(({ severity, category }) => `${category} (${severity})`),
  };
}

function isRight({ isGood, isLive, grave }: Row): boolean {
  return isGood ? isLive && grave.length === 0 : grave.length > 0;
}

function print(rows: readonly Row[]): void {
  for (const isGood of [true, false]) {
    const own = rows.filter((row) => row.isGood === isGood);
    console.log(
      `\n| ${isGood ? 'good' : 'bad'} agent | what | live | points | first report (s) | high and critical | |`,
    );
    console.log('| --- | --- | --- | ---: | ---: | --- | --- |');
    for (const row of own) {
      const { name, kind, isLive, score, grave, runMs } = row;
      const cells = [
        name,
        kind,
        isLive ? 'yes' : 'no',
        score ?? '',
        (runMs / 1_000).toFixed(1),
        grave.join(', '),
      ];
      console.log(`| ${[...cells, isRight(row) ? '' : '**missed**'].join(' | ')} |`);
    }
    console.log(
      `${own.filter(isRight).length} of ${own.length} are ${isGood ? 'live without grave findings' : 'found'}`,
    );
  }
}
