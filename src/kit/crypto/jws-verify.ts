/**
 * Parses and verifies untrusted compact JWS (ES256 only) with a key that the caller supplies. A header that contains
 * a key, a key URL, a certificate or extensions (`crit`) is refused.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { EcPublicJwk } from './jws';
import { parseStrictJson } from '../json/strict-json';
import { isRecord } from '../../domain/json-value';

export interface CompactJws {
  /** The protected header: `alg`, `typ` and an optional `kid`. `cty` is ignored; all other members are refused. */
  header: { alg: 'ES256'; typ: string; kid: string | null };
  /** Strictly parsed JSON. Untrusted until the signature is verified. */
  claims: unknown;
  /** The signed text: header and payload with the dot between them. */
  signed: string;
  signature: Buffer;
}

/** Header, payload and a 64-byte signature in base64url without padding. */
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;

/** Splits a compact JWS. Returns undefined when it is malformed or of an unsupported kind. */
export function parseJws(text: string): CompactJws | undefined {
  const [, head, payload, signature] = COMPACT.exec(text) ?? [];
  if (head === undefined || payload === undefined || signature === undefined) return undefined;
  const header = readHeader(parseJson(head));
  const claims = parseJson(payload);
  if (!header || claims === undefined) return undefined;
  return { header, claims, signed: `${head}.${payload}`, signature: Buffer.from(signature, 'base64url') };
}

/** Imports a P-256 JWK. Returns undefined when its coordinates are not a point on the curve. */
export function publicKeyOf(jwk: EcPublicJwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** True when the signature (r‖s, SHA-256) was made with this key. */
export function isSignedBy(jws: CompactJws, jwk: EcPublicJwk): boolean {
  const key = publicKeyOf(jwk);
  return (
    key !== undefined &&
    verify('sha256', Buffer.from(jws.signed), { key, dsaEncoding: 'ieee-p1363' }, jws.signature)
  );
}

function readHeader(value: unknown): CompactJws['header'] | undefined {
  if (!isRecord(value)) return undefined;
  const { alg, typ, kid, cty, ...rest } = value;
  if (alg !== 'ES256' || typeof typ !== 'string' || Object.keys(rest).length > 0) return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  if (cty !== undefined && typeof cty !== 'string') return undefined;
  return { alg, typ, kid: kid ?? null };
}

function parseJson(part: string): unknown {
  try {
    return parseStrictJson(Buffer.from(part, 'base64url')).value;
  } catch {
    return undefined;
  }
}
