/**
 * What an account paid for calls, by UTC day, agent and key. Calls that the roll-up (`migrations/0047_spend_days.sql`)
 * has not reached are read from the rows of calls: those of about the last ten minutes, and those that were open when
 * it passed them.
 */
import { unitsFromDatabase } from '../../domain/ledger/money';
import { firstInvocationIdSince } from '../../kit/ids/id-time';
import type { Db } from '../db';

/** Calls from this long ago on may still be inserted, with the id of their acceptance. */
const SETTLED_MS = 600_000;
/** Agents and keys that are listed one by one. */
const MOST_NAMED = 100;

/** Adds up to `most` ended calls to the days of their buyers. Returns how many were read. */
export async function rollUpSpend(db: Db, most: number, now: number): Promise<number> {
  const until = firstInvocationIdSince(now, SETTLED_MS);
  const { rows } = await db.query<{ rolled: string }>('SELECT spend_roll_up($1, $2) AS rolled', [
    until,
    most,
  ]);
  return Number(rows[0]?.rolled ?? 0);
}

interface Spent {
  calls: number;
  units: number;
}
interface SpendOf<Key extends string> extends Spent {
  of: Key;
  /** Null for an agent or a key that no longer has a name. */
  name: string | null;
}
interface Spending {
  total: Spent;
  /** `YYYY-MM-DD`, with calls only. */
  days: (Spent & { date: string })[];
  /** The largest first. */
  agents: SpendOf<string>[];
  /** The key is empty for calls without a key. */
  keys: SpendOf<string>[];
}

const CALLS = `WITH calls AS MATERIALIZED (
    SELECT day, agent_id, key_id, calls, charged_units FROM spend_days
     WHERE buyer_user_id = $1 AND day >= $2::date AND day < $3::date
    UNION ALL
    SELECT (i.invoked_at AT TIME ZONE 'UTC')::date, i.agent_id, coalesce(i.key_id, ''), 1, i.charged_units
      FROM invocations i
     WHERE i.buyer_user_id >= $1 AND i.buyer_user_id <= $1 AND i.invocation_id > (SELECT invocation_id FROM spend_reached)
       AND i.charged_units > 0 AND i.invoked_at >= $2::date::timestamp AT TIME ZONE 'UTC'
       AND i.invoked_at < $3::date::timestamp AT TIME ZONE 'UTC'
    UNION ALL
    SELECT (i.invoked_at AT TIME ZONE 'UTC')::date, i.agent_id, coalesce(i.key_id, ''), 1, i.charged_units
      FROM spend_waiting w, LATERAL (SELECT * FROM invocations c WHERE c.invocation_id = w.invocation_id OFFSET 0) i
     WHERE w.buyer_user_id = $1 AND i.charged_units > 0 AND i.invoked_at >= $2::date::timestamp AT TIME ZONE 'UTC'
       AND i.invoked_at < $3::date::timestamp AT TIME ZONE 'UTC'),
  sums AS (
    SELECT day, agent_id, key_id, grouping(day, agent_id, key_id) AS of, sum(calls) AS calls, sum(charged_units) AS units
      FROM calls GROUP BY GROUPING SETS ((day), (agent_id), (key_id), ())),
  ranked AS (SELECT *, row_number() OVER (PARTITION BY of ORDER BY units DESC, agent_id, key_id) AS place FROM sums)
  SELECT r.day::text AS date, r.agent_id, r.key_id, coalesce(r.calls, 0) AS calls, coalesce(r.units, 0) AS units,
         coalesce(k.name, v.display_name) AS name
    FROM ranked r LEFT JOIN api_keys k ON k.key_id = r.key_id AND k.user_id = $1
    LEFT JOIN agents a ON a.agent_id = r.agent_id LEFT JOIN LATERAL (
      SELECT display_name FROM agent_versions n WHERE n.agent_id = a.agent_id
       ORDER BY n.version_id = a.serving_version_id DESC NULLS LAST, n.created_at DESC LIMIT 1) v ON true
   WHERE r.day IS NOT NULL OR r.place <= $4 ORDER BY r.day, r.units DESC`;

interface SumRow {
  date: string | null;
  agent_id: string | null;
  key_id: string | null;
  calls: string;
  units: string;
  name: string | null;
}

/** Reads what an account paid for the calls of some UTC days. `firstDay` and `endDay` (exclusive) are `YYYY-MM-DD`. */
export async function readSpend(
  db: Db,
  window: { userId: string; firstDay: string; endDay: string },
): Promise<Spending> {
  const { rows } = await db.query<SumRow>({
    name: 'spend',
    text: CALLS,
    values: [window.userId, window.firstDay, window.endDay, MOST_NAMED],
  });
  const spent = ({ calls, units }: SumRow): Spent => ({
    calls: Number(calls),
    units: unitsFromDatabase(units),
  });
  const spending: Spending = { total: { calls: 0, units: 0 }, days: [], agents: [], keys: [] };
  for (const row of rows) {
    const { date, agent_id: agentId, key_id: keyId, name } = row;
    if (date !== null) spending.days.push({ date, ...spent(row) });
    else if (agentId !== null) spending.agents.push({ of: agentId, name, ...spent(row) });
    else if (keyId !== null) spending.keys.push({ of: keyId, name, ...spent(row) });
    else spending.total = spent(row);
  }
  return spending;
}
