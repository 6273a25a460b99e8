import { MarketError } from '../../domain/errors';
import { NOT_AN_INSTANT, parseInstant } from '../../domain/instant';

/** Parses a time. Throws `validation_failed` for times that do not exist, such as 30 February or 23:59:60. */
export function instantOf(where: 'body' | 'path' | 'query', name: string, text: string): Date {
  const time = parseInstant(text);
  if (time) return time;
  throw new MarketError('validation_failed', {
    detail: [{ loc: [where, name], msg: NOT_AN_INSTANT, type: 'time' }],
  });
}

/** The same for a field of the query that may be absent. */
export function optionalInstantOf(name: string, text: string | undefined): Date | undefined {
  return text === undefined ? undefined : instantOf('query', name, text);
}
