/** What the loops of the service count each day and in the last hours, and what is kept of a day besides its calls. */
import { refusesInput } from '../../../domain/calls/failure-facts';
import { addTallies, type TallyItem } from '../../../stores/calls/call-tallies';
import { recordAttempt } from '../../../stores/webhooks/webhook-deliveries';
import type { CallContext, PastCall } from './past-calls';
import { DAY_MS } from './moment';
import type { Past } from './past';

const MOST = 1_000_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Before the second attempt of a delivery. */
const PAUSE_MS = 9_000;
const PARTS = ['api', 'calls', 'background'];
const MINUTES_OF_DAY = 1_440;
/** A day on which the background work stood still for some minutes, so that the history of the status has a mark. */
const DISTURBED = { day: 11, part: 'background', minutes: 7 };

/** Counts the paid calls of a day, with the clock at its end: they are tallied on the day of the clock. */
export async function countDay(
  past: Past,
  { users, agents }: CallContext,
  calls: readonly PastCall[],
): Promise<void> {
  const tallies = new Map<string, TallyItem>();
  for (const call of calls) {
    const agent = agents.get(call.slug)?.agentId ?? '';
    const key = `${agent} ${call.person}`;
    const known = tallies.get(key) ?? emptyTally(agent, users[call.person]);
    tallies.set(key, counted(known, call));
  }
  await rollUp(past);
  if (tallies.size > 0) await addTallies(past.pool, [...tallies.values()]);
}

/** Adds what waits to balances, usage and earnings, at the minute of the clock. */
export async function rollUp({ client }: Past): Promise<void> {
  await client.query('SELECT ledger_roll_up($1)', [MOST]);
  await client.query('SELECT usage_roll_up($1)', [MOST]);
  await client.query('SELECT earning_days_roll_up($1)', [MOST]);
}

function emptyTally(agentId: string, buyerUserId: string): TallyItem {
  return {
    agent_id: agentId,
    buyer_user_id: buyerUserId,
    succeeded: 0,
    refused: 0,
    failed: 0,
    code: null,
  };
}

function counted(tally: TallyItem, { failure }: PastCall): TallyItem {
  if (failure === null) return { ...tally, succeeded: tally.succeeded + 1 };
  if (failure.status !== null && refusesInput(failure.status))
    return { ...tally, refused: tally.refused + 1 };
  return { ...tally, failed: tally.failed + 1, code: failure.code };
}

/** Notes for each day, and for today until now, whether the service worked. */
export async function noteStatus(
  { client }: Past,
  days: number,
  at: { todayMs: number; nowMs: number },
): Promise<void> {
  const { todayMs, nowMs } = at;
  await client.query(
    `INSERT INTO status_days AS s (day, part, minutes, failed, first)
     SELECT d::date, p, CASE WHEN d = $2::timestamptz THEN $8::int ELSE $3::int END,
       CASE WHEN d::date = $4::date AND p = $5 THEN $6::int ELSE 0 END, d
     FROM generate_series($1::timestamptz, $2::timestamptz, interval '1 day') d, unnest($7::text[]) p
     ON CONFLICT (day, part) DO UPDATE SET minutes = s.minutes + excluded.minutes, first = excluded.first`,
    [
      dateOf(todayMs, days),
      dateOf(todayMs, 0),
      MINUTES_OF_DAY,
      dateOf(todayMs, DISTURBED.day),
      DISTURBED.part,
      DISTURBED.minutes,
      PARTS,
      Math.max(0, Math.floor((nowMs - todayMs) / MINUTE_MS) - 1),
    ],
  );
}

function dateOf(todayMs: number, daysBefore: number): string {
  return new Date(todayMs - daysBefore * DAY_MS).toISOString();
}

/** The deliveries of the history arrived at once, and the first of each webhook at the second attempt. */
export async function deliverEvents(past: Past): Promise<void> {
  const { rows } = await past.client.query<{ id: string; at_ms: string; is_first: boolean }>(
    `SELECT d.delivery_id AS id, floor(extract(epoch FROM d.created_at) * 1000)::bigint AS at_ms,
       row_number() OVER (PARTITION BY d.endpoint_id ORDER BY d.delivery_id) = 1 AS is_first
     FROM webhook_deliveries d WHERE d.state = 'pending'`,
  );
  const attempt = { error: null, round: 0, answer: null, nextMs: null };
  for (const { id, at_ms: atMs, is_first: isFirst } of rows) {
    await past.at(Number(atMs) + SECOND_MS);
    if (isFirst) {
      await recordAttempt(past.pool, id, {
        ...attempt,
        status: 503,
        state: 'pending',
        durationMs: 84,
        nextMs: PAUSE_MS,
      });
      await past.at(Number(atMs) + PAUSE_MS);
    }
    await recordAttempt(past.pool, id, { ...attempt, status: 204, state: 'delivered', durationMs: 41 });
  }
}
