/** What must hold in the database of a process stack whose parts were killed. */
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { testPool } from '../stack/pool';
import type { ProcessStack } from '../stack/process-stack';

/** Calls and holds that have not ended. */
export async function openCalls({ owner }: Pick<ProcessStack, 'owner'>): Promise<number> {
  const { rows } = await owner.query<{ open: string }>(
    `SELECT (SELECT count(*) FROM holds WHERE state = 'open')
          + (SELECT count(*) FROM invocations WHERE status IN ('pending', 'running')) AS open`,
  );
  return Number(rows[0]?.open);
}

/** Proves the whole ledger of a process stack. */
export async function expectStackLedger({ environment }: Pick<ProcessStack, 'environment'>): Promise<void> {
  const pool = testPool(environment()['DATABASE_URL']);
  const { proofs } = await checkLedger(pool);
  await pool.end();
  expect(proofs.filter(({ total }) => total > 0)).toEqual([]);
}
