/**
 * Compact JWS of strangers: taken apart strictly and verified with a key that the caller knows, ES256 only. A key,
 * a URL of keys or a certificate in the header is refused, never used; so are extensions (`crit`).
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { EcPublicJwk } from './jws';
import { parseStrictJson } from '../json/strict-json';

export interface CompactJws {
  /** `alg`, `typ`, and `kid` when there is one; nothing else may be in it. */
  header: { alg: 'ES256'; typ: string; kid: string | null };
  /** Strictly parsed JSON; anybody's until the signature was verified. */
  claims: unknown;
  /** What is signed: the first two parts with their dot. */
  signed: string;
  signature: Buffer;
}

/** header, payload, and 64 bytes of signature, in base64url without padding. */
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;

/** The parts of a compact JWS, or undefined when it is not one that we would verify. */
export function parseJws(text: string): CompactJws | undefined {
  const [, head, payload, signature] = COMPACT.exec(text) ?? [];
  if (head === undefined || payload === undefined || signature === undefined) return undefined;
  const header = readHeader(parseJson(head));
  const claims = parseJson(payload);
  if (!header || claims === undefined) return undefined;
  return { header, claims, signed: `${head}.${payload}`, signature: Buffer.from(signature, 'base64url') };
}

/** The key of a P-256 JWK; undefined when its coordinates are no point of the curve. */
export function publicKeyOf(jwk: EcPublicJwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** True when this key made the signature (r‖s, SHA-256). */
export function isSignedBy(jws: CompactJws, jwk: EcPublicJwk): boolean {
  const key = publicKeyOf(jwk);
  return (
    key !== undefined &&
    verify('sha256', Buffer.from(jws.signed), { key, dsaEncoding: 'ieee-p1363' }, jws.signature)
  );
}

function readHeader(value: unknown): CompactJws['header'] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { alg, typ, kid, ...rest } = value as Record<string, unknown>;
  if (alg !== 'ES256' || typeof typ !== 'string' || Object.keys(rest).length > 0) return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  return { alg, typ, kid: kid ?? null };
}

function parseJson(part: string): unknown {
  try {
    return parseStrictJson(Buffer.from(part, 'base64url')).value;
  } catch {
    return undefined;
  }
}
