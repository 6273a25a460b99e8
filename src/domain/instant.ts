/** Accepted ISO 8601 forms: a date, or a date and time. Without an offset, the time is UTC. */
export const INSTANT_PATTERN =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$';

const PARTS =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2}):?(\d{2}))?)?$/;
const MINUTE_MS = 60_000;
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The message for text that `parseInstant` does not accept. */
export const NOT_AN_INSTANT = 'must be an ISO 8601 time between 1970 and 9999';

/**
 * Parses ISO 8601 text to millisecond precision. Returns undefined for any other text (`now`, `infinity`,
 * epoch numbers), for days and times that do not exist (30 February, 24:00), and for instants before 1970 or
 * after 9999.
 */
export function parseInstant(text: string): Date | undefined {
  const parts = PARTS.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const millisecond = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  const [offsetHour, offsetMinute] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second, millisecond));
  const exists =
    local.getUTCMonth() === month - 1 &&
    local.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!exists || offsetHour > 23 || offsetMinute > 59) return undefined;
  const offsetMs = (offsetHour * 60 + offsetMinute) * MINUTE_MS * (parts[8] === '-' ? -1 : 1);
  const time = local.getTime() - offsetMs;
  return time >= 0 && time <= LAST_MS ? new Date(time) : undefined;
}

/** The time at which an id or trace id was created, in ms since 1970. Meaningless for ids that others created. */
export function timeOfId(id: string): number {
  const hex = id.slice(id.indexOf('_') + 1);
  return Number.parseInt(hex.slice(0, 12), 16);
}

/** The UTC day of a time: `2026-11-02`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
