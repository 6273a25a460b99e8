/**
 * The format of an API key (contract, "Accounts, sessions, keys"): `amk_live_`, 30 base62 characters of secret (178
 * bits), and 6 characters of CRC-32. The checksum rejects mistyped and truncated keys without a lookup, and secret
 * scanners can recognize a key. Security rests on the secret alone.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'amk_live_';
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^amk_live_[0-9A-Za-z]{36}$/;

/** A new key, from the system's randomness. */
export function newApiKey(): string {
  const body = PREFIX + randomBase62(SECRET_LENGTH);
  return body + checksumOf(body);
}

/** True when the text has the format of a key and a correct checksum. */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const end = text.length - CHECKSUM_LENGTH;
  return text.slice(end) === checksumOf(text.slice(0, end));
}

/** SHA-256 of a key, the only part that is stored. It needs no salt, because 178 random bits cannot be guessed. */
export function apiKeySha256(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * The last four characters. They belong to the checksum, so they distinguish keys and reveal little of the secret.
 */
export function apiKeyHint(key: string): string {
  return key.slice(-4);
}

/** Discards bytes of 248 and above: 248 is a multiple of 62, so that every character is equally likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let n = 0; n < CHECKSUM_LENGTH; n += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
