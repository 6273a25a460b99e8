/** Contests of findings by owners, and waivers by operators: what they change, and who learns of it. */
import { replayRun } from '../../../src/services/verification/rescoring';
import { testManifest } from '../../support/agents/manifest';
import { registerOperator } from '../../support/disputes/disputes';
import { type LiveAgent, putLive, register, type TestUser } from '../../support/market';
import { newSlug } from '../../support/names';
import { publish, registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { cleanEvidence, leakedKey } from '../../support/verification/run-evidence';
import { holdTier, runWith } from '../../support/verification/trust';
import { useMarket } from '../../support/use-market';

const URL = 'https://127.77.0.1:9443';

const market = useMarket({ operations: false });
let operator: TestUser;
let buyer: TestUser;
let developer: TestDeveloper;
let agent: LiveAgent;

beforeAll(async () => {
  operator = await registerOperator(market);
  buyer = await register(market, 'buyer');
});
beforeEach(async () => {
  developer = await registerDeveloper(market);
  await holdTier(market, developer.userId, 'premium');
  agent = await putLive(market, developer.userId, URL);
});

interface Finding {
  finding_id: string;
  status: string;
  points_lost: number;
  file: string | null;
  line: number | null;
  waiver: { reason: string; expires_at: string } | null;
  contest: { contest_id: string; status: string; decision_reason: string | null } | null;
}

/** The same key with a digest of its value, as the scanner stores it. */
function key(digest: string) {
  const evidence = leakedKey();
  evidence.static.secrets.found.items = evidence.static.secrets.found.items.map((item) => ({
    ...item,
    digest,
  }));
  return evidence;
}

const findings = async () =>
  (
    await request<{ items: Finding[] }>(
      market,
      developer,
      'GET',
      `/v1/developer/agents/${agent.agentId}/findings`,
    )
  ).body.items;
async function onlyFinding(): Promise<Finding> {
  const [finding] = await findings();
  if (!finding) throw new Error('no finding');
  return finding;
}
const contest = (findingId: string, who: TestUser = developer) =>
  request<{ contest_id: string }>(
    market,
    who,
    'POST',
    `/v1/developer/agents/${agent.agentId}/findings/${findingId}/contest`,
    { statement: 'The key is of the public sandbox.' },
  );
const resolve = (contestId: string, decision: string) =>
  request(market, operator, 'POST', `/v1/operator/contests/${contestId}/resolve`, {
    decision,
    reason: `It is ${decision}.`,
  });
const waive = (findingId: string, days?: number) =>
  request<{ waiver_id: string }>(
    market,
    operator,
    'POST',
    `/v1/operator/agents/${agent.agentId}/findings/${findingId}/waive`,
    { reason: 'The key opens nothing.', ...(days && { waiver_days: days }) },
  );
const standing = async () =>
  (await request(market, buyer, 'GET', `/v1/listings/${agent.agentId}`)).body as Record<string, unknown>;
const codes = async (path: string) =>
  (await request<{ items: { code: string; data: unknown }[] }>(market, developer, 'GET', path)).body.items;
const notices = () => codes('/v1/billing/developer/notices');
const visibility = async () =>
  (
    await request<{ reasons: { code: string }[] }>(
      market,
      developer,
      'GET',
      `/v1/developer/agents/${agent.agentId}/visibility`,
    )
  ).body.reasons.map(({ code }) => code);

describe('a contest', () => {
  it('is refused with a reason that the owner reads, or accepted, which waives the finding', async () => {
    await runWith(market, agent, key('0badcafe'));
    const { finding_id: id, ...finding } = await onlyFinding();
    expect(finding).toMatchObject({ points_lost: 25, file: 'src/config.js', line: 3, contest: null });
    const opened = await contest(id);
    expect([opened.status, (await contest(id)).status]).toEqual([201, 409]);
    const queue = await request<{ items: { contest_id: string }[] }>(
      market, operator, 'GET', '/v1/operator/contests?limit=1'); // prettier-ignore
    expect(queue.body.items).toMatchObject([
      { contest_id: opened.body.contest_id, agent_id: agent.agentId, status: 'open', decided_by: null },
    ]);

    expect((await resolve(opened.body.contest_id, 'refused')).status).toBe(200);
    expect((await resolve(opened.body.contest_id, 'accepted')).status).toBe(409);
    expect((await onlyFinding()).contest).toMatchObject({
      status: 'refused',
      decision_reason: 'It is refused.',
    });
    const again = await contest(id);
    expect((await resolve(again.body.contest_id, 'accepted')).body).toMatchObject({
      status: 'accepted',
      waiver_id: expect.stringMatching(/^fwv_/) as unknown,
      decided_by: operator.userId,
    });
    expect(await onlyFinding()).toMatchObject({ waiver: { reason: 'It is accepted.' } });
    expect((await contest(id)).body).toMatchObject({ error: { message: 'This finding is waived.' } });
    expect((await notices()).map(({ code }) => code)).toEqual(['finding_waived', 'contest_refused']);
    const log = await request<{ items: { action: string; reason: string }[] }>(
      market, operator, 'GET', `/v1/operator/actions?subject=${id}`); // prettier-ignore
    expect(log.body.items).toMatchObject([
      { action: 'finding.waive', reason: 'It is accepted.' },
      { action: 'finding.refuse_contest', reason: 'It is refused.' },
    ]);
  });

  it('is permitted to the owner of the finding, three times, and not for a resolved one', async () => {
    await runWith(market, agent, key('0badcafe'));
    const { finding_id: id } = await onlyFinding();
    const other = await registerDeveloper(market);
    expect((await contest(id, other)).status).toBe(404);
    expect((await contest(id, buyer)).status).toBe(403);
    for (let time = 0; time < 3; time += 1) await resolve((await contest(id)).body.contest_id, 'refused');
    expect((await contest(id)).body).toMatchObject({
      error: { message: 'A finding can be contested 3 times.' },
    });
    await runWith(market, agent, cleanEvidence());
    expect((await contest(id)).body).toMatchObject({ error: { message: 'This finding is resolved.' } });
    expect((await waive(id)).status).toBe(409);
  });
});

describe('a waiver', () => {
  it('restores score, badge and listing by the next run, and the report says so', async () => {
    await runWith(market, agent, key('0badcafe'));
    expect(await visibility()).toEqual(['critical_finding']);
    const { finding_id: id } = await onlyFinding();
    const { status, body } = await waive(id);
    expect([status, (await waive(id)).status]).toEqual([201, 409]);
    const { runId, outcome } = await runWith(market, agent, key('0badcafe'));
    expect(outcome).toEqual({ kind: 'passed' });
    expect(await standing()).toMatchObject({ badge: 'premium', trust_score: 100 });
    expect(await visibility()).toEqual([]);
    const report = await request<{ summary: string; stages: Record<string, { findings: Finding[] }> }>(
      market, buyer, 'GET', `/v1/agents/${agent.agentId}/trust-report`); // prettier-ignore
    expect(report.body.summary).toContain('1 waived by an operator.');
    expect(report.body.stages['static_analysis']?.findings).toMatchObject([
      { finding_id: id, status: 'open', points_lost: 0, waiver: { reason: 'The key opens nothing.' } },
    ]);
    const path = `/v1/operator/waivers/${body.waiver_id}/revoke`;
    await request(market, operator, 'POST', path, { reason: 'The report of then stays.' });
    expect(await replayRun(market.container.pool, runId)).toMatchObject({ same_report: true });
  });

  it('covers exactly what was found: another key in the same file counts', async () => {
    await runWith(market, agent, key('0badcafe'));
    await waive((await onlyFinding()).finding_id);
    expect((await runWith(market, agent, key('deadbeef'))).outcome).toEqual({ kind: 'failed' });
    expect(await onlyFinding()).toMatchObject({ points_lost: 25, waiver: null });
  });

  it('ends when it expires or is revoked; the finding counts again', async () => {
    await runWith(market, agent, key('0badcafe'));
    const { finding_id: id } = await onlyFinding();
    await waive(id, 1);
    await market.owner.query(
      `UPDATE finding_waivers SET granted_at = granted_at - interval '2 days', expires_at = expires_at - interval '2 days'
        WHERE finding_id = $1`,
      [id],
    );
    await market.container.waivers.markAsked(agent.agentId);
    await market.container.waivers.expire();
    const asked = await market.container.waivers.listUnasked(agent.agentId);
    expect(asked).toEqual([{ agentId: agent.agentId, versionId: agent.versionId }]);
    expect((await runWith(market, agent, key('0badcafe'))).outcome).toEqual({ kind: 'failed' });

    const { waiver_id: second } = (await waive(id)).body;
    const revoke = () =>
      request(market, operator, 'POST', `/v1/operator/waivers/${second}/revoke`, { reason: 'It does.' });
    expect([(await revoke()).status, (await revoke()).status]).toEqual([200, 409]);
    expect((await runWith(market, agent, key('0badcafe'))).outcome).toEqual({ kind: 'failed' });
    const listed = await request(market, operator, 'GET', `/v1/operator/waivers?agent_id=${agent.agentId}`);
    expect(listed.body).toMatchObject({
      items: [{ end_reason: 'It does.', ended_by: operator.userId }, { ended_by: null }],
      total: 2,
    });
    expect((await notices()).map(({ code }) => code)).toEqual([
      'waiver_ended',
      'finding_waived',
      'waiver_ended',
      'finding_waived',
    ]);
  });

  it('lets a rejected first version go live; until then its visibility names both reasons', async () => {
    const slug = newSlug('waived');
    await publish(market, developer, testManifest(URL, { agentId: slug, version: '1.0.0' }));
    const { rows } = await market.owner.query<{ agent_id: string; version_id: string }>(
      'SELECT agent_id, version_id FROM agent_versions WHERE slug = $1',
      [slug],
    );
    agent = { agentId: rows[0]?.agent_id ?? '', versionId: rows[0]?.version_id ?? '' } as LiveAgent;
    expect(await visibility()).toEqual(['not_verified']);
    expect((await runWith(market, agent, key('0badcafe'))).outcome).toEqual({ kind: 'rejected' });
    expect(await visibility()).toEqual(['not_verified', 'critical_finding']);
    await waive((await onlyFinding()).finding_id);
    expect(await visibility()).toEqual(['not_verified']);
    expect((await runWith(market, agent, key('0badcafe'))).outcome).toEqual({ kind: 'live' });
    expect(await visibility()).toEqual([]);
  });
});
