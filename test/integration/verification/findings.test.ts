import { newId } from '../../../src/kit/ids/ids';
import { storeStageEvidence } from '../../../src/stores/verification/verification-evidence';
import { insertRun } from '../../../src/stores/verification/verification-runs';
import { type LiveAgent, putLive, register, type TestUser } from '../../support/market';
import { registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { cleanEvidence, leakedKey } from '../../support/verification/run-evidence';
import { holdTier, runWith } from '../../support/verification/trust';
import { useMarket } from '../../support/use-market';

const market = useMarket();
let developer: TestDeveloper;
let buyer: TestUser;
let agent: LiveAgent;

beforeAll(async () => {
  buyer = await register(market, 'buyer');
});
beforeEach(async () => {
  developer = await registerDeveloper(market);
  agent = await putLive(market, developer.userId, 'https://127.77.0.1:9443');
});

interface Finding {
  finding_id: string;
  status: string;
  first_seen_at: string;
  serves: boolean;
}

const report = () =>
  request<{ stages: Record<string, { findings: Finding[] }> }>(
    market, buyer, 'GET', `/v1/agents/${agent.agentId}/trust-report`); // prettier-ignore
const listing = async () => (await request(market, buyer, 'GET', `/v1/listings/${agent.agentId}`)).body;
const isFound = async () =>
  (
    await request<{ listed: boolean }>(
      market, developer, 'GET', `/v1/developer/agents/${agent.agentId}/visibility`)
  ).body.listed; // prettier-ignore

describe('a run', () => {
  it('that fails by a fault of the service changes neither score, badge, findings nor visibility', async () => {
    await holdTier(market, developer.userId, 'premium');
    await runWith(market, agent, cleanEvidence());
    const before = { listing: await listing(), report: (await report()).body.stages };
    const { verification, pool } = market.container;
    const runId = newId('ver');
    await insertRun(pool, { runId, ...agent, reason: 'scheduled' });
    await storeStageEvidence(pool, runId, 'static', leakedKey().static);
    await verification.abandon(runId);
    expect(await verification.conclude(runId)).toEqual({ kind: 'nothing' });
    expect({ listing: await listing(), report: (await report()).body.stages }).toEqual(before);
    expect(await isFound()).toBe(true);
  });

  it('that is concluded twice, or by two workers at once, counts once', async () => {
    const { verification, pool } = market.container;
    const { runId } = await runWith(market, agent, leakedKey());
    const both = await Promise.all([verification.conclude(runId), verification.conclude(runId)]);
    expect(both).toEqual([{ kind: 'failed' }, { kind: 'failed' }]);
    const { rows } = await pool.query<{ reports: string; findings: string; changes: string }>(
      `SELECT (SELECT count(*) FROM trust_reports WHERE agent_id = $1) AS reports,
              (SELECT count(*) FROM findings WHERE agent_id = $1) AS findings,
              (SELECT count(*) FROM listing_changes WHERE agent_id = $1) AS changes`,
      [agent.agentId],
    );
    expect(rows).toEqual([{ reports: '1', findings: '1', changes: '1' }]);
  });

  it('lists its worst findings first to the developer', async () => {
    const evidence = leakedKey();
    evidence.static.quality.hasReadme = false;
    evidence.static.quality.testFiles = 0;
    await runWith(market, agent, evidence);
    const path = `/v1/developer/agents/${agent.agentId}/findings`;
    const { body } = await request<{ items: { severity: string }[] }>(market, developer, 'GET', path);
    expect(body.items.map(({ severity }) => severity)).toEqual(['critical', 'low', 'info']);
  });
});

describe('a finding', () => {
  it('is acknowledged by its owner, resolved by a run without it, and opened again by one with it', async () => {
    const findings = async () =>
      (
        await request<{ items: Finding[] }>(
          market, developer, 'GET', `/v1/developer/agents/${agent.agentId}/findings`)
      ).body.items; // prettier-ignore
    const acknowledge = (who: Pick<TestUser, 'cookie'>, id: string) =>
      request(market, who, 'POST', `/v1/developer/agents/${agent.agentId}/findings/${id}/acknowledge`);

    await runWith(market, agent, leakedKey());
    const [found] = await findings();
    expect(found).toMatchObject({ severity: 'critical', category: 'secret-exposure', status: 'open' });
    const id = found?.finding_id ?? '';
    expect((await acknowledge(await registerDeveloper(market), id)).status).toBe(404);
    expect(await acknowledge(developer, id)).toMatchObject({ status: 200, body: { status: 'acknowledged' } });
    expect((await acknowledge(developer, id)).status).toBe(409);
    expect(await isFound()).toBe(false);

    await runWith(market, agent, leakedKey());
    expect(await findings()).toMatchObject([{ finding_id: id, status: 'acknowledged' }]);
    await runWith(market, agent, cleanEvidence());
    expect(await findings()).toMatchObject([{ finding_id: id, status: 'resolved' }]);
    expect((await acknowledge(developer, id)).status).toBe(409);
    await runWith(market, agent, leakedKey());
    expect(await findings()).toMatchObject([
      { finding_id: id, status: 'open', first_seen_at: found?.first_seen_at },
    ]);
    expect((await report()).body.stages['static_analysis']?.findings).toMatchObject([
      { finding_id: id, status: 'open' },
    ]);
  });
});
