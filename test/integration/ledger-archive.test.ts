import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { checkArchive, writeArchive } from '../../src/services/ledger/ledger-archive';
import { moveBack, sealerOf, tryAsIntruder } from '../support/digests';
import { addUser, expectWhole, startLedger, topUp, type TestLedger } from '../support/ledger';

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

it('says what cannot be read, and finds a database whose digests are others', async () => {
  writeFileSync(file('bad.gz'), 'no archive');
  await expect(checkArchive(t.app, file('bad.gz'))).rejects.toThrow('incorrect header check');
  writeFileSync(file('other.gz'), gzipSync('{"format":"x"}\n'));
  await expect(checkArchive(t.app, file('other.gz'))).rejects.toThrow('this is no archive of a ledger');
  const problems = await tryAsIntruder(t, async (client) => {
    await client.query(`UPDATE ledger_digests SET digest_sha256 = md5(digest_sha256) || md5(digest_sha256)`);
    return (await checkArchive(client, file('good.gz'))).findings;
  });
  expect(problems[0]?.problem).toBe('its digest is not that of the database');
});
