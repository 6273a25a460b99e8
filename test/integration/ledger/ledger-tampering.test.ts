import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { digestTerms } from '../../../src/domain/ledger/ledger-digest';
import { canonicalJson } from '../../../src/kit/json/canonical-json';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { generateSigningKey, importSigningKey, signJws } from '../../../src/kit/crypto/jws';
import { createKeyRotation } from '../../../src/services/operations/key-rotation';
import { SEAL_TYPE } from '../../../src/services/ledger/ledger-digests';
import { brokenSeals } from '../../../src/services/ledger/ledger-seals';
import { type Finding, runProof } from '../../../src/stores/ledger/ledger-checks';
import { listDigests } from '../../../src/stores/ledger/ledger-digests';
import { digestsMatchEntries } from '../../../src/stores/ledger/ledger-proofs-digests';
import {
  asIntruder,
  cipher,
  MASTER_KEYS,
  moveBack,
  sealerOf,
  signingKeysOf,
  trade,
  tryAsIntruder,
} from '../../support/ledger/digests';
import { addUser, expectWhole, startLedger, type TestLedger } from '../../support/ledger/ledger';
import { marketCommand } from '../../support/cli/market-command';

/**
 * What the digests find after an attacker with all rights has edited rows without the triggers, so that every sum still
 * adds up. Every forgery is undone.
 */
let t: TestLedger;
/** The days that were sealed, oldest first: something moved on the first and on the fourth. */
let days: string[];

jest.setTimeout(60_000);

beforeAll(async () => {
  t = await startLedger();
  await trade(t);
  await moveBack(t, 7);
  await trade(t);
  await moveBack(t, 4);
  await trade(t);
  await sealerOf(t)();
  days = (await listDigests(t.app, { limit: 100 })).rows.map(({ day }) => day).reverse();
});
afterAll(async () => {
  await expectWhole(t.app);
  await t.stop();
});

const day = (at: number) => days.at(at) ?? '';
const ofDay = (at: number) =>
  `transaction_id >= digest_first_id('${day(at)}') AND transaction_id < digest_first_id('${day(at)}'::date + 1)`;
const oneOfDay = (at: number) =>
  `transaction_id = (SELECT max(transaction_id) FROM transactions WHERE ${ofDay(at)})`;

/** Recomputes the digests of the present rows, with their chain, as an attacker without the key can. */
const RECOMPUTE = `DO $$
  DECLARE d ledger_digests; left_at text := repeat('0', 64); f record;
  BEGIN
    FOR d IN SELECT * FROM ledger_digests ORDER BY day LOOP
      SELECT * INTO f FROM digest_between(digest_first_id(d.day), digest_first_id(d.day + 1), sha256(''));
      d.transactions := f.transactions; d.entries := f.entries; d.debits_units := f.debits_units;
      d.credits_units := f.credits_units; d.entries_sha256 := encode(f.folded, 'hex'); d.previous_sha256 := left_at;
      left_at := encode(sha256(convert_to(digest_terms(d), 'UTF8')), 'hex');
      UPDATE ledger_digests SET (transactions, entries, debits_units, credits_units, entries_sha256, previous_sha256,
          digest_sha256) = (d.transactions, d.entries, d.debits_units, d.credits_units, d.entries_sha256,
          d.previous_sha256, left_at) WHERE day = d.day;
    END LOOP;
  END $$`;
const CHANGE = () => `ALTER TABLE entries DROP CONSTRAINT entries_chain;
  UPDATE entries SET amount_units = amount_units * 2 WHERE ${oneOfDay(3)}`;

async function findings(client: Client, keys = cipher): Promise<{ digests: Finding[]; seals: Finding[] }> {
  const { findings: digests } = await runProof(client, digestsMatchEntries, 20);
  return { digests, seals: await brokenSeals(client, keys) };
}

/**
 * what is done, and the first thing that each of the two proofs must find: where, and what; null when it finds nothing
 */
