import { gzipSync } from 'node:zlib';
import { operations } from '../../../src/contract/operations';
import { canonicalJson, sha256Hex } from '../../../src/kit/json/canonical-json';
import { newId } from '../../../src/kit/ids/ids';
import { storeStageEvidence } from '../../../src/stores/verification/verification-evidence';
import { testManifest } from '../../support/agents/manifest';
import { bundleOf } from '../../support/verification/bundles';
import { register } from '../../support/market';
import { publish, registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { useMarket } from '../../support/use-market';

const URL = 'https://127.77.0.1:9443';

const market = useMarket({ operations: false });
let developer: TestDeveloper;
let slugs = 0;

beforeAll(async () => {
  developer = await registerDeveloper(market);
});

function manifest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  slugs += 1;
  return { ...testManifest(URL, { agentId: `agent-${slugs}` }), ...changes };
}

/** The row of a version. */
async function stored(agentId: string, version: string) {
  const result = await market.owner.query<{ state: string; manifest: string; submitted_at: Date | null }>(
    'SELECT state, manifest, submitted_at FROM agent_versions WHERE agent_id = $1 AND version = $2',
    [agentId, version],
  );
  return result.rows[0];
}

describe('publishing a manifest', () => {
  it('answers 201 with the agent id of its major version and submits it for verification', async () => {
    const reply = await publish(market, developer, manifest({ agent_id: 'csv-to-json', version: '3.1.4' }));
    expect(reply).toEqual({
      status: 201,
      body: { agent_id: 'agt_csv_to_json_v3', slug: 'csv-to-json', version: '3.1.4', status: 'submitted' },
    });
  });

  it('stores the document with its defaults and the author of the session', async () => {
    const document = manifest({ author: 'dev_somebody-else' });
    delete document['capabilities'];
    delete document['tags'];
    const { body } = await publish(market, developer, document);
    const row = await stored(body.agent_id, '1.0.0');
    expect(JSON.parse(row?.manifest ?? '')).toEqual({
      ...document,
      author: developer.developerId,
      tags: [],
      pricing: { model: 'per_call', credits_per_call: 10, free_tier_calls: 0 },
      endpoint: { url: `${URL}/`, timeout_ms: 5_000, max_payload_bytes: 10_485_760 },
      data_handling: { pii_processed: false, data_retention_days: 1, residency: 'global', subprocessors: [] },
      capabilities: { streaming: false, idempotent: false, a2a_invocable: true },
    });
  });

  it('keeps a draft with submit: false, and submits it once', async () => {
    const { body } = await publish(market, developer, manifest(), { submit: false });
    expect(body.status).toBe('draft');
    const path = `/v1/developer/agents/${body.agent_id}/versions/1.0.0/submit`;
    const submitted = await request(market, developer, 'POST', path);
    expect(submitted).toMatchObject({ status: 202, body: { status: 'submitted' } });
    expect(await request(market, developer, 'POST', path)).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state' } },
    });
  });

  it('refuses buyers, and developers who have not paid the registration fee', async () => {
    const buyer = await register(market, 'buyer');
    const unpaid = await register(market, 'developer');
    expect(await publish(market, buyer, manifest())).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
    expect(await publish(market, unpaid, manifest())).toMatchObject({
      status: 403,
      body: { error: { code: 'registration_required' } },
    });
  });
});

