/** Probes that an agent takes as jobs (ADR 0317): callbacks about them, and what a run finds. */
import { randomUUID } from 'node:crypto';
import { newId } from '../../../src/kit/ids/ids';
import { newSigningSecret } from '../../../src/kit/crypto/webhook-signature';
import type { JobCapability } from '../../../src/domain/catalogue/capabilities';
import type { JobsFact } from '../../../src/domain/verification/job-facts';
import type { ProbeFact } from '../../../src/domain/verification/probe-facts';
import { beginProbeJob } from '../../../src/stores/jobs/probe-jobs';
import { addressIn, postCallback } from '../../support/jobs/callbacks';
import type { Delivery } from '../../support/agents/behaviours';
import { testManifest } from '../../support/agents/manifest';
import { startAgent } from '../../support/agents/test-agent';
import { publish, registerDeveloper, request } from '../../support/catalogue/publishing';
import { eventually } from '../../support/market';
import { useMarket } from '../../support/use-market';
import { realTime } from '../../support/waits';

const market = useMarket();

interface Evidence {
  jobs: JobsFact | null;
  conformance: { probes: ProbeFact[] };
  latency: { timeoutMs: number; overTimeout: number; p95Ms: number | null };
}

/** How the runs of an agent stand; `running` before the first one begins. */
async function statesOf(agentId: string): Promise<string[]> {
  const { rows } = await market.owner.query<{ state: string }>(
    'SELECT state FROM verification_runs WHERE agent_id = $1',
    [agentId],
  );
  return rows.length === 0 ? ['running'] : rows.map(({ state }) => state);
}

/** One of the invalid inputs of a run is not JSON. */
function isJson({ body }: Delivery): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}

/** Publishes an agent that accepts each call as a job, and then works on it. Returns what its run has found. */
async function verified(
  work: (
    callBack: (message: object, secret?: string, id?: string) => Promise<number>,
    call: Delivery,
  ) => Promise<void>,
  declared: Partial<JobCapability> = {},
  location?: string,
) {
  const developer = await registerDeveloper(market);
  let secret: Promise<string> = Promise.resolve('');
  const works: Promise<void>[] = [];
  const callBack = async (call: Delivery, message: object, by?: string, id?: string) =>
    (await postCallback(addressIn(call, market), by ?? (await secret), message, id)).status;
  const agent = await startAgent({
    behaviour: (call) => {
      if (call.method === 'GET') return { kind: 'answer', status: 202, output: {} };
      if (!isJson(call)) return { kind: 'status', status: 400 };
      works.push(work((...sent) => callBack(call, ...sent), call));
      return { kind: 'answer', status: 202, output: {}, headers: location ? { location } : {} };
    },
  });
  const jobs = { max_seconds: 600, heartbeat_seconds: 10, ...declared };
  const manifest = testManifest(agent.url, { agentId: `prober-${randomUUID().slice(0, 8)}`, jobs });
  const { body } = await publish(market, developer, manifest);
  secret = request<{ signing_secret: string }>(
    market,
    developer,
    'GET',
    `/v1/developer/agents/${body.agent_id}`,
  ).then((reply) => reply.body.signing_secret);
  await eventually(async () => (await statesOf(body.agent_id)).every((state) => state !== 'running'), 60_000);
  await Promise.all(works);
  const { rows } = await market.owner.query<{ evidence: string; state: string }>(
    `SELECT e.evidence, r.state FROM verification_evidence e JOIN verification_runs r USING (run_id)
      WHERE r.agent_id = $1 AND e.stage = 'dynamic'`,
    [body.agent_id],
  );
  const report = await request<{
    latency: { p95_ms: number; jobs: { count: number; p50_ms: number; p95_ms: number } | null };
    stages: Record<string, { findings: { category: string; description: string }[] }>;
  }>(market, developer, 'GET', `/v1/agents/${body.agent_id}/trust-report`);
  await agent.stop();
  return {
    state: rows[0]?.state,
    evidence: JSON.parse(rows[0]?.evidence ?? '{}') as Evidence,
    latency: report.body.latency,
    findings: report.body.stages['dynamic_testing']?.findings ?? [],
    callBack,
    calls: agent.deliveries,
  };
}

