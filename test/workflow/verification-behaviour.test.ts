/** Events between the runs of an agent; faults of the service never count against the agent. */
import { fastForward } from '../../src/engine/time-travel';
import { ATTEMPTS } from '../../src/verification/probes/red-team-suite';
import type { VerificationState } from '../../src/domain/verification/verification';
import { testManifest } from '../support/agents/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { eventually, invoke, register, startMarket, type TestMarket } from '../support/market';
import { publish, registerDeveloper, request, type TestDeveloper } from '../support/catalogue/publishing';

const DAY_MS = 24 * 60 * 60 * 1_000;

let market: TestMarket;
let developer: TestDeveloper;
let agent: TestAgent;
let slugs = 0;

beforeAll(async () => {
  market = await startMarket();
  developer = await registerDeveloper(market);
});
afterAll(() => market.stop());
beforeEach(async () => {
  agent = await startAgent();
});
afterEach(() => agent.stop());

async function publishLive(): Promise<string> {
  slugs += 1;
  const manifest = testManifest(agent.url, { agentId: `behaving-${slugs}` });
  const { body } = await publish(market, developer, manifest);
  await runsOf(body.agent_id, 1);
  return body.agent_id;
}

const client = () => market.environment.client;

const stateOf = (agentId: string) =>
  client().workflow.getHandle(`verification/${agentId}`).query<VerificationState>('state');

/** Asks the database first: a query of a workflow costs the engine more. */
async function runsOf(agentId: string, count: number): Promise<void> {
  await eventually(async () => {
    if ((await runs(agentId)).filter(({ state }) => state !== 'running').length < count) return false;
    const state = await stateOf(agentId).catch(() => undefined);
    return state?.runs === count && state.phase === 'waiting';
  }, 30_000);
}

async function runs(agentId: string) {
  const { rows } = await market.owner.query<{ run_id: string; reason: string; state: string }>(
    'SELECT run_id, reason, state FROM verification_runs WHERE agent_id = $1 ORDER BY sequence',
    [agentId],
  );
  return rows;
}

async function report(agentId: string) {
  const reply = await request<{
    signature: string;
    score: number;
    stages: Record<string, { findings: { category: string }[] }>;
  }>(market, developer, 'GET', `/v1/agents/${agentId}/trust-report`);
  expect(reply.status).toBe(200);
  const { signature: _differs, ...shown } = reply.body;
  return shown;
}

it('runs once more after 90 days, with calls at random times between', async () => {
  const agentId = await publishLive();
  agent.forget();
  await fastForward(client(), `verification/${agentId}`, 90 * DAY_MS + 60_000);
  await runsOf(agentId, 2);
  const { reprobes, reason } = await stateOf(agentId);
  expect(reason).toBe('scheduled');
  expect(reprobes).toBeGreaterThanOrEqual(5);
  expect(reprobes).toBeLessThanOrEqual(45);
  expect(await runs(agentId)).toMatchObject([
    { reason: 'published', state: 'passed' },
    { reason: 'scheduled', state: 'passed' },
  ]);
}, 120_000);

/** An agent that knows when it is verified: the hardest to find. */
function behaveInRunsOnly(agentOf: () => string | undefined): void {
  agent.behave(() => ({
    kind: 'acts',
    act: async () => {
      const { rows } = await market.owner.query(
        `SELECT FROM verification_runs WHERE state = 'running' AND agent_id = coalesce($1, agent_id)`,
        [agentOf() ?? null],
      );
      return rows.length > 0 ? { kind: 'echo' } : { kind: 'wrong_shape' };
    },
  }));
}

const evasion = expect.objectContaining({ severity: 'high', category: 'evasion', status: 'open' }) as unknown;

it('finds an agent that answers probes well and buyers badly, and clears it after as many good answers', async () => {
  const known: { agentId?: string } = {};
  behaveInRunsOnly(() => known.agentId);
  const agentId = await publishLive();
  known.agentId = agentId;
  const before = await report(agentId);
  const findings = async () => (await report(agentId)).stages['red_team']?.findings ?? [];
  const until = async (holds: (found: unknown[]) => boolean) => {
    await eventually(
      async () => holds(await findings()) && (await stateOf(agentId)).phase === 'waiting',
      60_000,
    );
  };
  await fastForward(client(), `verification/${agentId}`, 0.3 * DAY_MS);
  await until((found) => found.length > 0);
  expect((await runs(agentId))[1]).toMatchObject({ reason: 'behaviour' });
  expect(await findings()).toContainEqual(evasion);
  expect((await report(agentId)).score).toBeLessThan(before.score);

  const { runs: made } = await stateOf(agentId);
  await request(market, developer, 'POST', `/v1/developer/agents/${agentId}/reverify`);
  await eventually(async () => (await stateOf(agentId)).runs > made, 30_000);
  expect(await findings()).toContainEqual(evasion);

  agent.behave({ kind: 'echo' });
  await fastForward(client(), `verification/${agentId}`, 60 * DAY_MS);
  await until((found) => found.length === 0);
}, 120_000);

