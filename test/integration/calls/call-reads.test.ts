/**
 * The statements of a call follow indexes from the first row of a database on: their plans are made once for each
 * connection, when the tables are still empty, and are kept while the tables grow (ADR 0067). Concurrent calls of one
 * buyer share transactions (ADR 0112).
 */
import type { Pool } from 'pg';
import { newId } from '../../../src/kit/ids/ids';
import { holdAndPermit, refundInvocations } from '../../../src/stores/calls/invocations';
import {
  acceptAndPermit,
  acceptInvocations,
  type AcceptItem,
  type CallBatches,
  createCallBatches,
  settleInvocations,
} from '../../../src/stores/calls/call-batches';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { addUser, expectWhole, startLedger, type TestLedger } from '../../support/ledger/ledger';
import { putLive } from '../../support/market';
import { MASTER_KEYS } from '../../support/stack/process-stack';
import { testPool } from '../../support/stack/pool';

const CALLS = 30;

jest.setTimeout(60_000);

let t: TestLedger;
/** One connection, so that every call uses the plans of the first. */
let app: Pool;
let buyer: string;
let agent: { agentId: string; versionId: string };

beforeAll(async () => {
  t = await startLedger(4);
  app = testPool(t.database.appUrl, { max: 1 });
  buyer = await addUser(t, 'buyer', 10_000);
  const developer = await addUser(t, 'developer');
  const cipher = createCipher(parseMasterKeys(MASTER_KEYS));
  agent = await putLive(
    { owner: t.owner as never, container: { cipher } as never },
    developer,
    'https://agent.test',
    {
      credits: 5,
    },
  );
});
afterAll(async () => {
  await app.end();
  await t.stop();
});

const itemOf = (invocationId: string): AcceptItem => ({
  invocation_id: invocationId,
  buyer_user_id: buyer,
  agent_id: agent.agentId,
  version_id: agent.versionId,
  surface: 'invoke',
  max_cost_credits: 100,
  least_cost_credits: 5,
  idempotency_key: newId('key'),
  input_sha256: 'x',
  input_bytes: 1,
  owner: 'test',
  trace_id: 'test',
  max_in_flight_buyer: 10,
  max_in_flight_agent: 10,
  max_in_flight_unpaid: 64,
  key_id: null,
  mandate: null,
});

const forwarded = (invocationId: string) => ({ ...itemOf(invocationId), lease_ms: 60_000 });

const settled = (invocationId: string) => ({
  invocation_id: invocationId,
  charged_units: 500,
  output_sha256: 'x',
  output_bytes: 1,
  tokens_in: 1,
  tokens_out: 1,
  duration_ms: 1,
  truncated_by: null,
  answer: null,
  answer_ttl_ms: 0,
  answer_quota: null,
  matures_after_ms: 86_400_000,
});

const settle = (invocationId: string) => settleInvocations(app, [settled(invocationId)]);

/** A call in each order of enrolment, and one that fails. */
async function makeCalls(): Promise<void> {
  const [first, second, third] = [newId('inv'), newId('inv'), newId('inv')];
  expect(await acceptAndPermit(app, [forwarded(first)])).toMatchObject([{ outcome: 'accepted' }]);
  expect(await settle(first)).toEqual([{ status: 'succeeded', errorCode: null }]);
  await acceptInvocations(app, [itemOf(second)]);
  expect(await holdAndPermit(app, second, 60_000)).toMatchObject({ held: true, permit: 'granted' });
  expect(await settle(second)).toEqual([{ status: 'succeeded', errorCode: null }]);
  await acceptAndPermit(app, [forwarded(third)]);
  const failed = await refundInvocations(app, [
    { invocation_id: third, error_code: 'agent_error', duration_ms: 1 },
  ]);
  expect(failed).toEqual([{ status: 'failed', errorCode: 'agent_error' }]);
}

interface Counted {
  scanned: number;
  updates: number;
  hot: number;
}

