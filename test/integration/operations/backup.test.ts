/** A backup that is taken while calls run, restored into another database, and served from there. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { gunzipSync, gzipSync } from 'node:zlib';
import { newId } from '../../../src/kit/ids/ids';
import { createJobs } from '../../../src/services/jobs/jobs';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { readBackup, writeBackup } from '../../../src/services/operations/backup';
import { createPool } from '../../../src/stores/db';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
} from '../../support/market';
import { sendCallback } from '../../support/jobs/callbacks';
import { jobOf } from '../../support/jobs/jobs';
import { createTestTemporal } from '../../support/stack/temporal';

let market: TestMarket;
let agent: TestAgent;
let target: TestDatabase;
let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backup-'));
  [market, agent, target] = await Promise.all([
    startMarket({ operations: false }),
    startAgent(),
    createTestDatabase(),
  ]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await expectWholeLedger(market);
  await Promise.all([agent.stop(), market.stop(), target.drop()]);
});

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const callsOf = async (client: Client) => {
  const { rows } = await client.query<{ status: string; calls: string }>(
    'SELECT status, count(*) AS calls FROM invocations GROUP BY status',
  );
  return rows.reduce((sum, { calls }) => sum + Number(calls), 0);
};

it('is consistent although calls ran, and a restored database serves and continues them', async () => {
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 1_000);
  const { agentId, versionId } = await putLive(market, developer.userId, agent.url, { credits: 2 });
  const call = () => invoke(market, buyer, agentId, { input: { text: 'some\\text\nwith "quotes"' } });
  await call();
  // A call that its agent has accepted as a job; no worker runs here.
  const job = newId('inv');
  const terms = { invocationId: job, buyerUserId: buyer.userId, developerUserId: developer.userId };
  await market.container.ledger.hold([
    { ...terms, agentId, versionId, amountUnits: 200, leaseUntil: new Date(Date.now() + 3_600_000), traceId: 't' },
  ]);
  await market.owner.query(
    `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
       price_units, input_sha256, owner, trace_id, is_task)
     VALUES ($1, $2, $3, $4, $5, '1.0.0', 'invoke', 'running', 200, 'x', 'a worker', 't', true)`,
    [job, buyer.userId, developer.userId, agentId, versionId],
  );
  await market.owner.query('SELECT job_take($1, 10, NULL, 3600000, false, 300000)', [job]);
  let isOver = false;
  let made = 0;
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      expect((await call()).status).toBe(200);
      made += 1;
    }
  });
  const written = await withClient(market.database.ownerUrl, (client) =>
    writeBackup(client, file('good.backup')),
  );
  isOver = true;
  await Promise.all(load);
  expect(made).toBeGreaterThan(0);
  expect(statSync(file('good.backup')).mode & 0o777).toBe(0o600);
  expect(written.bytes).toBe(statSync(file('good.backup')).size);

  await withClient(target.ownerUrl, async (client) => {
    expect(await readBackup(client, file('good.backup'))).toEqual({
      takenAt: written.takenAt,
      tables: written.tables,
    });
    const restored = await callsOf(client);
    expect(restored).toBeGreaterThan(0);
    expect(restored).toBeLessThanOrEqual(await callsOf(market.owner));
    // The constraints and triggers of the ledger are in force again.
    await expect(client.query('DELETE FROM entries')).rejects.toThrow();
    const { rows } = await client.query<{ keys: string }>(
      `SELECT count(*) AS keys FROM pg_constraint WHERE contype = 'f' AND NOT convalidated`,
    );
    expect(rows).toEqual([{ keys: '0' }]);
  });
  const pool = createPool({ connectionString: target.appUrl, max: 2, applicationName: 'backup', onError: () => undefined });
  try {
    const report = await checkLedger(pool, { cipher: market.container.cipher });
    const failed = report.proofs.filter(({ total }) => total > 0);
    expect(failed).toEqual([]);
    // The job of the backup is found by the sweep once its agent is silent, and its hold has not ended.
    await withClient(target.ownerUrl, (client) => client.query('UPDATE jobs SET look_at = now()'));
    expect(await createJobs({ pool }).claimDue()).toMatchObject([{ invocationId: job, priceUnits: 200 }]);
    const { rows: held } = await pool.query('SELECT state FROM holds WHERE invocation_id = $1', [job]);
    expect(held).toEqual([{ state: 'open' }]);
    // Sequences continue: a new account gets ids that no restored account has.
    await pool.query(`INSERT INTO users (user_id, email, password_hash, display_name, role)
      VALUES ('usr_' || repeat('a', 32), 'later@example.test', 'x', 'Later', 'buyer')`);
  } finally {
    await pool.end();
  }
}, 60_000); // prettier-ignore

it('continues the jobs that waited: a restored market ends each once, by a callback or because its agent is silent', async () => {
  const from = await startMarket();
  const takesAll = await startAgent({ behaviour: { kind: 'answer', status: 202, output: {} } });
  const elsewhere = await createTestDatabase();
  const owner = new Client({ connectionString: elsewhere.ownerUrl });
  try {
    const developer = await register(from, 'developer');
    const buyer = await register(from, 'buyer', 100);
    const live = await putLive(from, developer.userId, takesAll.url, { jobs: { max_seconds: 600 } });
    const begin = async () => {
      const begun = await invoke(from, buyer, live.agentId, { input: { text: 'x' } }, { prefer: 'respond-async' });
      const id = String(begun.body.invocation_id);
      await eventually(async () => (await jobOf(from.owner, id)) !== undefined);
      return id;
    };
    const [answered, silent] = [await begin(), await begin()];
    await withClient(from.database.ownerUrl, (client) => writeBackup(client, file('jobs.backup')));
    await owner.connect();
    await readBackup(owner, file('jobs.backup'));
    const share = { ...from, database: elsewhere, temporal: await createTestTemporal(), owner };
    const restored = await startMarket({ share, operations: true });
    const call = { invocationId: answered, secret: live.signingSecret };
    const answer = { type: 'answer', output: { text: 'done' } };
    expect(await sendCallback(restored, call, answer)).toMatchObject({ status: 202 });
    await owner.query(`UPDATE jobs SET heard_at = now() - interval '1 hour' WHERE invocation_id = $1`, [silent]);
    await owner.query('UPDATE jobs SET look_at = now()');
    const ends = () => owner.query('SELECT status, error_code, charged_units FROM invocations ORDER BY status DESC');
    await eventually(async () => (await ends()).rows.every(({ status }) => status !== 'running'), 30_000);
    expect((await ends()).rows).toEqual([
      { status: 'succeeded', error_code: null, charged_units: '1000' },
      { status: 'failed', error_code: 'agent_error', charged_units: '0' },
    ]);
    expect(await sendCallback(restored, call, answer)).toMatchObject({ status: 409 });
    expect(await balance(owner, buyer.userId, 'wallet')).toBe(9_000);
    expect(await balance(owner, buyer.userId, 'escrow')).toBe(0);
    await expectWholeLedger(restored);
    await restored.stop();
  } finally {
    await owner.end();
    await Promise.all([takesAll.stop(), elsewhere.drop(), from.stop()]);
  }
}, 60_000); // prettier-ignore

it('overwrites neither a file nor a database with accounts', async () => {
  await withClient(market.database.ownerUrl, async (client) => {
    await expect(writeBackup(client, file('good.backup'))).rejects.toThrow('EEXIST');
    await client.query('ROLLBACK');
    await expect(readBackup(client, file('good.backup'))).rejects.toThrow('the database has accounts');
  });
});

it.each([
  ['ends too early', (text: Buffer) => text.subarray(0, text.length - 20), 'its end is missing'],
  ['lacks a table', (text: Buffer) => Buffer.from(text.toString('latin1').replace(/^\{"name":"usage[^]*?\n\\\.\n/m, ''), 'latin1'), 'the backup has'],
  ['is of another release', (text: Buffer) => Buffer.from(text.toString('latin1').replace('0001_accounts', '0001_others'), 'latin1'), 'another release'],
  ['is something else', () => Buffer.from('{"format":"zip"}\n'), 'no backup of this service'],
])('changes nothing when the file %s', async (_what, change, message) => {
  const fresh = await createTestDatabase();
  writeFileSync(file('bad'), gzipSync(change(gunzipSync(readFileSync(file('good.backup'))))));
  await withClient(fresh.ownerUrl, async (client) => {
    await expect(readBackup(client, file('bad'))).rejects.toThrow(message);
    const { rows } = await client.query('SELECT count(*)::int AS users FROM users');
    expect(rows).toEqual([{ users: 0 }]);
  });
  await fresh.drop();
}); // prettier-ignore

/** Runs work on the same empty database, which nothing may have changed afterwards. */
async function onEmpty(work: (client: Client) => Promise<void>): Promise<void> {
  const fresh = await createTestDatabase();
  try {
    await withClient(fresh.ownerUrl, async (client) => {
      await work(client);
      const { rows } = await client.query('SELECT count(*)::int AS users FROM users');
      expect(rows).toEqual([{ users: 0 }]);
    });
  } finally {
    await fresh.drop();
  }
}

