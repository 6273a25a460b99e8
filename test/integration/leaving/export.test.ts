/** Exports of everything that an account has stored (ADR 0387). */
import request from 'supertest';
import { writeZip } from '../../../src/kit/archives/zip-writer';
import { exportArchive } from '../../../src/services/leaving/export-archive';
import { insertPart } from '../../../src/stores/leaving/exports';
import { EXPORTED_LISTS } from '../../../src/stores/leaving/exported-lists';
import { withSnapshot } from '../../../src/stores/leaving/snapshot';
import { dispute } from '../../support/disputes/disputes';
import { downloadOf, exportAll, exportsOf, filesOf, listOf, requestExport } from '../../support/leaving';
import { invoke, register, type TestUser } from '../../support/market';
import { useScene } from '../../support/use-market';

const scene = useScene();
let buyer: TestUser;
beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 1_000);
});

interface Call {
  invocation_id: string;
  charged_credits: number;
  metadata: Record<string, string> | null;
}

const call = async (text: string, more: object = {}) =>
  (await invoke(scene.market, buyer, scene.agentId, { input: { text }, ...more })).body.invocation_id ?? '';

describe('an export', () => {
  it('has every list as JSON and as CSV, with a README, for the buyer', async () => {
    await request(scene.market.url)
      .put('/v1/auth/keeping')
      .set('cookie', buyer.cookie)
      .send({ days: 3 })
      .expect(200);
    const first = await call('=SUM(1)', { metadata: { project: 'atlas' } });
    await call('hello, "world"');
    await dispute(scene.market, buyer, first, { description: 'It is not what I asked for.' });

    const files = await exportAll(scene.market, buyer);
    for (const { name } of EXPORTED_LISTS) expect(files.has(`json/${name}.json`)).toBe(true);
    const calls = listOf<Call>(files, 'calls');
    expect(calls).toHaveLength(2);
    expect(calls[0]).toMatchObject({
      invocation_id: first,
      charged_credits: 10,
      metadata: { project: 'atlas' },
    });
    expect(files.get('csv/calls.csv')?.trimEnd().split('\r\n')).toHaveLength(3);
    expect(listOf<{ input: unknown }>(files, 'kept_bodies').map(({ input }) => input)).toContainEqual({
      text: '=SUM(1)',
    });
    expect(listOf<{ email: string }>(files, 'profile')).toMatchObject([{ user_id: buyer.userId }]);
    expect(listOf<object>(files, 'disputes')).toMatchObject([{ invocation_id: first, side: 'buyer' }]);
    expect(listOf<object>(files, 'ledger').length).toBeGreaterThan(4);
    expect(files.get('README.txt')).toMatch(/calls +2 rows/);
    // Text that a spreadsheet would run is harmless.
    expect(files.get('csv/kept_bodies.csv')).not.toMatch(/(^|,)=/m);
    const all = [...files.values()].join('\n');
    expect(all).not.toContain('argon2');
  });

  it("has a developer's agents, manifests, calls and earnings, and no buyer", async () => {
    await call('for the developer');
    const files = await exportAll(scene.market, scene.developer);
    expect(listOf<object>(files, 'agents')).toMatchObject([{ agent_id: scene.agentId }]);
    expect(listOf<{ manifest: string }>(files, 'agent_versions')[0]?.manifest).toContain('"pricing"');
    expect(listOf<object>(files, 'agent_calls').length).toBeGreaterThan(0);
    expect(listOf<object>(files, 'earnings').length).toBeGreaterThan(0);
    expect([...files.values()].join('\n')).not.toContain(buyer.userId);
  });

  it('is open once for an account, and requested three times in a day at most', async () => {
    await scene.market.owner.query(
      `INSERT INTO account_exports (export_id, user_id, workflow_started_at) VALUES ($1, $2, now())`,
      [`exp_${'0'.repeat(31)}1`, buyer.userId],
    );
    await requestExport(scene.market, buyer).expect(409);
    await scene.market.owner.query(
      `UPDATE account_exports SET state = 'failed', ended_at = now() WHERE user_id = $1`,
      [buyer.userId],
    );
    await exportAll(scene.market, buyer);
    await exportAll(scene.market, buyer);
    const refused = await requestExport(scene.market, buyer).expect(429);
    expect(refused.headers['retry-after']).toBe('3600');
    const stranger = await register(scene.market, 'buyer');
    const [{ export_id: id } = { export_id: '' }] = await exportsOf(scene.market, buyer);
    await downloadOf(scene.market, stranger, id).expect(404);
    await request(scene.market.url).get(`/v1/account/exports/${id}/archive.zip`).expect(401);
  });

  it('is of one snapshot while calls go on', async () => {
    const { container } = scene.market;
    const before = await call('before');
    const chunks: Buffer[] = [];
    let after = '';
    await withSnapshot(container.bulk.primary, async (snapshot) => {
      const of = { userId: buyer.userId, exportId: 'exp_test', origin: 'https://market.example' };
      for await (const bytes of exportArchive(container.cipher, snapshot, of).bytes) {
        after ||= await call('after');
        chunks.push(bytes);
      }
    });
    const files = await filesOf(Buffer.concat(chunks));
    expect(listOf<Call>(files, 'calls').map(({ invocation_id }) => invocation_id)).toEqual([before]);
    expect(files.get('csv/calls.csv')).not.toContain(after);
  });

  it('begins again after a crash, and refuses a late part of the attempt before', async () => {
    const { container, owner } = scene.market;
    const exportId = `exp_${'0'.repeat(31)}2`;
    await owner.query(
      `INSERT INTO account_exports (export_id, user_id, state, attempt, workflow_started_at)
       VALUES ($1, $2, 'running', 1, now())`,
      [exportId, buyer.userId],
    );
    const late = { exportId, attempt: 1, sealed: Buffer.from('of the process that died') };
    for (const number of [0, 1, 2]) expect(await insertPart(container.pool, { ...late, number })).toBe(true);
    expect(await container.exports.write(exportId, new AbortController().signal)).toBe('ready');
    expect(await insertPart(container.pool, { ...late, number: 9 })).toBe(false);
    expect(await container.exports.write(exportId, new AbortController().signal)).toBe('gone');
    const files = await filesOf((await downloadOf(scene.market, buyer, exportId).expect(200)).body as Buffer);
    expect(listOf<object>(files, 'profile')).toHaveLength(1);
  });

  it('is deleted when its time is over', async () => {
    await exportAll(scene.market, buyer);
    const [{ export_id: id } = { export_id: '' }] = await exportsOf(scene.market, buyer);
    await scene.market.owner.query(
      `UPDATE account_exports SET expires_at = now() - interval '1 s' WHERE export_id = $1`,
      [id],
    );
    await downloadOf(scene.market, buyer, id).expect(409);
    await scene.market.container.exports.purge();
    const { rowCount } = await scene.market.owner.query(
      'SELECT FROM account_export_parts WHERE export_id = $1',
      [id],
    );
    expect(rowCount).toBe(0);
    expect((await exportsOf(scene.market, buyer))[0]?.status).toBe('expired');
  });
});

describe('writeZip', () => {
  it('fails when a file fails', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'some';
      throw new Error('the connection is gone');
    }
    const read = async () => {
      for await (const bytes of writeZip([{ name: 'a', content: broken }], new Date(0)))
        expect(bytes.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toThrow('the connection is gone');
  });
});