async function counted(): Promise<Record<string, Counted>> {
  await app.query('SELECT pg_stat_force_next_flush()');
  await app.query('SELECT 1');
  const { rows } = await t.owner.query<Counted & { name: string }>(
    `SELECT regexp_replace(relname, '_20[0-9_]+$|_default$', '') AS name, sum(seq_tup_read)::int AS scanned,
            sum(n_tup_upd)::int AS updates, sum(n_tup_hot_upd)::int AS hot
       FROM pg_stat_all_tables WHERE schemaname IN ('public', 'months') GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts]));
}

it('makes calls without a sequential scan, and updates the rows of calls in place', async () => {
  // Plans are made for tables of a page.
  await t.owner.query('ANALYZE');
  for (let n = 0; n < 8; n += 1) await makeCalls();
  await t.owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role)
     SELECT 'usr_' || lpad(n::text, 32, '0'), n || '@example.test', 'x', 'Test', 'buyer' FROM generate_series(1, 400) n`,
  );
  const before = await counted();
  for (let n = 0; n < CALLS; n += 1) await makeCalls();
  const after = await counted();
  const grown = Object.keys(after).flatMap((name) => {
    const read = (after[name]?.scanned ?? 0) - (before[name]?.scanned ?? 0);
    return read > 0 && name !== 'platform_settings' ? [`${name}: ${read / CALLS / 3} rows a call`] : [];
  });
  expect(grown).toEqual([]);
  const moved = (name: string, what: 'updates' | 'hot') =>
    (after[name]?.[what] ?? 0) - (before[name]?.[what] ?? 0);
  // One update of a call whose row begins as running, two of the other.
  expect(moved('invocations', 'updates')).toBe(4 * CALLS);
  expect(moved('invocations', 'hot')).toBeGreaterThan(3.5 * CALLS);
  expect(moved('accounts', 'hot')).toBeGreaterThan(0.95 * moved('accounts', 'updates'));
  await expectWhole(t.app);
});

describe('calls of one buyer in batches', () => {
  /** Two processes, each with its batches. */
  const processes = () => [createCallBatches({ pool: t.app }), createCallBatches({ pool: t.app })];
  const many = (calls: number) => Array.from({ length: calls }, () => newId('inv'));
  const accept = async (batches: CallBatches, ids: string[], max = 200) =>
    Promise.allSettled(
      ids.map((id) =>
        batches.accept({ ...forwarded(id), max_in_flight_buyer: max, max_in_flight_agent: 400 }),
      ),
    );
  const refund = (invocationId: string) =>
    refundInvocations(t.app, [{ invocation_id: invocationId, error_code: 'agent_error', duration_ms: 1 }]);

  it('are accepted, settled and refunded at once by two processes, and no credit is lost', async () => {
    const calls = await Promise.all(
      processes().map(async (batches) => {
        const ids = many(40);
        const accepted = await accept(batches, ids);
        const ended = await Promise.all(
          ids.map((id, n) => (n % 4 === 0 ? refund(id) : batches.settle(buyer, settled(id)))),
        );
        return { accepted, ended };
      }),
    );
    for (const { accepted, ended } of calls) {
      expect(accepted.map((each) => each.status === 'fulfilled' && each.value.outcome)).toEqual(
        accepted.map(() => 'accepted'),
      );
      const states = ended.flat().map(({ status }) => status);
      expect(states.filter((status) => status === 'succeeded')).toHaveLength(30);
      expect(states.filter((status) => status === 'failed')).toHaveLength(10);
    }
    await expectWhole(t.app);
  });

  it('do not fail with the one among them that cannot be written', async () => {
    const [batches] = processes();
    const ids = many(6);
    ids[3] = ids[1] ?? '';
    const outcomes = await accept(batches as CallBatches, ids);
    expect(outcomes.map(({ status }) => status).sort()).toEqual([...Array(5).fill('fulfilled'), 'rejected']);
    await Promise.all([...new Set(ids)].map(refund));
    await expectWhole(t.app);
  });

  it('are counted one by one against the limit of calls in flight', async () => {
    const [batches] = processes();
    const ids = many(30);
    const outcomes = await accept(batches as CallBatches, ids, 7);
    const names = outcomes.map((each) => each.status === 'fulfilled' && each.value.outcome);
    expect(names.filter((name) => name === 'accepted')).toHaveLength(7);
    expect(names.filter((name) => name === 'concurrency_limited')).toHaveLength(23);
    await Promise.all(ids.filter((_, n) => names[n] === 'accepted').map(refund));
    await expectWhole(t.app);
  });
});

it('lists a call whose acceptance had to wait, so that every count and sweep finds it', async () => {
  const late = newId('inv').replace(
    /^inv_.{12}/,
    `inv_${(Date.now() - 20_000).toString(16).padStart(12, '0')}`,
  );
  const young = newId('inv');
  for (const id of [late, young])
    expect(await acceptAndPermit(app, [forwarded(id)])).toMatchObject([{ outcome: 'accepted' }]);
  const { rows } = await t.owner.query(
    'SELECT invocation_id FROM long_calls WHERE invocation_id = ANY ($1)',
    [[late, young]],
  );
  expect(rows).toEqual([{ invocation_id: late }]);
  for (const id of [late, young])
    await refundInvocations(app, [{ invocation_id: id, error_code: 'agent_error', duration_ms: 1 }]);
  await expectWhole(t.app);
});

