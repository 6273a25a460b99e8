/**
 * Hostile files and answers in a run: each has a result in the first run, and other agents go live meanwhile.
 */
import { bundleOf } from '../support/verification/bundles';
import { testManifest } from '../support/agents/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { eventually, startMarket, type TestMarket } from '../support/market';
import { registerDeveloper, request, type TestDeveloper } from '../support/catalogue/publishing';

let market: TestMarket;
let hostile: TestDeveloper;
let honest: TestDeveloper;
let agent: TestAgent;

beforeAll(async () => {
  market = await startMarket();
  [hostile, honest] = [await registerDeveloper(market), await registerDeveloper(market)];
  agent = await startAgent();
});
afterAll(async () => {
  await agent.stop();
  await market.stop();
});

async function publishWith(
  developer: TestDeveloper,
  slug: string,
  files?: Record<string, string>,
  url = agent.url,
) {
  const path = '/v1/developer/agents';
  const body = {
    manifest: testManifest(url, { agentId: slug }),
    ...(files && { bundle_base64: bundleOf(files).toString('base64') }),
  };
  return (await request<{ agent_id: string }>(market, developer, 'POST', path, body)).body.agent_id;
}

async function live(agentId: string, ms = 60_000): Promise<void> {
  await eventually(async () => {
    const { rows } = await market.owner.query<{ state: string }>(
      'SELECT state FROM agent_versions WHERE agent_id = $1',
      [agentId],
    );
    return rows[0]?.state === 'live';
  }, ms);
}

async function runsOf(agentId: string) {
  const { rows } = await market.owner.query<{ state: string }>(
    'SELECT state FROM verification_runs WHERE agent_id = $1',
    [agentId],
  );
  return rows.map(({ state }) => state);
}

it('reads bundles that crash or block their readers once, and another developer does not wait for them', async () => {
  const surrogates = ['node_modules/a\ud800', 'node_modules/a\ud801'].map((path) => [
    path,
    { version: '1.0.0' },
  ]);
  const bundles: Record<string, string>[] = [
    { 'a/pnpm-lock.yaml': '['.repeat(60_000), 'b/pnpm-lock.yaml': '['.repeat(60_000) },
    {
      'package.json': `{"dependencies":{"a\\u0000b":"1.0.0","${'n'.repeat(5_000)}":"1"}}`,
      'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(surrogates) }),
    },
  ];
  const ids = await Promise.all(bundles.map((files, at) => publishWith(hostile, `hostile-${at}`, files)));
  const other = await publishWith(honest, 'honest', { 'index.js': 'module.exports = 1;\n' });
  await live(other, 30_000);
  for (const id of ids) await live(id, 120_000);
  for (const id of ids) expect(await runsOf(id)).toEqual(['passed']);
}, 180_000);

it('reads answers that block their reader once, without repeated calls', async () => {
  const texts = [
    `Вы${' '.repeat(8_192)}`,
    Array.from({ length: 2_500 }, (_, at) => `user${at}.name@mail${at}.company.com`).join(' '),
  ];
  const agents = await Promise.all(texts.map(() => startAgent()));
  const ids = await Promise.all(
    agents.map((one, at) => {
      one.behave({ kind: 'answer', output: { text: texts[at] } });
      return publishWith(hostile, `verbose-${at}`, undefined, one.url);
    }),
  );
  await live(await publishWith(honest, 'brief'), 30_000);
  await eventually(
    async () => (await Promise.all(ids.map(runsOf))).flat().every((state) => state !== 'running'),
    60_000,
  );
  for (const one of agents) {
    expect(one.deliveries.length).toBeLessThan(45);
    await one.stop();
  }
}, 120_000);
