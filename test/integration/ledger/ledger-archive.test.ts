import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { checkArchive, writeArchive } from '../../../src/services/ledger/ledger-archive';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { detachMonths, type DetachReport } from '../../../src/services/ledger/ledger-months';
import { readBackup, writeBackup } from '../../../src/services/operations/backup';
import { runProof } from '../../../src/stores/ledger/ledger-checks';
import { digestsMatchEntries } from '../../../src/stores/ledger/ledger-proofs-digests';
import { moveBack, moveCallsBack, sealerOf, tryAsIntruder } from '../../support/ledger/digests';
import { operatorCommand } from '../../support/cli/operator-command';
import { createTestDatabase } from '../../support/stack/database';
import {
  addUser,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';
import { testPool } from '../../support/stack/pool';

/** A month that is over can be kept outside of the database, and is then still provable. */
let t: TestLedger;
let folder: string;
const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 0))
  .toISOString()
  .slice(0, 7);
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archive-'));
  t = await startLedger();
  const buyer = await addUser(t, 'buyer', 100);
  await topUp(t.app, buyer, 700);
  await moveBack(t, new Date().getUTCDate() + 10);
  await topUp(t.app, buyer, 900);
  // the last day of the month before
  await moveBack(t, new Date().getUTCDate());
  await sealerOf(t)();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await expectWhole(t.app);
  await t.stop();
});

it('is written once, with the digest of each day, and proven from the file', async () => {
  const written = await writeArchive(t.app, month, file('good.gz'));
  expect(written).toMatchObject({ month, days: 11, transactions: 3 });
  expect(written.sha256).toBe(
    createHash('sha256')
      .update(readFileSync(file('good.gz')))
      .digest('hex'),
  );
  expect(await checkArchive(t.app, file('good.gz'))).toEqual({
    ok: true,
    month,
    days: 11,
    transactions: 3,
    findings: [],
  });
  await expect(writeArchive(t.app, month, file('good.gz'))).rejects.toThrow('EEXIST');
});

it('is refused for a month that is not over', async () => {
  const now = new Date().toISOString().slice(0, 7);
  await expect(writeArchive(t.app, now, file('now.gz'))).rejects.toThrow('is not over yet');
});