type Forgery = [
  what: string,
  sql: () => string,
  digests: [number, RegExp] | null,
  seals: [number, RegExp] | null,
];
const OTHER = /^was sealed with .*; now there are/;
const UNSEALED = /its seal does not match its digest/;

const FORGERIES: Forgery[] = [
  ['an amount is changed on both sides', CHANGE, [3, OTHER], null],
  [
    'a transaction has another reference',
    () => `UPDATE transactions SET reference = reference || 'x' WHERE ${oneOfDay(0)}`,
    [0, OTHER],
    null,
  ],
  [
    'an entry goes to another account',
    () => `UPDATE entries SET account_id = account_id + 10 WHERE line = 1 AND ${oneOfDay(0)}`,
    [0, OTHER],
    null,
  ],
  [
    'a movement gets another time',
    () => `UPDATE transactions SET created_at = created_at + interval '1 microsecond' WHERE ${oneOfDay(3)}`,
    [3, OTHER],
    null,
  ],
  [
    'a movement is removed',
    () => `DELETE FROM entries WHERE ${oneOfDay(3)}; DELETE FROM transactions WHERE ${oneOfDay(3)}`,
    [3, OTHER],
    null,
  ],
  [
    'a movement is slipped into a day on which nothing moved',
    () => `INSERT INTO transactions (transaction_id, kind, reference, description)
      VALUES (substr(digest_first_id('${day(1)}'), 1, 20) || repeat('b', 16), 'topup', 'topup/x', '')`,
    [1, OTHER],
    null,
  ],
  [
    'the digest of a day has other figures',
    () => `UPDATE ledger_digests SET entries = entries + 1 WHERE day = '${day(2)}'`,
    [2, /its digest is not of what it says/],
    [2, UNSEALED],
  ],
  [
    'the digest of a day is removed',
    () => `DELETE FROM ledger_digests WHERE day = '${day(2)}'`,
    [3, /days since .* have no digest/],
    null,
  ],
  [
    'the last digests are removed',
    () => `DELETE FROM ledger_digests WHERE day > '${day(2)}'`,
    [3, /ended more than a day ago and has no digest/],
    null,
  ],
  ['an entry is changed and every digest made anew', () => `${CHANGE()}; ${RECOMPUTE}`, null, [3, UNSEALED]],
  [
    'the seal is that of another day',
    () => `UPDATE ledger_digests SET seal = (SELECT seal FROM ledger_digests WHERE day = '${day(0)}')
      WHERE day = '${day(1)}'`,
    null,
    [1, UNSEALED],
  ],
];

it('finds nothing in an unchanged ledger', async () => {
  expect(days.length).toBeGreaterThan(5);
  expect(await tryAsIntruder(t, findings)).toEqual({ digests: [], seals: [] });
});

it.each(FORGERIES)('names the first day that differs when %s', async (_what, sql, digests, seals) => {
  const found = await tryAsIntruder(t, async (client) => {
    await client.query(sql());
    return findings(client);
  });
  for (const [name, expected] of Object.entries({ digests, seals })) {
    const [first] = found[name as keyof typeof found];
    if (expected === null) expect(first).toBeUndefined();
    else {
      expect(first?.subject).toBe(`day ${day(expected[0])}`);
      expect(found[name as keyof typeof found].some(({ problem }) => expected[1].test(problem))).toBe(true);
    }
  }
});

it.each([
  ['before the first digest', `'txn_' || repeat('0', 32)`, 'has the id of a day before the first digest'],
  ['to come', `'txn_' || repeat('a', 32)`, 'has the id of a day to come'],
])('finds a movement of a day %s', async (_what, id, problem) => {
  const { digests } = await tryAsIntruder(t, async (client) => {
    await client.query(
      `INSERT INTO transactions (transaction_id, kind, reference, description) VALUES (${id}, 'topup', 'topup/x', '')`,
    );
    return findings(client);
  });
  expect(digests).toMatchObject([{ problem }]);
});

