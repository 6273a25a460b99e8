/** The limits of API keys, and of the keys of OAuth grants: what they may spend, in which time, and on which agents. */
import type { CapWindow } from '../../domain/accounts/oauth-grant';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

/** What a key, or the key of a grant, may spend, and on which agents, as it is stored. Null: no limit. */
export interface StoredLimits {
  creditCapUnits: number | null;
  capWindow: CapWindow;
  callCapUnits: number | null;
  leastTrust: number | null;
  onlyAgents: readonly string[] | null;
}

/** The limits, and how far they are used. */
export interface SpendingLimits extends StoredLimits {
  /** What counts against the cap now: charged in its window, and held for calls in flight. */
  usedUnits: number;
  /** Null for a cap over the lifetime. */
  windowEndsAt: Date | null;
  timeZone: string;
}

/** The columns of `api_keys k` that `toLimits` reads. */
export const LIMIT_COLUMNS = `k.credit_cap_units, k.cap_window, k.call_cap_units, k.least_trust, k.only_agents,
  api_key_window_used(k, greatest(now(), k.window_began_at)) AS used_units, api_key_window_end(k, now()) AS window_ends_at,
  (SELECT u.time_zone FROM users u WHERE u.user_id = k.user_id) AS time_zone`;

export interface RawLimits {
  credit_cap_units: string | null;
  cap_window: CapWindow;
  used_units: string;
  window_ends_at: Date | null;
  time_zone: string;
  call_cap_units: string | null;
  least_trust: number | null;
  only_agents: string[] | null;
}

export function toLimits(row: RawLimits): SpendingLimits {
  const unitsOf = (units: string | null) => (units === null ? null : unitsFromDatabase(units));
  return {
    creditCapUnits: unitsOf(row.credit_cap_units),
    capWindow: row.cap_window,
    usedUnits: unitsFromDatabase(row.used_units),
    windowEndsAt: row.window_ends_at,
    timeZone: row.time_zone,
    callCapUnits: unitsOf(row.call_cap_units),
    leastTrust: row.least_trust,
    onlyAgents: row.only_agents,
  };
}

/** The values of the columns credit_cap_units, cap_window, call_cap_units, least_trust and only_agents. */
export const limitValues = (limits: StoredLimits): unknown[] => [
  limits.creditCapUnits,
  limits.capWindow,
  limits.callCapUnits,
  limits.leastTrust,
  limits.onlyAgents,
];

export async function readKeyLimits(
  db: Db,
  userId: string,
  keyId: string,
): Promise<SpendingLimits | undefined> {
  const { rows } = await db.query<RawLimits>({
    name: 'api-key-limits',
    text: `SELECT ${LIMIT_COLUMNS} FROM api_keys k WHERE k.key_id = $1 AND k.user_id = $2`,
    values: [keyId, userId],
  });
  return rows[0] && toLimits(rows[0]);
}