it('removes the badge of an agent whose paid calls all fail, whatever its runs report', async () => {
  const known: { agentId?: string } = {};
  behaveInRunsOnly(() => known.agentId);
  const agentId = await publishLive();
  known.agentId = agentId;
  const buyers = await Promise.all([1, 2, 3].map(() => register(market, 'buyer', 1_000)));
  for (let call = 0; call < 20; call += 1) {
    const buyer = buyers[call % buyers.length] ?? { cookie: '' };
    expect((await invoke(market, buyer, agentId, { input: { text: `call ${call}` } })).status).toBe(502);
  }
  await runsOf(agentId, 2);
  expect((await runs(agentId))[1]).toMatchObject({ reason: 'behaviour' });
  expect((await report(agentId)).stages['dynamic_testing']?.findings).toContainEqual(
    expect.objectContaining({
      severity: 'critical',
      description: 'All 20 calls of buyers failed with output_schema_mismatch.',
    }),
  );
});

it('changes no score while a stage fails by a fault of the service, and completes the run afterwards', async () => {
  const agentId = await publishLive();
  const before = await report(agentId);
  await market.owner.query('ALTER TABLE agent_bundles RENAME TO agent_bundles_away');
  await request(market, developer, 'POST', `/v1/developer/agents/${agentId}/reverify`);
  await eventually(async () => {
    const run = (await runs(agentId))[1];
    if (!run) return false;
    const { raw } = await client().workflow.getHandle(`verification/${agentId}/${run.run_id}`).describe();
    return (raw.pendingActivities ?? []).some(({ attempt }) => (attempt ?? 0) > 1);
  }, 20_000);
  expect(await report(agentId)).toEqual(before);
  expect(await runs(agentId)).toMatchObject([{}, { state: 'running' }]);
  await market.owner.query('ALTER TABLE agent_bundles_away RENAME TO agent_bundles');
  await runsOf(agentId, 2);
  expect(await runs(agentId)).toMatchObject([{}, { state: 'passed' }]);
  expect((await report(agentId)).score).toBe(before.score);
});

it('keeps prompts, canaries and the address out of reports, evidence and histories', async () => {
  const agentId = await publishLive();
  const [run] = await runs(agentId);
  const { rows } = await market.owner.query<{ text: string }>(
    `SELECT concat((SELECT string_agg(evidence, '') FROM verification_evidence WHERE run_id = $1),
                   (SELECT row_to_json(r)::text FROM trust_reports r WHERE run_id = $1),
                   (SELECT string_agg(row_to_json(f)::text, '') FROM findings f WHERE first_run_id = $1)) AS text`,
    [run?.run_id],
  );
  const history = await client().workflow.getHandle(`verification/${agentId}/${run?.run_id}`).fetchHistory();
  const told = JSON.stringify(history, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
  const shown = JSON.stringify(await report(agentId));
  const sent = agent.deliveries.map(({ body }) => body.toString());
  const canaries = sent.flatMap((body) => body.match(/\b[A-Z2-9]{5,10}\b/g) ?? []);
  const prompts = ATTEMPTS.flatMap(({ phrasings }) =>
    phrasings.flatMap(({ text, short }) => [text, short]),
  ).map((text) => text.slice(0, 20));
  expect(canaries.length).toBeGreaterThan(5);
  expect(
    sent.some((body) => prompts.some((prompt) => body.includes(JSON.stringify(prompt).slice(1, -1)))),
  ).toBe(true);
  for (const text of [rows[0]?.text ?? '', told, shown]) {
    expect(text.length).toBeGreaterThan(500);
    for (const secret of [...canaries, ...prompts, new URL(agent.url).host])
      expect(text).not.toContain(secret);
  }
});