describe('versions', () => {
  const publishVersion = async (slug: string, version: string, submit = true) =>
    publish(market, developer, manifest({ agent_id: slug, version }), { submit });

  it('must be higher than the last published one, over all majors if their own does not serve', async () => {
    expect((await publishVersion('ordered', '1.2.3')).status).toBe(201);
    expect(await publishVersion('ordered', '1.2.3')).toMatchObject({
      status: 409,
      body: { error: { code: 'version_not_higher' } },
    });
    expect((await publishVersion('ordered', '1.2.2')).status).toBe(409);
    expect((await publishVersion('ordered', '1.10.0')).status).toBe(201);
    expect((await publishVersion('ordered', '1.9.9')).status).toBe(409);
    expect(await publishVersion('ordered', '2.0.0')).toMatchObject({
      status: 201,
      body: { agent_id: 'agt_ordered_v2' },
    });
    expect((await publishVersion('ordered', '1.11.0')).status).toBe(409);
  });

  it('gives exactly one of 12 parallel publishers of the same version its 201', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => publishVersion('raced', '1.0.0')));
    expect(replies.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 11 }, () => 409),
    ]);
  });

  it('gives a slug to one of two developers who ask for it at once', async () => {
    const rival = await registerDeveloper(market);
    const both = await Promise.all([
      publish(market, developer, manifest({ agent_id: 'wanted' })),
      publish(market, rival, manifest({ agent_id: 'wanted' })),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(both.find(({ status }) => status === 409)?.body.error?.code).toBe('slug_taken');
  });

  it('never change once published, not even by hand', async () => {
    const { body } = await publishVersion('frozen', '1.0.0');
    const change = market.container.pool.query(
      `UPDATE agent_versions SET manifest = '{}' WHERE agent_id = $1`,
      [body.agent_id],
    );
    await expect(change).rejects.toThrow(/immutable/);
    const jump = market.container.pool.query(`UPDATE agent_versions SET state = 'live' WHERE agent_id = $1`, [
      body.agent_id,
    ]);
    await expect(jump).rejects.toThrow(/cannot go from submitted to live/);
  });

  /** Rejects a version as a run with a critical finding does, and leaves its run behind. */
  async function reject(agentId: string, version: string) {
    const { rows } = await market.owner.query<{ version_id: string }>(
      `UPDATE agent_versions SET state = 'verifying' WHERE agent_id = $1 AND version = $2 AND state = 'submitted'
        RETURNING version_id`,
      [agentId, version],
    );
    await market.owner.query(
      `UPDATE agent_versions SET state = 'rejected', reject_reason = 'It told its secret.' WHERE version_id = $1`,
      [rows[0]?.version_id],
    );
    await market.owner.query(
      `INSERT INTO verification_runs (run_id, agent_id, version_id, reason, state, finished_at)
       VALUES ($1, $2, $3, 'published', 'failed', now())`,
      [newId('ver'), agentId, rows[0]?.version_id],
    );
  }

  it('that never went live release their numbers, and keep their runs', async () => {
    const draft = await publishVersion('freed', '1.1.0', false);
    const agentId = draft.body.agent_id;
    expect((await publishVersion('freed', '1.1.0')).body.status).toBe('submitted');
    expect((await publishVersion('freed', '1.1.0')).body.error?.code).toBe('version_not_higher');
    await reject(agentId, '1.1.0');
    expect((await publishVersion('freed', '1.1.0')).body.status).toBe('submitted');
    await reject(agentId, '1.1.0');
    expect((await publishVersion('freed', '1.0.0')).body.status).toBe('submitted');

    type Page = { items: { version: string; status: string }[]; total: number };
    const path = `/v1/developer/agents/${agentId}`;
    const { body } = await request<Page>(market, developer, 'GET', `${path}/versions`);
    expect(body.total).toBe(2);
    expect(body.items.map(({ version, status }) => [version, status])).toEqual([
      ['1.1.0', 'rejected'],
      ['1.0.0', 'submitted'],
    ]);
    const again = await request(market, developer, 'POST', `${path}/reverify`);
    expect(again.body).toMatchObject({ version: '1.0.0' });
    const runs = await market.owner.query(
      'SELECT FROM verification_runs r JOIN agent_versions v USING (version_id) WHERE v.agent_id = $1',
      [agentId],
    );
    expect(runs.rowCount).toBe(2);
  });

  /** Moves the submitted version of an agent through `states`, as its verification does. */
  async function moveThrough(agentId: string, states: readonly string[]) {
    for (const state of states)
      await market.owner.query(
        `UPDATE agent_versions SET state = $2, live_at = CASE WHEN $2 = 'live' THEN now() ELSE live_at END
          WHERE agent_id = $1`,
        [agentId, state],
      );
  }

  it('that are drafts are edited by publishing again, and deleted', async () => {
    const draft = manifest({ agent_id: 'sketch' });
    const bundle = bundleOf({ 'index.js': 'module.exports = 1;' }).toString('base64');
    const withBundle = { submit: false, bundle_base64: bundle };
    const bundles = async () => {
      const stored = 'SELECT FROM agent_bundles JOIN agent_versions USING (version_id) WHERE agent_id = $1';
      return (await market.owner.query(stored, ['agt_sketch_v1'])).rowCount;
    };
    const rows = async () => {
      const stored = 'SELECT FROM agent_versions WHERE agent_id = $1';
      return (await market.owner.query(stored, ['agt_sketch_v1'])).rowCount;
    };
    await publish(market, developer, draft, withBundle);
    expect((await publish(market, developer, draft, withBundle)).status).toBe(201);
    expect(await rows()).toBe(1);
    const edited = { ...draft, display_name: 'Second sketch' };
    expect((await publish(market, developer, edited, withBundle)).status).toBe(201);
    expect(await bundles()).toBe(1);
    const agent = '/v1/developer/agents/agt_sketch_v1';
    const path = `${agent}/versions/1.0.0`;
    expect((await request(market, developer, 'GET', path)).body).toMatchObject({
      status: 'draft',
      manifest: { display_name: 'Second sketch' },
    });
    const remove = async (who: TestDeveloper) =>
      (await fetch(market.url + path, { method: 'DELETE', headers: { cookie: who.cookie } })).status;
    expect(await remove(await registerDeveloper(market))).toBe(404);
    expect([await remove(developer), await remove(developer)]).toEqual([204, 404]);
    expect(await bundles()).toBe(0);
    expect((await request(market, developer, 'GET', path)).status).toBe(404);
    expect((await request(market, developer, 'GET', `${agent}/versions`)).body).toMatchObject({ total: 0 });
    expect((await request(market, developer, 'GET', agent)).status).toBe(200);
    expect((await request(market, developer, 'GET', '/v1/developer/agents')).status).toBe(200);
    const reads = operations.filter(
      ({ method, path: of }) => method === 'get' && /^[^{]+{agent_id}[^{]*$/.test(of),
    );
    for (const { path: of } of reads) {
      const { status } = await request(market, developer, 'GET', of.replace('{agent_id}', 'agt_sketch_v1'));
      expect([of, status < 500]).toEqual([of, true]);
    }
    expect(reads.length).toBeGreaterThan(10);
    expect((await publish(market, developer, draft)).status).toBe(201);
    expect(await remove(developer)).toBe(409);
  });

  it('of an older major that serves can follow a newer major', async () => {
    const { agent_id: agentId } = (await publishVersion('two-majors', '1.0.0')).body;
    await moveThrough(agentId, ['verifying', 'verified', 'live']);
    await market.owner.query(
      `UPDATE agents a SET serving_version_id = v.version_id FROM agent_versions v
        WHERE a.agent_id = $1 AND v.agent_id = $1`,
      [agentId],
    );
    expect((await publishVersion('two-majors', '2.0.0')).status).toBe(201);
    const repriced = { pricing: { model: 'per_call', credits_per_call: 7 }, version: '1.1.0' };
    const reply = await publish(market, developer, manifest({ agent_id: 'two-majors', ...repriced }));
    expect(reply).toMatchObject({ status: 201, body: { agent_id: agentId, status: 'submitted' } });
    expect((await publishVersion('two-majors', '1.0.5')).body.error?.code).toBe('version_not_higher');
    expect((await publishVersion('two-majors', '0.9.0')).body.error?.code).toBe('version_not_higher');
  });

  it('that were live keep their numbers, also against a change by hand', async () => {
    const { agent_id: agentId } = (await publishVersion('was-live', '1.0.0')).body;
    await moveThrough(agentId, ['verifying', 'verified', 'live', 'superseded']);
    expect((await publishVersion('was-live', '1.0.0')).body.error?.code).toBe('version_not_higher');
    const byHand = market.container.pool.query(
      'UPDATE agent_versions SET withdrawn_at = now() WHERE agent_id = $1',
      [agentId],
    );
    await expect(byHand).rejects.toThrow(/agent_versions_withdrawn/);
  });

  it('supersede an older submitted one, and an older draft cannot be submitted any more', async () => {
    await publishVersion('hasty', '1.0.0');
    const draft = await publishVersion('hasty', '1.1.0', false);
    await publishVersion('hasty', '1.2.0');
    expect((await stored('agt_hasty_v1', '1.0.0'))?.state).toBe('superseded');
    const path = `/v1/developer/agents/${draft.body.agent_id}/versions/1.1.0/submit`;
    expect((await request(market, developer, 'POST', path)).status).toBe(409);
  });
});

describe('the owner', () => {
  it('sees endpoint, manifest and signing secret; other accounts do not see that the agent exists', async () => {
    const rival = await registerDeveloper(market);
    const { body } = await publish(market, developer, manifest());
    const own = await request<{ signing_secret: string }>(
      market,
      developer,
      'GET',
      `/v1/developer/agents/${body.agent_id}`,
    );
    expect(own.status).toBe(200);
    expect(own.body).toMatchObject({
      status: 'active',
      listed: false,
      serving_version: null,
      latest_version: { endpoint_url: `${URL}/` },
    });
    expect(
      Buffer.from(own.body.signing_secret.slice('whsec_'.length), 'base64').length,
    ).toBeGreaterThanOrEqual(24);
    for (const path of ['', '/versions', '/visibility']) {
      expect(
        (await request(market, rival, 'GET', `/v1/developer/agents/${body.agent_id}${path}`)).status,
      ).toBe(404);
    }
    for (const path of ['/retire', '/reverify', '/versions/1.0.0/submit']) {
      expect(
        (await request(market, rival, 'POST', `/v1/developer/agents/${body.agent_id}${path}`)).status,
      ).toBe(404);
    }
    expect((await request(market, rival, 'GET', `/v1/listings/${body.agent_id}`)).status).toBe(404);
  });

  it('lists own agents and their versions page by page', async () => {
    const owner = await registerDeveloper(market);
    for (const version of ['1.0.0', '1.0.1', '1.1.0', '2.0.0']) {
      await publish(market, owner, manifest({ agent_id: 'paged', version }));
    }
    type Page = { items: { agent_id: string; version: string }[]; next_cursor: string | null; total: number };
    const first = await request<Page>(market, owner, 'GET', '/v1/developer/agents?limit=1');
    expect(first.body).toMatchObject({ total: 2, items: [{ agent_id: 'agt_paged_v2' }] });
    const second = await request<Page>(
      market,
      owner,
      'GET',
      `/v1/developer/agents?limit=1&cursor=${first.body.next_cursor}`,
    );
    expect(second.body).toMatchObject({ next_cursor: null, items: [{ agent_id: 'agt_paged_v1' }] });
    const versions = await request<Page>(
      market,
      owner,
      'GET',
      '/v1/developer/agents/agt_paged_v1/versions?limit=2',
    );
    expect(versions.body.items.map(({ version }) => version)).toEqual(['1.1.0', '1.0.1']);
    const rest = await request<Page>(
      market,
      owner,
      'GET',
      `/v1/developer/agents/agt_paged_v1/versions?limit=2&cursor=${versions.body.next_cursor}`,
    );
    expect(rest.body.items.map(({ version }) => version)).toEqual(['1.0.0']);
    const foreign = await request(
      market,
      owner,
      'GET',
      `/v1/developer/agents?cursor=${versions.body.next_cursor}`,
    );
    expect(foreign.status).toBe(422);
  });

  it('reads the manifest of every version back; other accounts cannot', async () => {
    const older = manifest({ agent_id: 'read-back' });
    const newer = { ...older, version: '1.1.0', display_name: 'Second name' };
    for (const document of [older, newer]) await publish(market, developer, document);
    type Detail = { manifest: Record<string, unknown>; manifest_sha256: string };
    const path = '/v1/developer/agents/agt_read_back_v1/versions';
    for (const document of [older, newer]) {
      const { version, display_name } = document as Record<'version' | 'display_name', string>;
      const { status, body } = await request<Detail>(market, developer, 'GET', `${path}/${version}`);
      expect([status, body.manifest['display_name']]).toEqual([200, display_name]);
      expect(body).toMatchObject({
        version,
        registration: null,
        manifest: { author: developer.developerId },
      });
      expect(sha256Hex(canonicalJson(body.manifest))).toBe(body.manifest_sha256);
    }
    const rival = await registerDeveloper(market);
    expect((await request(market, rival, 'GET', `${path}/1.0.0`)).status).toBe(404);
    expect((await request(market, developer, 'GET', `${path}/1.0.1`)).status).toBe(404);
    expect((await request(market, developer, 'GET', `${path}/newest`)).status).toBe(404);
  });

  it('shows the owner the stages of the newest run while it goes on', async () => {
    const { body } = await publish(market, developer, manifest({ agent_id: 'run-in-stages' }));
    const agentId = body.agent_id;
    const latestRun = async () => {
      const path = `/v1/developer/agents/${agentId}`;
      return (await request<{ latest_run: unknown }>(market, developer, 'GET', path)).body.latest_run;
    };
    expect(await latestRun()).toBeNull();
    const { verification } = market.container;
    const runId = newId('ver');
    await verification.begin({ agentId, runId, reason: 'published' });
    await storeStageEvidence(market.container.pool, runId, 'static', {} as never);
    const time = expect.any(String) as string;
    const stages = [
      { stage: 'static_analysis', started_at: time, finished_at: time, failed: false },
      { stage: 'supply_chain', started_at: time, finished_at: null, failed: false },
      { stage: 'dynamic_testing', started_at: null, finished_at: null, failed: false },
      { stage: 'red_team', started_at: null, finished_at: null, failed: false },
    ];
    expect(await latestRun()).toEqual({
      run_id: runId,
      version: '1.0.0',
      state: 'running',
      started_at: time,
      finished_at: null,
      stages,
      failures: [],
    });
    await verification.abandon(runId);
    expect(await latestRun()).toMatchObject({ state: 'faulted', finished_at: time, stages });
  });

  it('retires an agent once; then it takes no versions', async () => {
    const { body } = await publish(market, developer, manifest({ agent_id: 'old-one' }));
    const path = `/v1/developer/agents/${body.agent_id}`;
    expect(await request(market, developer, 'POST', `${path}/retire`)).toMatchObject({
      status: 200,
      body: { status: 'retired' },
    });
    expect((await request(market, developer, 'POST', `${path}/retire`)).status).toBe(409);
    expect((await request(market, developer, 'POST', `${path}/reverify`)).status).toBe(409);
    const next = await publish(market, developer, manifest({ agent_id: 'old-one', version: '1.1.0' }));
    expect(next).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    const visibility = await request<{ reasons: { code: string }[] }>(
      market,
      developer,
      'GET',
      `${path}/visibility`,
    );
    expect(visibility.body).toMatchObject({ listed: false });
    expect(visibility.body.reasons.map(({ code }) => code)).toEqual(['retired', 'not_verified']);
  });
});

describe('the source bundle', () => {
  /** A tar of one empty file. */
  function tar(bytes = 2_048): Buffer {
    const archive = Buffer.alloc(bytes);
    archive.write('index.js', 0);
    archive.write('0000644\0', 100);
    archive.write('00000000000\0', 124);
    archive.write('        ', 148);
    archive.write('0', 156);
    const sum = archive.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return archive;
  }

  it('is stored as it was sent', async () => {
    const bundle = gzipSync(tar());
    const { body, status } = await publish(market, developer, manifest(), {
      bundle_base64: bundle.toString('base64'),
    });
    expect(status).toBe(201);
    const row = await market.owner.query<{ bundle: Buffer }>(
      'SELECT bundle FROM agent_bundles JOIN agent_versions USING (version_id) WHERE agent_id = $1',
      [body.agent_id],
    );
    expect(row.rows[0]?.bundle.equals(bundle)).toBe(true);
  });

  it.each([
    ['not base64', '%%%%', 'base64'],
    ['not gzip', Buffer.from('plain').toString('base64'), 'gzip'],
    ['no tar', gzipSync(Buffer.alloc(4_096, 'x')).toString('base64'), 'tar'],
    ['a bomb', gzipSync(tar(64 * 1024 * 1024)).toString('base64'), 'max_bytes'],
  ])('is refused with 422: %s', async (_name, bundle, type) => {
    const reply = await publish(market, developer, manifest(), { bundle_base64: bundle });
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toMatchObject([{ loc: ['body', 'bundle_base64'], type }]);
  });
});
