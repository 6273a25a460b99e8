/** Checks of values that are keys by their own arithmetic or form. */
import { createHash } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CHECKED = /^(?:gh[pousr]_|npm_)([A-Za-z0-9]{30})([A-Za-z0-9]{6})$/;
/** So long and so marked that no document makes them up. */
const MARKED =
  /^(?:amk_live_[A-Za-z0-9]{36}|sk-ant-[a-z]{2,8}\d{2}-[\w-]{86,400}|sk-proj-[\w-]{100,400}|hvs\.[\w-]{90,400})$/;

/**
 * Whether a value proves itself a key: `true` by its checksum or its form, `false` if its checksum is wrong, undefined
 * for values without one.
 */
export function proves(secret: string): boolean | undefined {
  const [, body, sum] = CHECKED.exec(secret) ?? [];
  if (body !== undefined && sum !== undefined) return base62(checksum(body)) === sum;
  return MARKED.test(secret) ? true : undefined;
}

/** True for a private key of Bitcoin with the right checksum. */
export function isWalletKey(text: string): boolean {
  let value = 0n;
  for (const letter of text) {
    const digit = BASE58.indexOf(letter);
    if (digit < 0) return false;
    value = value * 58n + BigInt(digit);
  }
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  if (bytes.length < 37 || bytes.length > 38) return false;
  const body = bytes.subarray(0, -4);
  return sha(sha(body)).subarray(0, 4).equals(bytes.subarray(-4));
}

/** Words of the language that no list of words for wallets has. */
const SENTENCE = new Set(
  'the and are for from your with words list which have not was were has its our their into than then'.split(
    ' ',
  ),
);

/** True for the words of a wallet: a number of words that wallets use, and no sentence. */
export function isWalletPhrase(text: string): boolean {
  const words = text.trim().split(' ');
  if (words.length % 3 !== 0 || words.some((word) => SENTENCE.has(word))) return false;
  return new Set(words).size >= words.length - 3;
}

function sha(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function base62(value: number): string {
  let text = '';
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62))
    text = (DIGITS[rest % 62] ?? '') + text;
  return text;
}

/** CRC-32 of a text of letters and digits. */
function checksum(text: string): number {
  let sum = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
