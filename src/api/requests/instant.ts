import { MarketError } from '../../domain/errors';
import { parseInstant } from '../../domain/instant';

/** A time of a request. Throws 422 `validation_failed` for one that does not exist, such as 30 February or 23:59:60. */
export function instantOf(where: 'body' | 'query', name: string, text: string): Date {
  const time = parseInstant(text);
  if (time) return time;
  const msg = 'is not a time that ISO 8601 knows, from 1970 to 9999';
  throw new MarketError('validation_failed', { detail: [{ loc: [where, name], msg, type: 'time' }] });
}