describe('the loop of long calls beside jobs that wait', () => {
  const JOBS = 4_000;

  beforeAll(async () => {
    await t.owner.query('BEGIN');
    await t.owner.query(
      `WITH added AS (
         INSERT INTO holds (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units, lease_until)
         SELECT 'inv_' || lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - 60000), 12, '0') || lpad(to_hex(n), 20, '0'),
           $1, $1, $2, $3, 0, now() + interval '1 week' FROM generate_series(1, $4::int) n RETURNING *)
       INSERT INTO long_calls SELECT invocation_id, buyer_user_id, agent_id, true FROM added`,
      [buyer, agent.agentId, agent.versionId, JOBS],
    );
    await t.owner.query(
      `INSERT INTO jobs (invocation_id, buyer_user_id, agent_id, took_ms, ends_at, is_budgeted, heartbeat_ms, look_at)
       SELECT invocation_id, buyer_user_id, agent_id, 1, now() + interval '1 week', false, 600000, now() + interval '10 min'
       FROM long_calls`,
    );
    await t.owner.query('ANALYZE holds, long_calls, jobs');
    await t.owner.query(`SELECT long_calls_begin((extract(epoch FROM now()) * 1000)::bigint - 12000)`);
  });
  afterAll(() => t.owner.query('ROLLBACK'));

  /** Rows of holds that a statement reads. */
  async function readBy(statement: string): Promise<number> {
    const soFar = async () => {
      const { rows } = await t.owner.query<{ n: string }>(
        `SELECT sum(seq_tup_read + idx_tup_fetch) AS n FROM pg_stat_xact_user_tables WHERE relname LIKE 'holds%'`,
      );
      return Number(rows[0]?.n);
    };
    const before = await soFar();
    await t.owner.query(statement);
    return (await soFar()) - before;
  }

  it('compares a part of a long list with its holds in a turn, and all of it in many turns', async () => {
    const turns: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) turns.push(await readBy('SELECT long_calls_find(600000)'));
    expect(turns.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(12 * (JOBS / 2));
    const { rowCount } = await t.owner.query(
      `INSERT INTO long_calls SELECT 'inv_f' || substr(invocation_id, 6), buyer_user_id, agent_id, true FROM long_calls`,
    );
    const left = async () => (await t.owner.query('SELECT FROM long_calls')).rowCount ?? 0;
    const before = (await left()) - (rowCount ?? 0);
    for (let turn = 0; turn < 500 && (await left()) > before; turn += 1)
      await t.owner.query('SELECT long_calls_find(600000)');
    expect(rowCount).toBeGreaterThanOrEqual(JOBS);
    // A call of an earlier test that has ended may be on the list, and leave it, too.
    expect(await left()).toBeLessThanOrEqual(before);
    expect(await left()).toBeGreaterThanOrEqual(JOBS);
  });

  const ABANDONED = `SELECT a.id FROM invocation_abandoned(60000, 200, '{}') a(id)`;

  it.each([
    ['the lease sweep', ABANDONED],
    ['the sweep of lost owners', 'SELECT * FROM calls_of_lost_owners(15000, 200)'],
  ])('is like %s, which reads none of their holds but at times', async (_what, statement) => {
    const turns: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) turns.push(await readBy(statement));
    expect(turns.filter((rows) => rows < JOBS).length).toBeGreaterThan(6);
  });

  it('leaves no call behind whose lease is over: young, long, a job behind its end or behind its question', async () => {
    const { rows } = await t.owner.query<{ id: string }>(
      'SELECT invocation_id AS id FROM long_calls ORDER BY 1 LIMIT 3',
    );
    const [long = '', late = '', asked = ''] = rows.map(({ id }) => id);
    const young = newId('inv');
    await t.owner.query(`DELETE FROM jobs WHERE invocation_id = $1`, [long]);
    await t.owner.query('UPDATE long_calls SET is_job = false WHERE invocation_id = $1', [long]);
    await t.owner.query(
      `UPDATE jobs SET ends_at = now() - interval '2 hours' WHERE invocation_id = ANY ($1)`,
      [[late, asked]],
    );
    await t.owner.query('UPDATE jobs SET paused_at = taken_at WHERE invocation_id = $1', [asked]);
    await t.owner.query(
      `INSERT INTO job_questions (invocation_id, question_id, buyer_user_id, question_sha256, expires_at)
       VALUES ($1, 'q', $2, repeat('0', 64), now() - interval '2 hours')`,
      [asked, buyer],
    );
    await t.owner.query(
      `INSERT INTO holds (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units, lease_until)
       VALUES ($1, $2, $2, $3, $4, 0, now())`,
      [young, buyer, agent.agentId, agent.versionId],
    );
    const over = [young, long, late, asked];
    await t.owner.query(
      `UPDATE holds SET lease_until = now() - interval '1 s' WHERE invocation_id = ANY ($1)`,
      [over],
    );
    for (let turn = 0; turn < 3; turn += 1) {
      const found = await t.owner.query<{ id: string }>(ABANDONED);
      expect(found.rows.map(({ id }) => id).sort()).toEqual([...over].sort());
    }
  });
});
