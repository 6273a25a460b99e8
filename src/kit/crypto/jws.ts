/**
 * Creates JSON Web Signatures: compact form, ES256 (ECDSA on P-256 with SHA-256, signature r‖s), keys named by RFC
 * 7638 thumbprint. Any JOSE library can verify them.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
} from 'node:crypto';
import { promisify } from 'node:util';

const makeKeyPair = promisify(generateKeyPair);

/** A P-256 public key with only the members that RFC 7638 hashes. */
export interface EcPublicJwk {
  crv: 'P-256';
  kty: 'EC';
  x: string;
  y: string;
}

export interface SigningKeyPair {
  kid: string;
  publicJwk: EcPublicJwk;
  /** PKCS #8, DER. */
  privateKey: Buffer;
}

/** Generates a P-256 key pair and its key id. */
export async function generateSigningKey(): Promise<SigningKeyPair> {
  const { publicKey, privateKey } = await makeKeyPair('ec', { namedCurve: 'P-256' });
  const publicJwk = toPublicJwk(publicKey);
  return {
    kid: thumbprint(publicJwk),
    publicJwk,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
  };
}

/** Imports a private key that `generateSigningKey` exported. Throws `Error` when it does not belong to `kid`. */
export function importSigningKey(privateKey: Buffer, kid: string): KeyObject {
  const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
  if (thumbprint(toPublicJwk(createPublicKey(key))) !== kid) throw new Error(`not the private key of ${kid}`);
  return key;
}

/** RFC 7638 thumbprint: SHA-256 over the required members in lexicographic order. */
export function thumbprint({ crv, kty, x, y }: EcPublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

/** Signs `payload` (UTF-8) as a compact JWS. `header` adds protected members to `alg` and `kid`. */
export function signJws(
  payload: string,
  key: { kid: string; privateKey: KeyObject },
  header: Record<string, string> = {},
): string {
  const protectedHeader = encode(JSON.stringify({ alg: 'ES256', kid: key.kid, ...header }));
  const signed = `${protectedHeader}.${encode(payload)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Returns the payload of one of our own JWS without verifying it. Throws `Error` when it is not a compact JWS. */
export function payloadOf(jws: string): string {
  const [, payload] = jws.split('.');
  if (!payload) throw new Error('not a compact JWS');
  return Buffer.from(payload, 'base64url').toString('utf8');
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

function toPublicJwk(key: KeyObject): EcPublicJwk {
  const { crv, kty, x, y } = key.export({ format: 'jwk' });
  if (crv !== 'P-256' || kty !== 'EC' || !x || !y) throw new Error('not a key of P-256');
  return { crv, kty, x, y };
}