it.each([
  [
    'an entry is changed',
    (text: string) => text.replace(', 700, ', ', 701, '),
    /are not those that were sealed/,
  ],
  [
    'a transaction is left out',
    (text: string) => text.replace(/^T .*\n/m, ''),
    /are not those that were sealed/,
  ],
  [
    'a digest is made anew',
    (text: string) => text.replace(/"digest_sha256":"./, '"digest_sha256":"g'),
    /its digest is not/,
  ],
  [
    'a day is left out',
    (text: string) => text.replace(/^D [^]*?\nD /m, 'D '),
    /sealed days are not in the file/,
  ],
])('is found to be wrong when %s', async (_what, edit, problem) => {
  const text = gunzipSync(readFileSync(file('good.gz'))).toString('utf8');
  const name = file(`${Math.random()}.gz`);
  const edited = edit(text);
  expect(edited).not.toBe(text);
  writeFileSync(name, gzipSync(edited));
  const report = await checkArchive(t.app, name);
  expect(report.ok).toBe(false);
  expect(report.findings.map((finding) => finding.problem).join()).toMatch(problem);
});

it('reports files that cannot be read, and finds a database with other digests', async () => {
  writeFileSync(file('bad.gz'), 'no archive');
  await expect(checkArchive(t.app, file('bad.gz'))).rejects.toThrow('this is no archive of a ledger');
  writeFileSync(file('other.gz'), gzipSync('{"format":"x"}\n'));
  await expect(checkArchive(t.app, file('other.gz'))).rejects.toThrow('this is no archive of a ledger');
  const problems = await tryAsIntruder(t, async (client) => {
    await client.query(`UPDATE ledger_digests SET digest_sha256 = md5(digest_sha256) || md5(digest_sha256)`);
    return (await checkArchive(client, file('good.gz'))).findings;
  });
  expect(problems[0]?.problem).toBe('its digest is not that of the database');
});

it('is refused when it is cut, at any length, empty or damaged', async () => {
  const whole = readFileSync(file('good.gz'));
  const lengths = new Set([0, 1, 9, 10, 18, whole.length - 1, whole.length - 4, whole.length - 8]);
  for (let part = 1; part < 16; part += 1) lengths.add(Math.floor((whole.length * part) / 16));
  for (const length of lengths) {
    writeFileSync(file('cut.gz'), whole.subarray(0, length));
    const checking = checkArchive(t.app, file('cut.gz')).then(() => 'checked', (error: Error) => error.message); // prettier-ignore
    expect({ length, message: await checking }).toEqual({ length, message: expect.stringMatching(/is not whole|is no archive/) }); // prettier-ignore
  }
  for (const text of ['', 'null\n', '[]\n']) {
    writeFileSync(file('bad.gz'), gzipSync(text));
    await expect(checkArchive(t.app, file('bad.gz'))).rejects.toThrow(/archive/);
  }
  const damaged = Buffer.from(whole);
  damaged[damaged.length - 6] = (damaged[damaged.length - 6] ?? 0) ^ 0xff;
  writeFileSync(file('bad.gz'), damaged);
  await expect(checkArchive(t.app, file('bad.gz'))).rejects.toThrow('is damaged');
});

/** Inserts a call with the accounts of another one. */
const RUNNING = `(invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
    price_units, input_sha256, owner, trace_id, is_task)
  SELECT $1, h.buyer_user_id, h.developer_user_id, h.agent_id, 'agv_1', '1.0.0', 'invoke', 'running', 200, 'x', 'a worker', 't', true
    FROM all_holds h WHERE h.invocation_id = $2`;

describe('a month that is old enough', () => {
  const DAYS = 200;
  const past = new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 7);
  let old: TestLedger;
  let buyer: string;
  let open: string;
  const detach = () =>
    detachMonths(old.owner, { folder: join(folder, 'months'), keepDays: 100, month: past });
  const linesOf = () =>
    old.ledger.lines({ userId: buyer, accounts: ['wallet', 'escrow'], limit: 50 }).then(({ rows }) => rows);
  const placeOf = async (id: string) =>
    (
      await old.owner.query<{ place: string }>(
        'SELECT tableoid::regclass::text AS place FROM archive.holds WHERE invocation_id = $1',
        [id],
      )
    ).rows[0]?.place;

  beforeAll(async () => {
    old = await startLedger();
    buyer = await addUser(old, 'buyer', 100);
    const developer = await addUser(old, 'developer');
    const [kept, back, given] = [5, 7, 9].map((credits) => holdRequest(buyer, developer, credits));
    if (!kept || !back || !given) throw new Error('unreachable');
    await old.ledger.hold([kept, back, given]);
    await old.ledger.voidHold([{ invocationId: back.invocationId, disputed: false }]);
    const capture = ({ invocationId, amountUnits }: typeof kept) =>
      old.ledger.capture([{ invocationId, grossUnits: amountUnits, maturesAt: new Date() }]);
    await capture(kept);
    await capture(given);
    await old.ledger.clawback([given.invocationId]);
    await old.ledger.rollUp();
    await moveCallsBack(old, DAYS);
    const { rows } = await old.owner.query<{ invocation_id: string }>(
      'SELECT invocation_id FROM earnings WHERE clawed_back_at IS NULL',
    );
    open = rows[0]?.invocation_id ?? '';
    await topUp(old.app, buyer, 300);
    await sealerOf(old)();
  });
  afterAll(() => old.stop());

  it('stays while a check has not proven it, and while earnings in it are not paid', async () => {
    expect((await detach()).kept).toEqual([
      {
        month: past,
        problems: ['no ledger check has proven the 60 days after it', '1 earnings are not paid'],
      },
    ]);
    // A job that has asked its buyer again and again still runs, and keeps its month.
    const running = await tryAsIntruder(old, async (client) => {
      const id = `${open.slice(0, -4)}ffff`;
      await client.query(`INSERT INTO invocations ${RUNNING}`, [id, open]);
      return client.query<{ p: string }>(`SELECT month_problems($1, 100) AS p`, [`${past}-01`]);
    });
    expect(running.rows.map(({ p }) => p)).toContain('1 calls have not ended');
    await old.ledger.clawback([open]);
    expect((await checkLedger(old.app, { ledgerOnly: true, prove: true })).ok).toBe(true);
    const { rows } = await old.owner.query<{ p: string }>(`SELECT month_problems($1, 400) AS p`, [
      `${past}-01`,
    ]);
    expect(rows).toEqual([{ p: expect.stringMatching(/^it is kept until 20\d\d-\d\d-\d\d$/) as unknown }]);
  });

  it('stays when the file in the folder has other rows', async () => {
    const path = join(folder, 'months', `ledger-${past}.gz`);
    mkdirSync(join(folder, 'months'));
    await writeArchive(old.app, past, path);
    const text = gunzipSync(readFileSync(path)).toString('utf8');
    writeFileSync(path, gzipSync(text.replace('"state":"voided"', '"state":"open"')));
    await expect(detach()).rejects.toThrow(/has other rows of holds than the database/);
    rmSync(path);
    expect(await placeOf(open)).toBeUndefined();
  });

  it('is exported, read back and detached, and every read is the same as before', async () => {
    const before = { lines: await linesOf(), balance: await old.ledger.walletBalance(buyer) };
    expect(before.lines.length).toBeGreaterThan(10);
    const args = ['ledger', 'detach', '--folder', join(folder, 'months'), '--month', past, '--json'];
    const { stdout } = await operatorCommand(args, {
      MIGRATE_DATABASE_URL: old.database.ownerUrl,
      LEDGER_KEEP_DAYS: '100',
    });
    const { detached, kept } = JSON.parse(stdout) as DetachReport;
    expect(kept).toEqual([]);
    const { rows: log } = await old.owner.query('SELECT action, subject, details FROM operator_actions');
    expect(log).toEqual([{ action: 'ledger.detach', subject: past, details: { keepDays: 100 } }]);
    const file = detached[0]?.file ?? '';
    expect(detached).toMatchObject([
      { month: past, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') },
    ]);
    expect(await placeOf(open)).toBe(`archive.holds_${past.replace('-', '_')}`);
    const left = await old.owner.query(
      `SELECT FROM entries WHERE transaction_id < partition_bound('txn', ($1::date + interval '1 month')::date)`,
      [`${past}-01`],
    );
    expect(left.rows).toEqual([]);
    expect({ lines: await linesOf(), balance: await old.ledger.walletBalance(buyer) }).toEqual(before);
    expect(await old.ledger.transactionIds(open)).toHaveLength(3);
    // What an agent calls back about a job of this month is refused as before, and not as that of an unknown call.
    const late = await tryAsIntruder(old, async (client) => {
      await client.query(`INSERT INTO archive.invocations ${RUNNING}`, [`${open.slice(0, -4)}ffff`, open]);
      return client.query(
        `SELECT job_end_add($1, 'msg_1', 'answer', '') AS ending, job_end_add('inv_0', 'msg_1', 'answer', '') AS other`,
        [`${open.slice(0, -4)}ffff`],
      );
    });
    expect(late.rows).toEqual([{ ending: 'over', other: 'unknown' }]);
    expect(await checkArchive(old.app, file)).toMatchObject({ ok: true, month: past });
    expect((await detach()).kept).toEqual([{ month: past, problems: ['it is detached already'] }]);
  });

  it('is still read by the full check, which finds a change in it, and not by the incremental one', async () => {
    await expectWhole(old.app);
    expect(await checkLedger(old.app, { ledgerOnly: true, incremental: true })).toMatchObject({ ok: true });
    const found = await tryAsIntruder(old, async (client) => {
      await client.query(`UPDATE archive.entries SET created_at = created_at - interval '1 second'`);
      return runProof(client, digestsMatchEntries, 20);
    });
    expect(found.total).toBe(1);
  });

  it('is in a backup, and a restored database has it among its months again', async () => {
    const target = await createTestDatabase();
    const [from, to] = [old.database.ownerUrl, target.ownerUrl].map(
      (connectionString) => new Client({ connectionString }),
    ) as [Client, Client];
    const app = testPool(target.appUrl, { max: 2 });
    await Promise.all([from.connect(), to.connect()]);
    try {
      await writeBackup(from, file('month.backup'));
      await readBackup(to, file('month.backup'));
      const { rows } = await to.query(
        'SELECT tableoid::regclass::text AS place FROM holds WHERE invocation_id = $1',
        [open],
      );
      expect(rows).toEqual([{ place: `months.holds_${past.replace('-', '_')}` }]);
      for (const table of ['entries', 'transactions', 'holds', 'earnings', 'invocations']) {
        const [kept, restored] = await Promise.all(
          [from, to].map((client) => client.query(`SELECT count(*) FROM all_${table}`)),
        );
        expect({ table, rows: restored?.rows }).toEqual({ table, rows: kept?.rows });
      }
      expect((await checkArchive(app, join(folder, 'months', `ledger-${past}.gz`))).ok).toBe(true);
      await expectWhole(app);
    } finally {
      await Promise.all([from.end(), to.end(), app.end()]);
      await target.drop();
    }
  });

  it('refuses changes, even by the owner of the tables', async () => {
    for (const sql of [
      'UPDATE archive.holds SET amount_units = 0',
      'DELETE FROM archive.entries',
      `TRUNCATE archive.transactions_${past.replace('-', '_')}`,
    ])
      await expect(old.owner.query(sql)).rejects.toThrow('the ledger is written once');
    await expect(old.app.query('SELECT FROM archive.entries')).rejects.toThrow('permission denied');
  });
});
