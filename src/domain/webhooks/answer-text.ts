/** Bytes that are read of an answer. */
export const ANSWER_BYTES = 1_024;
const MOST_CHARACTERS = 500;
/** A shorter value says nothing. */
const LEAST_SECRET = 8;
const SECRETS =
  /\b(?:whs(?:ec|k)_[A-Za-z0-9+/=]{16,}|am[a-z]_[A-Za-z0-9_]{16,}|Bearer +[A-Za-z0-9._~+/=-]{8,})/g;
const MASK = '•••';

/**
 * The beginning of an answer for the owner of the endpoint: one line of at most 500 characters, without the values of
 * the headers that were sent and without anything in the form of a secret. Null for an empty answer, and for bytes that
 * are no text.
 */
export function answerText(bytes: Buffer, sent: Readonly<Record<string, string>>): string | null {
  // A character that the limit of bytes has cut is left out.
  const text = bytes.toString('utf8').replace(/\ufffd$/, '');
  if (/[\0\ufffd]/.test(text)) return null;
  const values = Object.values(sent).flatMap((value) => [value, ...value.split(/[ ,]+/)]);
  const masked = values
    .filter((value) => value.length >= LEAST_SECRET && value !== 'application/json')
    .sort((a, b) => b.length - a.length)
    .reduce((said, value) => said.replaceAll(value, MASK), text)
    .replaceAll(SECRETS, MASK);
  const line = masked.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, ' ').trim();
  const letters = [...line];
  if (letters.length === 0) return null;
  return letters.length > MOST_CHARACTERS ? `${letters.slice(0, MOST_CHARACTERS - 1).join('')}…` : line;
}
