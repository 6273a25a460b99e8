/** The outbox of events (migrations/0800). */
import type { MarketEvent } from '../domain/event';
import type { Db } from './db';

/**
 * Tells of something in the transaction that makes it true: when that commits, every endpoint that wants to know will
 * be told, at least once. SQL functions call `event_record` themselves.
 *
 * @returns the id of the event; null when nobody wants to know.
 */
export async function recordEvent(tx: Db, { type, data, audience }: MarketEvent): Promise<string | null> {
  const { rows } = await tx.query<{ id: string | null }>({
    name: 'event-record',
    text: 'SELECT event_record($1, $2::jsonb, $3::text[], $4, $5) AS id',
    values: [
      type,
      JSON.stringify(data),
      audience.userIds,
      audience.agentId ?? null,
      audience.public ?? false,
    ],
  });
  return rows[0]?.id ?? null;
}
