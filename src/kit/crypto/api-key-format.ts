/**
 * The form of an API key (contract, "Accounts, sessions, keys"): `amk_live_`, 30 base62 characters of a secret (178 bits)
 * and 6 of its CRC-32, so that a mistyped or cut key is known to be wrong without asking anybody, and scanners of
 * repositories know one when they see it. The checksum protects nothing: the secret does.
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

/** Whether a text has the form of a key and its checksum is right. */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const end = text.length - CHECKSUM_LENGTH;
  return text.slice(end) === checksumOf(text.slice(0, end));
}

/** SHA-256 of a key: all that is stored of it. It needs no salt, since nobody can guess 178 bits. */
export function apiKeySha256(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The last four characters, which belong to the checksum: they tell keys apart and say little of the secret. */
export function apiKeyHint(key: string): string {
  return key.slice(-4);
}

/** Bytes of 248 and more are thrown away: 248 is a multiple of 62, so that every character is as likely. */
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