it("are answered by callbacks, which get the answers of a buyer's call", async () => {
  const told: number[][] = [];
  const milestones = [{ name: 'half', percent: 50 }];
  const run = await verified(
    async (callBack, call) => {
      const statuses = [await callBack({ type: 'progress', progress: 0.5, message: 'Half' })];
      // A cancelled job is stopped.
      if (statuses[0] === 409) return;
      const reach = async (name: string, id?: string) => {
        for (;;) {
          const status = await callBack({ type: 'milestone', name, piece: 1 }, undefined, id);
          if (status !== 429) return status;
          await realTime(20, 'the service reads the 202, before which a milestone is too early');
        }
      };
      statuses.push(await reach('half', 'msg_half'), await reach('other'), await reach('half'));
      statuses.push(await reach('half', 'msg_half'));
      const output = JSON.parse(call.body.toString()) as unknown;
      const end = { type: 'answer', output };
      statuses.push(await callBack(end, undefined, 'msg_end'), await callBack(end, undefined, 'msg_end'));
      told.push(statuses);
    },
    { milestones },
  );
  expect(run.state).toBe('passed');
  expect(told.length).toBeGreaterThan(10);
  const { jobs, conformance, latency } = run.evidence;
  expect(conformance.probes.map(({ code }) => code)).toEqual(conformance.probes.map(() => 'conforms'));
  expect(jobs).toMatchObject({ unanswered: 0, backwards: 0, unsigned: 0, cancelled: { goesOn: false } });
  expect(jobs?.answered).toBe(jobs?.taken);
  // The job took longer than its acceptance, by which calls are measured.
  expect(conformance.probes.every(({ durationMs, jobMs = 0 }) => jobMs >= durationMs + 50)).toBe(true);
  expect(latency.overTimeout).toBe(0);
  expect(jobs?.p95Ms).toBeGreaterThan(latency.p95Ms ?? Infinity);
  expect(run.latency).toMatchObject({
    p95_ms: latency.p95Ms,
    jobs: { count: jobs?.answered, p50_ms: jobs?.p50Ms, p95_ms: jobs?.p95Ms },
  });
  // The last one may come after the probe has ended, and a job may be cancelled at any time.
  const counts = told.map((statuses) => statuses.slice(0, 6).join(' '));
  expect(counts.filter((seen) => seen === '202 202 422 409 202 202').length).toBeGreaterThan(told.length - 2);
  const [call] = run.calls;
  if (!call) throw new Error('the agent was not called');
  expect(await run.callBack(call, { type: 'answer', output: {} })).toBe(409);
  expect(await run.callBack(call, { type: 'progress', progress: 1 })).toBe(409);
  expect(await run.callBack(call, { type: 'answer', output: {} }, newSigningSecret())).toBe(401);
});

it('have findings for progress that runs backwards, a missing signature, and work that goes on', async () => {
  const run = await verified(async (callBack, call) => {
    await callBack({ type: 'progress', progress: 0.5 });
    await callBack({ type: 'progress', progress: 0.2 });
    await callBack({ type: 'progress', progress: 0.9 }, newSigningSecret());
    await realTime(30, 'the agent works for longer than it takes to cancel a job');
    await callBack({ type: 'answer', output: JSON.parse(call.body.toString()) as unknown });
  });
  expect(run.evidence.jobs?.cancelled).toMatchObject({ goesOn: true });
  const ofJobs = run.findings.filter(({ category }) => category === 'jobs');
  expect(ofJobs.map(({ description }) => description).sort()).toEqual([
    expect.stringMatching(/^\d+ callbacks about jobs were not signed with the signing secret of the agent/),
    expect.stringMatching(/^\d+ reports about jobs had less progress than the report before/),
    expect.stringMatching(/^The agent went on with a job that its caller had cancelled/),
  ]);
});

it('are waited for as long as the version declares, and asked for a last time at the end', async () => {
  const begun = performance.now();
  const run = await verified(() => Promise.resolve(), { probe_max_seconds: 1 }, '/jobs/1');
  expect(performance.now() - begun).toBeLessThan(20_000);
  const { taken = 0, ...jobs } = run.evidence.jobs ?? {};
  expect(taken).toBeGreaterThan(0);
  expect(jobs).toMatchObject({ answered: 0, unanswered: taken });
  const count = (wanted: string) => run.calls.filter(({ method }) => method === wanted).length;
  // Each job that is given up is stopped, as that of a buyer whose time is over.
  expect([count('GET'), count('DELETE')]).toEqual([count('POST'), count('POST')]);
  expect(run.findings).toContainEqual(
    expect.objectContaining({
      category: 'jobs',
      description: expect.stringContaining('had no answer') as string,
    }),
  );
});

it('of an agent that never answers keep no agent of another developer waiting', async () => {
  const slow = await startAgent({
    behaviour: { kind: 'answer', status: 202, output: {}, headers: { location: '/jobs/1' } },
  });
  const developer = await registerDeveloper(market);
  const jobs = { max_seconds: 600, probe_max_seconds: 300 };
  const slowIds: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const manifest = testManifest(slow.url, { agentId: `slow-${name}-${randomUUID().slice(0, 8)}`, jobs });
    slowIds.push((await publish(market, developer, manifest)).body.agent_id);
  }
  // Two of them are probed at a time, and no more.
  await eventually(() =>
    Promise.resolve(slow.deliveries.filter(({ method }) => method === 'GET').length > 1),
  );
  const run = await verified(async (callBack, call) => {
    await callBack({ type: 'answer', output: JSON.parse(call.body.toString()) as unknown });
  });
  expect(run.state).toBe('passed');
  expect(await Promise.all(slowIds.map(statesOf))).toEqual([['running'], ['running'], ['running']]);
  await slow.stop();
});

it('whose process was killed are over a day later', async () => {
  const killed = newId('inv');
  await market.owner.query(
    `INSERT INTO probe_jobs (invocation_id, agent_id, began_at, end_body) VALUES ($1, 'killed', now() - interval '25 hours', 'x')`,
    [killed],
  );
  await beginProbeJob(market.container.pool, newId('inv'), { agentId: 'next', versionId: 'ver_next' });
  const { rows } = await market.owner.query(
    'SELECT over_at IS NOT NULL AS "isOver", end_body FROM probe_jobs WHERE invocation_id = $1',
    [killed],
  );
  expect(rows).toEqual([{ isOver: true, end_body: null }]);
});
