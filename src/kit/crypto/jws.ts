/**
 * JSON Web Signatures as far as we make them: compact, ES256 (ECDSA on P-256 with SHA-256, signature r‖s), keys named
 * by their RFC 7638 thumbprint. Others verify them with any JOSE library.
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

/** A public key of P-256: the members that RFC 7638 hashes, nothing else. */
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

export async function generateSigningKey(): Promise<SigningKeyPair> {
  const { publicKey, privateKey } = await makeKeyPair('ec', { namedCurve: 'P-256' });
  const publicJwk = toPublicJwk(publicKey);
  return {
    kid: thumbprint(publicJwk),
    publicJwk,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
  };
}

/** Reads what `generateSigningKey` exported; throws unless it is the private half of `kid`. */
export function importSigningKey(privateKey: Buffer, kid: string): KeyObject {
  const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
  if (thumbprint(toPublicJwk(createPublicKey(key))) !== kid) throw new Error(`not the private key of ${kid}`);
  return key;
}

/** RFC 7638: SHA-256 over the required members in lexicographic order. */
export function thumbprint({ crv, kty, x, y }: EcPublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

/** Compact JWS over `payload` (UTF-8 text); `header` is protected and comes besides `alg` and `kid`. */
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

/** The payload of a JWS that we made ourselves; verifies nothing. */
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
