/** A ledger on a database of its own, with users and money, for tests of the ledger and of what moves it. */
import type { Pool } from 'pg';
import { newId } from '../../../src/kit/ids/ids';
import { createLedgerService, type LedgerService } from '../../../src/services/ledger/ledger';
import { checkLedger, formatReport } from '../../../src/services/ledger/ledger-check';
import { completeTopups, type HoldRequest } from '../../../src/stores/ledger/ledger-moves';
import { createTestDatabase, type TestDatabase } from '../stack/database';
import { testPool } from '../stack/pool';

export interface TestLedger {
  database: TestDatabase;
  /** Connections of the app role, as the service has. */
  app: Pool;
  /** Connections of the role that owns the tables. */
  owner: Pool;
  ledger: LedgerService;
  stop(): Promise<void>;
}

export async function startLedger(connections = 8): Promise<TestLedger> {
  const database = await createTestDatabase();
  const open = (url: string) => testPool(url, { max: connections });
  const app = open(database.appUrl);
  const owner = open(database.ownerUrl);
  return {
    database,
    app,
    owner,
    ledger: createLedgerService({ pool: app }),
    async stop() {
      await Promise.all([app.end(), owner.end()]);
      await database.drop();
    },
  };
}

/** A user with a wallet of `credits`; returns the user id. */
export async function addUser(
  { owner, app }: Pick<TestLedger, 'owner' | 'app'>,
  role: 'buyer' | 'developer',
  credits = 0,
): Promise<string> {
  const userId = newId('usr');
  await owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, developer_id)
     VALUES ($1, $1 || '@example.test', 'x', 'Test', $2, $3)`,
    [userId, role, role === 'developer' ? `dev_${userId.slice(4)}` : null],
  );
  if (credits > 0) await topUp(app, userId, credits * 100);
  return userId;
}

/** Credits a wallet the way a paid top-up does; returns the top-up id. */
export async function topUp(app: Pool, userId: string, amountUnits: number): Promise<string> {
  const topupId = newId('top');
  await app.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider)
     VALUES ($1, $2, $3, 'INR', $3, 'sandbox')`,
    [topupId, userId, amountUnits],
  );
  await completeTopups(app, [topupId]);
  return topupId;
}

export function holdRequest(
  buyerUserId: string,
  developerUserId: string,
  credits: number,
  invocationId = newId('inv'),
): HoldRequest {
  const amountUnits = credits * 100;
  const leaseUntil = new Date(Date.now() + 60_000);
  const names = { agentId: 'agt_csv_profiler_v1', versionId: 'agv_1', traceId: 'trace-1' };
  return { invocationId, buyerUserId, developerUserId, amountUnits, leaseUntil, ...names };
}

/** Calls of one buyer to one developer, as a test makes them one at a time. */
export function ledgerCalls(
  at: () => Pick<TestLedger, 'ledger'> & { buyer: string; developer: string; maturesAt: Date },
) {
  return {
    /** A call whose credits are held; its id. */
    async held(credits: number): Promise<string> {
      const { ledger, buyer, developer } = at();
      const request = holdRequest(buyer, developer, credits);
      const [result] = await ledger.hold([request]);
      if (result?.outcome !== 'held') throw new Error(`not held: ${result?.outcome}`);
      return request.invocationId;
    },
    async capture(invocationId: string, credits: number) {
      const { ledger, maturesAt } = at();
      return (await ledger.capture([{ invocationId, grossUnits: credits * 100, maturesAt }]))[0];
    },
    async voidHold(invocationId: string, disputed = false) {
      return (await at().ledger.voidHold([{ invocationId, disputed }]))[0];
    },
  };
}

/** The balances of a user's accounts from their entries, in units; null stands for the service. */
export async function balancesOf(app: Pool, userId: string | null): Promise<Record<string, number>> {
  const { rows } = await app.query<{ kind: string; balance_units: string }>(
    'SELECT kind, balance_units FROM account_balances WHERE user_id IS NOT DISTINCT FROM $1',
    [userId],
  );
  return Object.fromEntries(rows.map((row) => [row.kind, Number(row.balance_units)]));
}

/** Fails with the report when a proof fails; `except` names proofs that the test broke on purpose. */
export async function expectWhole(app: Pool, except: readonly string[] = []): Promise<void> {
  const report = await checkLedger(app, { ledgerOnly: true });
  const failed = report.proofs.filter((proof) => proof.total > 0).map((proof) => proof.name);
  if (failed.join() !== except.join()) throw new Error(formatReport(report));
}
