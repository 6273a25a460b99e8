/** The fields of a provider's event, by their paths. Each reader throws `validation_failed` (422) for another value. */
import { MarketError } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';

/** Reads an amount in minor units. Throws `validation_failed` if it is not a whole number from 0 on. */
export function amountAt(event: unknown, path: string): number {
  const amount = at(event, path);
  if (typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0) return amount;
  throw wrong(path);
}

/** The value at a path such as `data.object.id`; undefined if there is none. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => {
    return isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }, value);
}

/** Reads an id, type or code of the provider, which are visible ASCII. Throws `validation_failed` otherwise. */
export function textAt(value: unknown, path: string, maxLength = 100): string {
  const found = at(value, path);
  if (typeof found === 'string' && found.length <= maxLength && /^[\x21-\x7e]+$/.test(found)) return found;
  throw wrong(path);
}

/** The refusal of an event whose field at a path is missing or has another form. */
export function wrong(path: string): MarketError {
  const detail = [
    { loc: ['body', ...path.split('.')], msg: 'is missing or has an unexpected value', type: 'type' },
  ];
  return new MarketError('validation_failed', { detail });
}
