/** Ed25519 keys as the 32 bytes of RFC 8032, for formats that write them without DER. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** What stands before the seed in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/** A new key as its seed. */
export function newEd25519Seed(): Buffer {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(PKCS8_HEAD.length);
}

/** The private key of a seed. Throws `Error` if the seed has not 32 bytes. */
export function ed25519Key(seed: Buffer): KeyObject {
  if (seed.length !== KEY_BYTES) throw new Error('a seed of Ed25519 has 32 bytes');
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
}

/** The 32 bytes of the public key, in base64url as in a JWK. */
export function ed25519Public(privateKey: KeyObject): string {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined) throw new Error('not a key of Ed25519');
  return x;
}