it('reports a cut file, at any length, and changes nothing', async () => {
  const whole = readFileSync(file('good.backup'));
  const lengths = new Set([0, 1, 9, 10, 11, 18, 100, 1_000]);
  for (let part = 1; part < 24; part += 1) lengths.add(Math.floor((whole.length * part) / 24));
  for (const missing of [400, 40, 12, 8, 7, 4, 1]) lengths.add(whole.length - missing);
  await onEmpty(async (client) => {
    for (const length of lengths) {
      writeFileSync(file('cut'), whole.subarray(0, length));
      const restoring = readBackup(client, file('cut')).then(() => 'restored', (error: Error) => error.message); // prettier-ignore
      expect({ length, message: await restoring }).toEqual({ length, message: expect.stringMatching(/is not whole|is no backup/) });
    }
  });
}, 120_000); // prettier-ignore

const text = () => gunzipSync(readFileSync(file('good.backup'))).toString('latin1');
const packed = (content: string) => gzipSync(Buffer.from(content, 'latin1'));
const flipped = (at: number) => {
  const bytes = Buffer.from(readFileSync(file('good.backup')));
  const index = Math.floor(bytes.length * at);
  bytes[index] = (bytes[index] ?? 0) ^ 0xff;
  return bytes;
};

it.each([
  ['text', () => Buffer.from('hello'), 'is no backup'],
  ['a compressed picture', () => gzipSync(Buffer.alloc(3_000_000, 7)), 'is no backup'],
  ['JSON of another shape', () => packed('null\n{"end":true}\n'), 'is no backup'],
  ['a header without its fields', () => packed('{"format":"market-backup/1"}\n{"end":true}\n'), 'is no backup'],
  ['a backup with a broken byte in it', () => flipped(0.5), 'is damaged'],
  ['a backup with a broken checksum', () => flipped(1 - 4 / readFileSync(file('good.backup')).length), 'is damaged'],
  ['two backups in one file', () => Buffer.concat([readFileSync(file('good.backup')), readFileSync(file('good.backup'))]), 'after its end'],
  ['a backup whose table ends without its mark', () => packed(text().replace(/\n\\\.\n\{"end":true\}\n$/, '\n{"end":true}\n')), 'is not whole'],
  ['a backup with a row of another shape', () => packed(text().replace(/(\n\{"name":"users"[^\n]*\n)/, '$1one\ttwo\n')), 'missing data for column'],
])('changes nothing when the file is %s', async (_what, make, message) => {
  writeFileSync(file('bad'), make());
  await onEmpty((client) => expect(readBackup(client, file('bad'))).rejects.toThrow(message));
}); // prettier-ignore

it('leaves no file behind when a backup fails in the middle', async () => {
  const blocker = new Client({ connectionString: market.database.ownerUrl });
  await blocker.connect();
  await blocker.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
  const writer = new Client({ connectionString: market.database.ownerUrl });
  writer.on('error', () => undefined);
  await writer.connect();
  const writing = writeBackup(writer, file('half.backup')).then(() => 'written', () => 'failed'); // prettier-ignore
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'users'::regclass AND NOT granted`;
  while ((await blocker.query(terminate)).rowCount === 0) await new Promise(setImmediate);
  const result = await writing;
  await blocker.end();
  expect(result).toBe('failed');
  expect(existsSync(file('half.backup'))).toBe(false);
});
