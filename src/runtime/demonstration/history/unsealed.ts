/**
 * Whether the history is still to be written, and the days of the ledger as unsealed as its days have to be. A start
 * that was interrupted between the two transactions of the history continues, also when a worker has sealed its days.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { onlyRow } from '../../../stores/db';
import { lockDigests } from '../../../stores/ledger/ledger-digests';
import type { Past } from './past';

/** How long a worker may take to seal the days of an interrupted start. */
const SEALING_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** Takes the lock under which days are sealed, also from a worker that seals some now. False if it is never free. */
export async function keepUnsealed(guard: Client): Promise<boolean> {
  for (
    const giveUpAt = performance.now() + SEALING_MS;
    performance.now() < giveUpAt;
    await sleep(LOOK_EVERY_MS)
  )
    if (await lockDigests(guard)) return true;
  return false;
}

/**
 * `begun`: an earlier start was interrupted between `open` and `fill`. The worker of that or of this start may have
 * sealed the days since, in which nothing has happened.
 */
export async function stateOf(client: Client): Promise<'empty' | 'begun' | 'done'> {
  const found = await client.query<{ is_called: boolean; is_begun: boolean; is_used: boolean }>(
    `SELECT EXISTS (SELECT FROM invocations) AS is_called,
       EXISTS (SELECT FROM topups WHERE idempotency_key = 'demonstration/begin') AS is_begun,
       EXISTS (SELECT FROM ledger_digests) OR EXISTS (SELECT FROM transactions) AS is_used`,
  );
  const { is_called: isCalled, is_begun: isBegun, is_used: isUsed } = onlyRow(found);
  if (isCalled) return 'done';
  if (isBegun) return 'begun';
  return isUsed ? 'done' : 'empty';
}

/** Takes the seals of the days back that are written now. They are immutable, so their trigger would refuse it. */
export async function unsealDays({ client }: Past): Promise<void> {
  await client.query('SET LOCAL session_replication_role = replica');
  for (const table of ['days', 'nodes', 'secrets', 'work', 'balances'])
    await client.query(`DELETE FROM market_log_${table}`);
  await client.query('DELETE FROM ledger_digests');
  await client.query('SET LOCAL session_replication_role = origin');
}
