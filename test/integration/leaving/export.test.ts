/** Exports of everything that an account has stored (ADR 0387). */
import type { Client } from 'pg';
import request from 'supertest';
import { writeZip } from '../../../src/kit/archives/zip-writer';
import { exportArchive } from '../../../src/services/leaving/export-archive';
import { beginAttempt, insertPart } from '../../../src/stores/leaving/exports';
import { EXPORTED_LISTS } from '../../../src/stores/leaving/exported-lists';
import { SNAPSHOT_SETTINGS, withSnapshot } from '../../../src/stores/leaving/snapshot';
import { dispute } from '../../support/disputes/disputes';
import { downloadOf, exportAll, exportsOf, filesOf, listOf, requestExport } from '../../support/leaving';
import { eventually, invoke, register, type TestUser } from '../../support/market';
import { useScene } from '../../support/use-market';
import { withClient } from '../../../src/runtime/postgres/database';
import { testStack } from '../../support/stack/database';
import { superuserUrl } from '../../support/stack/stack';

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

  it('is not begun by an activity that ended while it waited for its turn', async () => {
    const { container, owner } = scene.market;
    const exportId = await waiting('3');
    await expect(container.exports.write(exportId, AbortSignal.abort())).rejects.toThrow();
    const { rows } = await owner.query('SELECT state, attempt FROM account_exports WHERE export_id = $1', [
      exportId,
    ]);
    expect(rows).toEqual([{ state: 'waiting', attempt: 0 }]);
    await fail(exportId);
  });

  it('stays open when a newer attempt refuses the parts of an older one', async () => {
    const { container, owner } = scene.market;
    const exportId = await waiting('4');
    // The older attempt stops where it would delete what is there.
    await owner.query('BEGIN');
    await owner.query('LOCK TABLE account_export_parts IN SHARE MODE');
    const older = container.exports
      .write(exportId, new AbortController().signal)
      .catch((error: Error) => error);
    const attempt = async () =>
      (
        await container.pool.query<{ attempt: number }>(
          'SELECT attempt FROM account_exports WHERE export_id = $1',
          [exportId],
        )
      ).rows[0]?.attempt;
    await eventually(async () => (await attempt()) === 1);
    expect((await beginAttempt(container.pool, exportId))?.attempt).toBe(2);
    await owner.query('COMMIT');
    expect(await older).toMatchObject({ message: expect.stringContaining('another attempt') as string });
    await fail(exportId);
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

/** An export that no workflow writes. */
async function waiting(last: string): Promise<string> {
  const exportId = `exp_${'0'.repeat(31)}${last}`;
  await scene.market.owner.query(
    'INSERT INTO account_exports (export_id, user_id, workflow_started_at) VALUES ($1, $2, now())',
    [exportId, buyer.userId],
  );
  return exportId;
}

const fail = (exportId: string) =>
  scene.market.owner.query(
    `UPDATE account_exports SET state = 'failed', ended_at = now() WHERE export_id = $1`,
    [exportId],
  );

describe('ended exports', () => {
  it('lose their parts once, and are not looked at again', async () => {
    const { container, owner } = scene.market;
    await owner.query(
      `INSERT INTO account_exports (export_id, user_id, state, ended_at, parts_gone_at)
       SELECT 'exp_' || lpad(to_hex(n + 1000), 32, '0'), $1, 'failed', now() - interval '9 days', now()
         FROM generate_series(1, 20000) n`,
      [buyer.userId],
    );
    const exportId = await waiting('5');
    await owner.query(`UPDATE account_exports SET state = 'running', attempt = 1 WHERE export_id = $1`, [
      exportId,
    ]);
    for (let number = 0; number < 250; number += 1)
      await insertPart(container.pool, { exportId, attempt: 1, number, sealed: Buffer.from('part') });
    await fail(exportId);
    await owner.query('ANALYZE account_exports');
    await container.exports.purge();
    const { rows } = await owner.query(
      `SELECT (SELECT count(*)::int FROM account_export_parts WHERE export_id = $1) AS parts,
              (SELECT count(*)::int FROM account_exports WHERE state IN ('failed', 'expired') AND parts_gone_at IS NULL) AS left`,
      [exportId],
    );
    expect(rows).toEqual([{ parts: 0, left: 0 }]);
    const plan = await owner.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT export_id FROM account_exports WHERE state IN ('failed', 'expired') AND parts_gone_at IS NULL
        ORDER BY ended_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
    );
    expect(plan.rows.map((row) => row['QUERY PLAN']).join(' ')).toContain('account_exports_parts');
    await owner.query('DELETE FROM account_exports WHERE user_id = $1 AND parts_gone_at IS NOT NULL', [
      buyer.userId,
    ]);
  });
});

describe('the lists of an export', () => {
  it('have names of their own, and none is there twice', () => {
    const names = EXPORTED_LISTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const columns = EXPORTED_LISTS.map(({ sql }) => /FROM agents a JOIN agent_audience/.test(sql));
    expect(columns.filter(Boolean)).toHaveLength(1);
  });

  it('sort no long list before their first page', async () => {
    const invocationId = await call('one of many');
    const url = superuserUrl(testStack().postgresPort, scene.market.database.name);
    await withClient(url, async (client) => {
      await client.query('BEGIN');
      await client.query('SET LOCAL session_replication_role = replica');
      await manyRows(client, invocationId);
      for (const setting of SNAPSHOT_SETTINGS) await client.query(setting);
      for (const [name, userId] of [
        ['calls', buyer.userId],
        ['receipts', buyer.userId],
        ['ledger', buyer.userId],
        ['agent_calls', scene.developer.userId],
      ] as const) {
        const sql = EXPORTED_LISTS.find((list) => list.name === name)?.sql ?? '';
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `EXPLAIN (FORMAT JSON) DECLARE plan NO SCROLL CURSOR FOR ${sql.replaceAll('$1', `'${userId}'`)}`,
        );
        expect([name, longSorts(rows[0]?.['QUERY PLAN'][0].Plan)]).toEqual([name, []]);
      }
      await client.query('ROLLBACK');
    });
  });
});

/** Twenty thousand copies of a call, and of an entry of the wallet that paid for it. */
async function manyRows(client: Client, invocationId: string): Promise<void> {
  await client.query(
    `INSERT INTO invocations SELECT (jsonb_populate_record(i, jsonb_build_object(
         'invocation_id', 'inv_' || lpad(to_hex(n), 32, '0')))).*
       FROM invocations i, generate_series(1, 20000) n WHERE i.invocation_id = $1`,
    [invocationId],
  );
  await client.query(
    `INSERT INTO entries OVERRIDING SYSTEM VALUE
     SELECT (jsonb_populate_record(NULL::entries, to_jsonb(e) || jsonb_build_object('entry_id', e.entry_id + n))).*
       FROM (SELECT e.* FROM entries e JOIN accounts a ON a.account_id = e.account_id
              WHERE a.user_id = $1 AND a.kind = 'wallet' ORDER BY e.entry_id DESC LIMIT 1) e,
            generate_series(1, 20000) n`,
    [buyer.userId],
  );
  await client.query('ANALYZE invocations, entries');
}

interface PlanNode {
  'Node Type': string;
  'Plan Rows': number;
  Plans?: PlanNode[];
}

/** Nodes of a plan that sort more than a page before they deliver a row. */
const longSorts = (node?: PlanNode): string[] =>
  node
    ? [
        ...(node['Node Type'].includes('Sort') && node['Plan Rows'] > 1_000 ? [node['Node Type']] : []),
        ...(node.Plans ?? []).flatMap(longSorts),
      ]
    : [];

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
