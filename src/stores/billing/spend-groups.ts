/** What an account paid for calls, summed by days, agents, keys, pairs of metadata and members in any combination. */
import type { SpendPart } from '../../domain/billing/spend-parts';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

export interface SpendGroup {
  /** `YYYY-MM-DD`; null if the sums are not by day. The others in the same way. */
  date: string | null;
  agentId: string | null;
  agentName: string | null;
  /** Empty for calls without a key. */
  keyId: string | null;
  keyName: string | null;
  tag: string | null;
  /** Empty for calls that no member of an organisation made. */
  memberId: string | null;
  memberName: string | null;
  calls: number;
  units: number;
}

export interface SpendGroupsQuery {
  userId: string;
  /** `YYYY-MM-DD`, as `endDay`, which is exclusive. */
  firstDay: string;
  endDay: string;
  parts: readonly SpendPart[];
  /** Only calls with this pair; a name alone: only its pairs. */
  tag: string | undefined;
  most: number;
}

const COLUMNS: Readonly<Record<SpendPart, string>> = {
  day: 'day',
  agent: 'agent_id',
  key: 'key_id',
  tag: 'tag',
  member: 'member_user_id',
};

/**
 * The calls that the roll-up has reached come from its sums, by day or by day and pair; the others, of about the last
 * ten minutes and those that were open, from their rows (`spend.ts`).
 */
export function groupsSql(parts: readonly SpendPart[], isTagged: boolean): string {
  const tags = isTagged || parts.includes('tag');
  const [sums, tag, pairs] = tags
    ? ['spend_tag_days', `t.key || '=' || t.value`, ', jsonb_each_text(i.metadata) t']
    : ['spend_days', `''`, ''];
  const ofCall = `(i.invoked_at AT TIME ZONE 'UTC')::date, i.agent_id, coalesce(i.key_id, ''), coalesce(i.member_user_id, ''), ${tag}, 1, i.charged_units`;
  const inWindow = `i.charged_units > 0 AND i.invoked_at >= $2::date::timestamp AT TIME ZONE 'UTC'
       AND i.invoked_at < $3::date::timestamp AT TIME ZONE 'UTC'`;
  const by = parts.map((part) => COLUMNS[part]);
  const shown = (Object.keys(COLUMNS) as SpendPart[]).map((part) =>
    parts.includes(part)
      ? part === 'day'
        ? 's.day::text AS day'
        : `s.${COLUMNS[part]}`
      : `NULL AS ${COLUMNS[part]}`,
  );
  return `WITH calls AS MATERIALIZED (
    SELECT day, agent_id, key_id, member_user_id, ${tags ? 'tag' : `''`} AS tag, calls, charged_units FROM ${sums}
     WHERE buyer_user_id = $1 AND day >= $2::date AND day < $3::date
    UNION ALL
    SELECT ${ofCall} FROM invocations i${pairs}
     WHERE i.buyer_user_id >= $1 AND i.buyer_user_id <= $1 AND i.invocation_id > (SELECT invocation_id FROM spend_reached)
       AND ${inWindow}
    UNION ALL
    SELECT ${ofCall}
      FROM spend_waiting w, LATERAL (SELECT * FROM invocations c WHERE c.invocation_id = w.invocation_id OFFSET 0) i${pairs}
     WHERE w.buyer_user_id = $1 AND ${inWindow}),
  sums AS (SELECT ${[...by, 'sum(calls) AS calls', 'sum(charged_units) AS units'].join(', ')} FROM calls
    WHERE ($5::text IS NULL OR tag = $5 OR starts_with(tag, $5 || '='))
    GROUP BY ${by.join(', ')} ORDER BY ${[...(by.includes('day') ? ['day'] : []), 'units DESC', ...by].join(', ')} LIMIT $4)
  SELECT ${shown.join(', ')}, s.calls, s.units,
         ${parts.includes('key') ? `(SELECT k.name FROM api_keys k WHERE k.key_id = s.key_id AND k.user_id = $1)` : 'NULL'} AS key_name,
         ${parts.includes('member') ? '(SELECT u.display_name FROM users u WHERE u.user_id = s.member_user_id)' : 'NULL'} AS member_name,
         ${
           parts.includes('agent')
             ? `(SELECT n.display_name FROM agents a JOIN agent_versions n USING (agent_id) WHERE a.agent_id = s.agent_id
           ORDER BY n.version_id = a.serving_version_id DESC NULLS LAST, n.created_at DESC LIMIT 1)`
             : 'NULL'
         } AS agent_name
    FROM sums s`;
}

interface GroupRow {
  day: string | null;
  agent_id: string | null;
  agent_name: string | null;
  key_id: string | null;
  key_name: string | null;
  tag: string | null;
  member_user_id: string | null;
  member_name: string | null;
  calls: string;
  units: string;
}

/** Reads the groups: by day, the first day first; else, and within a day, the largest first. */
export async function readSpendGroups(db: Db, query: SpendGroupsQuery): Promise<SpendGroup[]> {
  const { userId, firstDay, endDay, parts, tag, most } = query;
  const sql = groupsSql(parts, tag !== undefined);
  const { rows } = await db.query<GroupRow>(sql, [userId, firstDay, endDay, most, tag ?? null]);
  return rows.map((row) => ({
    date: row.day,
    agentId: row.agent_id,
    agentName: row.agent_name,
    keyId: row.key_id,
    keyName: row.key_name,
    tag: row.tag,
    memberId: row.member_user_id,
    memberName: row.member_name,
    calls: Number(row.calls),
    units: unitsFromDatabase(row.units),
  }));
}