it('rejects seals by a key that was added to the service’s keys', async () => {
  const { kid, publicJwk, privateKey } = await generateSigningKey();
  const foreign = { kid, privateKey: importSigningKey(privateKey, kid) };
  const forge = async (client: Client) => {
    await client.query(`${CHANGE()}; ${RECOMPUTE}`);
    await client.query(
      `INSERT INTO signing_keys (kid, public_jwk, sealed_private, retired_at)
       SELECT $1, $2, sealed_private, now() FROM signing_keys LIMIT 1`,
      [kid, JSON.stringify(publicJwk)],
    );
    for (const digest of (await listDigests(client, { limit: 100 })).rows) {
      const seal = signJws(canonicalJson(digestTerms(digest)), foreign, { typ: SEAL_TYPE });
      await client.query('UPDATE ledger_digests SET kid = $2, seal = $3 WHERE day = $1', [
        digest.day,
        kid,
        seal,
      ]);
    }
    return { proofs: await findings(client), unsuspecting: await brokenSeals(client) };
  };
  const { proofs, unsuspecting } = await tryAsIntruder(t, forge);
  expect(unsuspecting).toEqual([]);
  expect(proofs.digests).toEqual([]);
  expect(proofs.seals).toHaveLength(days.length);
  expect(proofs.seals[0]).toEqual({
    subject: `day ${day(0)}`,
    problem: `it was sealed with key ${kid}, which our master keys do not decrypt`,
  });
});

it('still verifies old seals when signing keys and master keys have been rotated', async () => {
  await asIntruder(t, (client) => client.query(`DELETE FROM ledger_digests WHERE day > '${day(2)}'`));
  await signingKeysOf(t).rotate();
  await sealerOf(t)();
  const kids = new Set((await listDigests(t.app, { limit: 100 })).rows.map(({ kid }) => kid));
  expect(kids.size).toBe(2);

  const added = `dev:2=${randomBytes(32).toString('base64')}`;
  const both = createCipher(parseMasterKeys(`${MASTER_KEYS},${added}`));
  const report = await createKeyRotation({ db: t.app, cipher: both }).rotate();
  expect(report).toMatchObject({ failed: [], remaining: [] });
  const newest = createCipher(parseMasterKeys(added), 2);
  expect(await tryAsIntruder(t, (client) => findings(client, newest))).toEqual({ digests: [], seals: [] });
  expect(await brokenSeals(t.app, cipher)).toHaveLength(days.length);
  await createKeyRotation({
    db: t.app,
    cipher: createCipher(parseMasterKeys(`${added},${MASTER_KEYS}`)),
  }).rotate();
});

it('is seen by the command, which lists the digests, names the day and exits 1', async () => {
  const small = await startLedger(1);
  const { appUrl } = small.database;
  const command = marketCommand('http://127.0.0.1:9', { DATABASE_URL: appUrl, MASTER_KEYS });
  const none = await command.run(['ledger', 'digests']);
  expect(none.stdout).toBe('No digests yet: a worker seals each day (UTC) after its end.\n');
  await addUser(small, 'buyer', 100);
  await moveBack(small, 3);
  await sealerOf(small)();
  const listed = await command.run(['ledger', 'digests', '--limit', '1', '--json']);
  expect(listed.json()).toMatchObject({ digests: [{ transactions: 0 }] });
  await asIntruder(small, (client) => client.query(`UPDATE transactions SET trace_id = 'another'`));
  const checked = await command.run(['ledger', 'check']);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(
    /FAIL {2}digests .*\n {6}day \d{4}-\d\d-\d\d: was sealed with 1 transactions/,
  );
  expect(checked.stdout).toMatch(/ok {4}seals .* a key that our master keys decrypt/);
  command.remove();
  await small.stop();
});
