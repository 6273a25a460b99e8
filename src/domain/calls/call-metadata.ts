/**
 * The metadata of a call: a few pairs of short text by which a buyer finds and sums calls (ADR 0293). An agent never
 * gets them.
 */
import { isStorable } from '../json-value';

export type CallMetadata = Readonly<Record<string, string>>;

export const MOST_PAIRS = 8;
export const MOST_VALUE_LENGTH = 100;
export const METADATA_NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$';
export const METADATA_VALUE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$';

export const METADATA_RULE =
  `takes an object of at most ${MOST_PAIRS} texts of 1 to ${MOST_VALUE_LENGTH} characters without control characters; names ` +
  'have at most 40 letters, digits or the characters _ . - and begin with a letter or a digit';

const NAME = new RegExp(METADATA_NAME_PATTERN);
const VALUE = new RegExp(METADATA_VALUE_PATTERN);

/** Whether a value of a request is the metadata of a call. */
export function isMetadata(value: unknown): value is CallMetadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const pairs = Object.entries(value as Record<string, unknown>);
  return pairs.length <= MOST_PAIRS && pairs.every(([name, text]) => NAME.test(name) && isValue(text));
}

function isValue(text: unknown): boolean {
  return typeof text === 'string' && text.length <= MOST_VALUE_LENGTH && VALUE.test(text) && isStorable(text);
}

/** Whether two calls have the same pairs. */
export function isSameMetadata(one: CallMetadata, other: CallMetadata): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
  );
}
