/**
 * Verifies the signatures of A2A agent cards: detached JWS over the canonical JSON (RFC 8785) of the card without
 * `signatures`. The standard contradicts itself about members that have their default, so each of its readings counts:
 * the card as it is, without empty members, and also without `false`.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { asRecord, isRecord } from '../../../domain/json-value';
import { canonicalJson } from '../../../kit/json/canonical-json';
import { parseStrictJson } from '../../../kit/json/strict-json';

export interface CardSignature {
  alg: string;
  kid: string;
  /** Where its key is, as the card says. */
  jku: string | null;
  protectedHeader: string;
  signature: Buffer;
}

const MOST_SIGNATURES = 8;
const BASE64URL = /^[A-Za-z0-9_-]{1,4096}$/;

/** The signatures of a card that can be read. */
export function signaturesOf(card: Record<string, unknown>): CardSignature[] {
  const { signatures } = card;
  if (!Array.isArray(signatures)) return [];
  return signatures.slice(0, MOST_SIGNATURES).flatMap((each) => {
    const { protected: head, signature } = asRecord(each);
    if (typeof head !== 'string' || typeof signature !== 'string') return [];
    if (!BASE64URL.test(head) || !BASE64URL.test(signature)) return [];
    const { alg, kid, jku, crit } = asRecord(parsed(head));
    if (typeof alg !== 'string' || typeof kid !== 'string' || crit !== undefined) return [];
    const where = typeof jku === 'string' ? jku : null;
    return [{ alg, kid, jku: where, protectedHeader: head, signature: Buffer.from(signature, 'base64url') }];
  });
}

/** True when one of the keys with the signature's id has made it. */
export function isCardSignedBy(
  card: Record<string, unknown>,
  { alg, kid, protectedHeader, signature }: CardSignature,
  keys: readonly unknown[],
): boolean {
  const texts = readingsOf(card).map((text) =>
    Buffer.from(`${protectedHeader}.${Buffer.from(text).toString('base64url')}`),
  );
  return keys
    .filter((key) => asRecord(key)['kid'] === kid)
    .some((jwk) => {
      const key = keyOf(jwk);
      return key !== undefined && texts.some((text) => isSigned(alg, key, text, signature));
    });
}

function isSigned(alg: string, key: KeyObject, text: Buffer, signature: Buffer): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (alg === 'ES256' && type === 'ec' && details?.namedCurve === 'prime256v1')
    return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature);
  if (alg === 'RS256' && type === 'rsa') return verify('sha256', text, key, signature);
  return alg === 'EdDSA' && type === 'ed25519' && verify(null, text, key, signature);
}

function readingsOf({ signatures: _, ...card }: Record<string, unknown>): string[] {
  const readings = [
    card,
    without(isEmpty, card),
    without((value) => isEmpty(value) || value === false, card),
  ];
  return [...new Set(readings.map((reading) => canonicalJson(reading ?? {})))];
}

const isEmpty = (value: unknown) => value === '' || value === null || value === undefined;

/** The value without the members and items that are to go, and without what is empty then; undefined if it is. */
function without(isGone: (value: unknown) => boolean, value: unknown): unknown {
  if (isGone(value)) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => without(isGone, item)).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const kept = without(isGone, member);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

function keyOf(jwk: unknown): KeyObject | undefined {
  try {
    return createPublicKey({ key: asRecord(jwk), format: 'jwk' });
  } catch {
    return undefined;
  }
}

function parsed(part: string): unknown {
  try {
    return parseStrictJson(Buffer.from(part, 'base64url')).value;
  } catch {
    return undefined;
  }
}
