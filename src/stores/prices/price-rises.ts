/** Prices that rise, and their announcements (`migrations/0117_price_notice.sql`, `0118_price_rises.sql`). */
import type { Pricing } from '../../domain/catalogue/manifest';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { firstInvocationIdSince } from '../../kit/ids/id-time';
import type { Db } from '../db';
import type { FormerPrice } from './charged-price';

/** Buyers of so many days before are notified. */
const DAYS = 30;
/** Outcomes of calls are counted by day after a second; the calls of this time are looked at one by one. */
const UNCOUNTED_MS = 60_000;

export interface VersionPrice {
  own: FormerPrice;
  /** Set while calls still cost the former price. */
  pending: FormerPrice | null;
}

interface Row {
  pricing: Pricing;
  price_units: string;
  price_usd: string | null;
  former_price: FormerPrice | null;
}

const COLUMNS = `v.public_part::json -> 'pricing' AS pricing, v.price_units, manifest_json(v.manifest) #>> '{x402,price_usd}' AS price_usd,
  CASE WHEN now() < v.price_effective_at THEN v.former_price END AS former_price`;

const toPrice = (row: Row): VersionPrice => ({
  own: {
    pricing: row.pricing,
    price_units: unitsFromDatabase(row.price_units),
    ...(row.price_usd !== null && { price_usd: row.price_usd }),
  },
  pending: row.former_price,
});

/** The price of a version, and that of the version that serves its agent; undefined if none does. */
export async function readPrices(
  tx: Db,
  agentId: string,
  versionId: string,
): Promise<{ version: VersionPrice; serving: VersionPrice | undefined }> {
  const { rows } = await tx.query<Row & { is_serving: boolean }>(
    `SELECT ${COLUMNS}, v.version_id <> $2 AS is_serving FROM agent_versions v
      WHERE v.version_id IN ($2, (SELECT serving_version_id FROM agents WHERE agent_id = $1))`,
    [agentId, versionId],
  );
  const own = rows.find((row) => !row.is_serving);
  if (!own) throw new Error(`no version ${versionId}`);
  const serving = rows.find((row) => row.is_serving);
  return { version: toPrice(own), serving: serving && toPrice(serving) };
}

/** Whether accounts other than the developer's have paid for calls of an agent in the last 30 days. */
export async function hasPaidCalls(tx: Db, agentId: string): Promise<boolean> {
  const { rows } = await tx.query<{ paid: boolean }>(
    `SELECT EXISTS (SELECT FROM buyer_days b WHERE b.agent_id = $1 AND b.day >= (now() AT TIME ZONE 'UTC')::date - ${DAYS}
                     AND b.succeeded > 0)
         OR EXISTS (SELECT FROM invocations i WHERE i.agent_id = $1 AND i.invocation_id >= $2 AND i.charged_units > 0
                     AND i.status = 'succeeded' AND i.buyer_user_id <> i.developer_user_id) AS paid`,
    [agentId, firstInvocationIdSince(Date.now() - UNCOUNTED_MS, UNCOUNTED_MS)],
  );
  return rows[0]?.paid === true;
}

/**
 * Lets calls of a version cost `former` until the first whole second that is `noticeMs` away, and begins to notify the
 * buyers of its agent.
 */
export async function announceRise(
  tx: Db,
  { agentId, versionId }: { agentId: string; versionId: string },
  former: FormerPrice,
  noticeMs: number,
): Promise<void> {
  await tx.query(
    `WITH risen AS (
       UPDATE agent_versions SET former_price = $3, price_effective_at =
           date_trunc('second', now() + $4 * interval '1 ms' + interval '999999 microseconds')
        WHERE version_id = $2 RETURNING price_effective_at)
     INSERT INTO price_rises (agent_id, effective_at, day)
     SELECT $1, price_effective_at, (now() AT TIME ZONE 'UTC')::date - ${DAYS} FROM risen
     ON CONFLICT DO NOTHING`,
    [agentId, versionId, JSON.stringify(former), noticeMs],
  );
}

/** Gives a version the announced day, and the price until then, of the version that serves its agent. */
export async function keepRise(tx: Db, agentId: string, versionId: string): Promise<void> {
  await tx.query(
    `UPDATE agent_versions n SET price_effective_at = v.price_effective_at, former_price = v.former_price
       FROM agents a JOIN agent_versions v ON v.version_id = a.serving_version_id
      WHERE n.version_id = $2 AND a.agent_id = $1`,
    [agentId, versionId],
  );
}

/** Notifies up to `most` buyers of a price that will rise. Returns how many were read; null without such a price. */
export async function notifyOfRise(db: Db, most: number): Promise<number | null> {
  const { rows } = await db.query<{ read: number | null }>({
    name: 'price-rise-notify',
    text: 'SELECT price_rise_notify($1) AS read',
    values: [most],
  });
  return rows[0]?.read ?? null;
}
