/** Calls of a buyer by a pair of their metadata (`migrations/0121_call_metadata.sql`), which an index finds. */
import { MOST_COUNTED, MOST_SCANNED } from '../../domain/list-total';
import type { Db } from '../db';
import { countRows } from '../list-total';
import {
  CALL_COLUMNS,
  type InvocationFilter,
  type InvocationPage,
  MATCHES,
  type RawRow,
  toRow,
} from './invocation-rows';

/** The calls with a pair, newest first, as the index has them. */
const KEY = `buyer_user_id = $1 AND tag = $7 AND ($5::text IS NULL OR invocation_id >= $5)
  AND ($6::text IS NULL OR invocation_id < $6)`;

// One row per lookup, because an array cannot select partitions.
export const TAGGED_CALLS = `WITH read AS MATERIALIZED (SELECT t.invocation_id, c.agent_id, c.status, c.key_id
    FROM (SELECT invocation_id FROM call_tags WHERE ${KEY} AND ($8::text IS NULL OR invocation_id < $8)
      ORDER BY invocation_id DESC LIMIT $9) t,
    LATERAL (SELECT agent_id, status, key_id FROM all_invocations a WHERE a.invocation_id = t.invocation_id OFFSET 0) c),
  found AS (SELECT invocation_id FROM read WHERE ${MATCHES} ORDER BY invocation_id DESC LIMIT $10)
  SELECT scan.*, i.* FROM (SELECT min(invocation_id) AS last, count(*) AS read FROM read) scan
    LEFT JOIN LATERAL (SELECT c.* FROM found, LATERAL (SELECT ${CALL_COLUMNS} FROM all_invocations called
      WHERE called.invocation_id = found.invocation_id OFFSET 0) c) i ON true
   ORDER BY i.invocation_id DESC`;

/**
 * Lists the calls of a buyer with a pair, newest first. Compares at most `MOST_SCANNED` with the other filters; with
 * these, the total is not known.
 */
export async function listTagged(
  db: Db,
  filter: InvocationFilter & { tag: string },
): Promise<InvocationPage> {
  const { buyerUserId, agentId = null, status = null, keyId = null, fromId = null, toId = null } = filter;
  const isFiltered = agentId !== null || status !== null || keyId !== null;
  const most = isFiltered ? MOST_SCANNED : filter.limit;
  const values = [buyerUserId, agentId, status, keyId, fromId, toId, filter.tag];
  const { rows } = await db.query<{ last: string; read: string } & (RawRow | { invocation_id: null })>(
    TAGGED_CALLS,
    [...values, filter.beforeId ?? null, most, filter.limit],
  );
  return {
    rows: rows.filter((row) => row.invocation_id !== null).map(toRow),
    total: isFiltered
      ? MOST_COUNTED + 1
      : await countRows(
          db,
          {
            from: 'call_tags',
            key: KEY,
            filter: '($2::text IS NULL AND $3::text IS NULL AND $4::text IS NULL)',
          },
          values,
        ),
    scannedTo: isFiltered && Number(rows[0]?.read) === MOST_SCANNED ? rows[0]?.last : undefined,
  };
}
