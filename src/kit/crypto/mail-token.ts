import { createHash, randomBytes } from 'node:crypto';

/** A new token of a mail: 256 random bits. */
export function newMailToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 of a token. Only the hash is stored. */
export function mailTokenSha256(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
