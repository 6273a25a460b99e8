import type { Client, Pool } from 'pg';
import { ensureDatabase, withClient } from '../../../src/runtime/postgres/database';
import { checkLedger, formatReport } from '../../../src/services/ledger/ledger-check';
import {
  INVOCATION_PROOFS,
  LEDGER_PROOFS,
  planForWholeTables,
  runProof,
} from '../../../src/stores/ledger/ledger-checks';
import { openHoldsAreOpenCalls } from '../../../src/stores/ledger/ledger-proofs-calls';
import { testStack } from '../../support/stack/database';
import { operatorCommand } from '../../support/cli/operator-command';
import { FORGERIES, WALLET } from '../../support/ledger/forgeries';
import { addUser, holdRequest, startLedger, type TestLedger } from '../../support/ledger/ledger';
import { superuserUrl } from '../../support/stack/stack';

/**
 * What `npm run ledger:check` finds after an attacker with all rights has edited the ledger without its triggers. Each
 * forgery is made in a transaction on one correct ledger and rolled back; the command runs on a copy.
 */
let good: TestLedger;
let port: number;

beforeAll(async () => {
  good = await startLedger(2);
  port = testStack().postgresPort;
  const buyer = await addUser(good, 'buyer', 100);
  const developer = await addUser(good, 'developer', 1_100);
  const requests = [10, 20, 30, 5, 8].map((credits) => holdRequest(buyer, developer, credits));
  const [open, charged, taken, failed, disputed] = requests.map((request) => request.invocationId) as [
    string,
    string,
    string,
    string,
    string,
  ];
  expect(open).toBeDefined();
  await good.ledger.hold(requests);
  await good.ledger.capture(
    [charged, taken].map((invocationId) => ({ invocationId, grossUnits: 2_000, maturesAt: new Date() })),
  );
  await good.ledger.rollUp();
  await good.ledger.clawback([taken]);
  await good.ledger.voidHold([
    { invocationId: failed, disputed: false },
    { invocationId: disputed, disputed: true },
  ]);
  await good.ledger.payRegistration(developer, 'trace');
  const late = holdRequest(buyer, developer, 4);
  await good.ledger.hold([late]);
  await good.ledger.capture([{ invocationId: late.invocationId, grossUnits: 400, maturesAt: new Date() }]);
});
afterAll(() => good.stop());

interface PlanNode {
  'Node Type': string;
  Plans?: PlanNode[];
}

/** Joins that look into each month again for every row of their other side. */
function repeatedLooks(node: PlanNode): number {
  const holdsMonths = (inner: PlanNode): boolean =>
    /Append/.test(inner['Node Type']) || (inner.Plans ?? []).some(holdsMonths);
  const inner = node['Node Type'] === 'Nested Loop' ? node.Plans?.[1] : undefined;
  const own = inner && holdsMonths(inner) ? 1 : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + repeatedLooks(child), own);
}

it.each([...LEDGER_PROOFS, ...INVOCATION_PROOFS])(
  'reads each table of all months once for the proof $name',
  async (proof) => {
    const client = await good.app.connect();
    try {
      await client.query('BEGIN');
      await planForWholeTables(client);
      let looks = -1;
      const query = async (sql: string) => {
        const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
          `EXPLAIN (FORMAT JSON) ${sql}`,
        );
        looks = rows[0]?.['QUERY PLAN'][0] ? repeatedLooks(rows[0]['QUERY PLAN'][0].Plan) : -1;
        return { rows: [] };
      };
      await runProof({ query } as never, proof, 20);
      expect(looks).toBe(0);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  },
);

/** A copy of the good ledger that a superuser edited without triggers. */
async function forge(sql: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `${good.database.name}_forged`;
  await withClient(superuserUrl(port), async (client) => {
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`,
      [good.database.name],
    );
  });
  await ensureDatabase(superuserUrl(port), name, good.database.name);
  const url = superuserUrl(port, name);
  await withClient(url, async (client) => {
    await client.query(`SET session_replication_role = replica; ${sql}`);
  });
  const drop = () =>
    withClient(superuserUrl(port), async (admin) => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    });
  return { url, drop };
}

it('finds nothing wrong with a good ledger', async () => {
  const report = await checkLedger(good.app, { ledgerOnly: true });
  expect(report.proofs.filter((proof) => proof.total > 0)).toEqual([]);
  expect(report.ok).toBe(true);
});

it.each(FORGERIES)('finds it when %s', async (_what, sql, proofs, names) => {
  await withClient(superuserUrl(port, good.database.name), async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(`SET LOCAL session_replication_role = replica; ${sql}`);
    const report = await checkLedger(insideOf(client), { ledgerOnly: true });
    await client.query('ROLLBACK');
    expect(report.proofs.filter((proof) => proof.total > 0).map((proof) => proof.name)).toEqual(proofs);
    expect(formatReport(report)).toMatch(names);
    expect(report.ok).toBe(false);
  });
});

it('names each open hold whose call does not exist', async () => {
  const { findings, total } = await runProof(good.app, openHoldsAreOpenCalls, 20);
  expect(total).toBe(1);
  expect(findings[0]?.problem).toMatch(/^holds 1000 since .* and there is no such call$/);
});

it('finds nothing wrong again after all forgeries were undone', async () => {
  expect((await checkLedger(good.app, { ledgerOnly: true })).ok).toBe(true);
});

/** A pool whose one connection is in a transaction already, and stays in it. */
function insideOf(client: Client): Pool {
  const query = (text: string, values?: unknown[]) =>
    /^(BEGIN|COMMIT)/.test(text) ? Promise.resolve() : client.query(text, values);
  return { connect: () => Promise.resolve({ query, release: () => undefined }) } as unknown as Pool;
}

describe('npm run ledger:check', () => {
  const check = (env: Record<string, string>) => operatorCommand(['ledger', 'check'], env);

  it('prints every proof and exits 0 when the ledger is whole', async () => {
    const empty = await startLedger(1);
    const { code, stdout } = await check({ DATABASE_URL: empty.database.appUrl });
    await empty.stop();
    expect(stdout).toMatch(/^ok {4}transactions .* every transaction has entries/);
    expect(stdout).toContain('The ledger is consistent.');
    expect(code).toBe(0);
  }, 60_000);

  it('names the account and exits 1 when a balance was edited', async () => {
    const forged =
      await forge(`UPDATE accounts SET balance_units = balance_units + 100 WHERE account_id = ${WALLET};
      DELETE FROM holds WHERE state = 'disputed'`);
    const { code, stdout } = await check({ DATABASE_URL: forged.url });
    await forged.drop();
    expect(stdout).toMatch(/FAIL {2}balances .*\n {6}account \d+ \(wallet of usr_\w+\): holds/);
    expect(code).toBe(1);
  }, 60_000);

  it('names the missing part and exits 2 if there is nothing to check', async () => {
    const { code, stderr } = await check({ MARKET_HOME: '/nonexistent' });
    expect(stderr).toContain('no database: set DATABASE_URL, or start the stack');
    expect(code).toBe(2);
  }, 60_000);
});
