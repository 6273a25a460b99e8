/** Events of accounts that follow them, in the order of their positions (`migrations/0007_webhooks.sql`). */
import type { EventType } from '../../domain/webhooks/event';
import { onlyRow, type Db } from '../db';

export interface AccountEvent {
  userId: string;
  position: number;
  eventId: string;
  type: EventType;
  data: Record<string, unknown>;
  createdAt: Date;
}

/** Writes the events of these accounts into the inbox for the next `keepMs`. */
export async function followEvents(db: Db, userIds: readonly string[], keepMs: number): Promise<void> {
  await db.query({
    name: 'event-follow',
    text: 'SELECT event_follow($1::text[], $2)',
    values: [userIds, keepMs],
  });
}

/** Gives committed events their positions. Returns how many; at most `most`. */
export async function orderEvents(db: Db, most: number): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: 'event-order',
    text: 'SELECT event_order($1) AS n',
    values: [most],
  });
  return rows[0]?.n ?? 0;
}

/** The event of a row `i`. `LIMIT 1` behind it makes Postgres read one event for each row, never all events. */
const EVENT = 'SELECT n.type, n.data, n.created_at FROM events n WHERE n.event_id = i.event_id';

interface RawEvent {
  position: string;
  user_id: string;
  event_id: string;
  type: EventType | null;
  data: AccountEvent['data'];
  created_at: Date;
}

/**
 * Reads up to `limit` positions after `after`, with the events of `userIds`. `last` is the position behind which the
 * next read begins; `isWhole` is true if no further row was there.
 */
export async function readEventsAfter(
  db: Db,
  { after, userIds, limit }: { after: number; userIds: readonly string[]; limit: number },
): Promise<{ events: AccountEvent[]; last: number; isWhole: boolean }> {
  const { rows } = await db.query<RawEvent>({
    name: 'events-after',
    text: `SELECT i.position, i.user_id, i.event_id, e.type, e.data, e.created_at
             FROM (SELECT o.position, o.user_id, o.event_id FROM event_inbox o WHERE o.position > $1
                    ORDER BY o.position LIMIT $2) i
             LEFT JOIN LATERAL (${EVENT} AND i.user_id = ANY ($3) LIMIT 1) e ON true ORDER BY i.position`,
    values: [after, limit, userIds],
  });
  const last = Number(rows.at(-1)?.position ?? after);
  return { events: rows.flatMap(toEvent), last, isWhole: rows.length < limit };
}

/** Reads up to `limit` events of one account after a position, oldest first. */
export async function readAccountEvents(
  db: Db,
  { userId, after, limit }: { userId: string; after: number; limit: number },
): Promise<AccountEvent[]> {
  const { rows } = await db.query<RawEvent>({
    name: 'account-events',
    text: `SELECT i.position, i.user_id, i.event_id, e.type, e.data, e.created_at
             FROM (SELECT o.position, o.user_id, o.event_id FROM event_inbox o
                    WHERE o.user_id = $1 AND o.position > $2 ORDER BY o.position LIMIT $3) i
            CROSS JOIN LATERAL (${EVENT} LIMIT 1) e ORDER BY i.position`,
    values: [userId, after, limit],
  });
  return rows.flatMap(toEvent);
}

export interface InboxEnds {
  /** The position of the newest event of all accounts; 0 if there is none. */
  newest: number;
  /** The position after which no event of the account is missing. */
  since: number;
}

/** Reads the ends of the inbox of an account that follows its events. */
export async function readInboxEnds(db: Db, userId: string): Promise<InboxEnds> {
  const result = await db.query<{ newest: string; since: string }>({
    name: 'inbox-ends',
    text: `SELECT coalesce((SELECT max(position) FROM event_inbox), 0) AS newest, f.since
             FROM event_followers f WHERE f.user_id = $1`,
    values: [userId],
  });
  const { newest, since } = onlyRow(result);
  return { newest: Number(newest), since: Number(since) };
}

export async function readNewestPosition(db: Db): Promise<number> {
  const { rows } = await db.query<{ newest: string | null }>(
    'SELECT max(position) AS newest FROM event_inbox',
  );
  return Number(rows[0]?.newest ?? 0);
}

/** Deletes up to `most` rows that are older than `keepMs`, and up to `most` ended followers. Returns how many. */
export async function purgeInbox(db: Db, keepMs: number, most: number): Promise<number> {
  const { rows } = await db.query<{ n: number }>('SELECT event_inbox_purge($1, $2) AS n', [keepMs, most]);
  return rows[0]?.n ?? 0;
}

function toEvent(row: RawEvent): AccountEvent[] {
  if (row.type === null) return [];
  const { type, data } = row;
  return [
    {
      userId: row.user_id,
      position: Number(row.position),
      eventId: row.event_id,
      type,
      data,
      createdAt: row.created_at,
    },
  ];
}
