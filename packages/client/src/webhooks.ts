import type { components } from './api-types.d.ts';

/** Headers of a request: those of fetch, or a plain object as Node and its frameworks have it. */
export type HeadersLike = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /**
   * The secret (`whsec_…`), or the public key of a webhook (`whpk_…`), or several while one replaces another. One right
   * signature is enough.
   */
  secret: string | readonly string[];
  /** The body exactly as it was received, before any parsing. */
  body: string | Uint8Array;
  headers: HeadersLike;
  /** How far the timestamp may be off; default 300 s. */
  toleranceSeconds?: number;
  /** Time of the check in epoch milliseconds; default now. */
  nowMs?: number;
}

/** The request does not come from the marketplace, or is too old. Answer it with 401 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** A verified request: its id, which is the same in every attempt, and its body. */
export interface VerifiedRequest<T> {
  id: string;
  timestamp: Date;
  body: T;
}

/** The body of an event that a webhook receives: `type` says which `data` it has. */
export type MarketEvent = components['schemas']['WebhookEvent'];

/** The body of the events of one type: `MarketEventOf<'credits.loaded'>`. */
export type MarketEventOf<T extends MarketEvent['type']> = Extract<MarketEvent, { type: T }>;

/**
 * Verifies a request that the marketplace signed by Standard Webhooks: an event of a webhook, or a call of your agent.
 * Throws `WebhookVerificationError` if the signature is missing or wrong, the timestamp is out of tolerance, or a
 * secret is not base64 of at least 16 bytes.
 */
export async function verifyWebhook<T = MarketEvent>(options: VerifyOptions): Promise<VerifiedRequest<T>> {
  const id = header(options.headers, 'webhook-id');
  const timestamp = header(options.headers, 'webhook-timestamp');
  const given = header(options.headers, 'webhook-signature');
  const seconds = Number(timestamp);
  const nowSeconds = (options.nowMs ?? Date.now()) / 1_000;
  if (!/^\d+$/.test(timestamp) || Math.abs(nowSeconds - seconds) > (options.toleranceSeconds ?? 300))
    throw new WebhookVerificationError('the timestamp is too far from the time of this machine');
  const encoder = new TextEncoder();
  const body = typeof options.body === 'string' ? encoder.encode(options.body) : options.body;
  const signed = concat(encoder.encode(`${id}.${timestamp}.`), body);
  const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret;
  const keys = await Promise.all(secrets.map(importKey));
  for (const { version, algorithm, key } of keys)
    for (const signature of signaturesOf(given, version))
      if (await crypto.subtle.verify(algorithm, key, signature, signed))
        return {
          id,
          timestamp: new Date(seconds * 1_000),
          body: JSON.parse(new TextDecoder().decode(body)) as T,
        };
  throw new WebhookVerificationError('no signature of the request is right');
}

function header(headers: HeadersLike, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : plainHeader(headers, name);
  if (typeof value !== 'string') throw new WebhookVerificationError(`the request has no header ${name}`);
  return value;
}

function plainHeader(headers: Record<string, string | string[] | undefined>, name: string): unknown {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  return found === undefined ? undefined : headers[found];
}

/** The signatures of one version in `webhook-signature`. */
function signaturesOf(given: string, version: 'v1' | 'v1a'): Uint8Array<ArrayBuffer>[] {
  return given
    .split(' ')
    .flatMap((part) => (part.startsWith(`${version},`) ? [bytesOf(part.slice(version.length + 1))] : []))
    .filter((bytes) => bytes !== undefined);
}

async function importKey(text: string) {
  const secret = text.trim();
  const isPublic = secret.startsWith('whpk_');
  const bytes = bytesOf(secret.replace(/^(?:whsec|whpk)_/, ''));
  if (
    bytes === undefined ||
    (isPublic ? bytes.length !== PUBLIC_KEY_BYTES : bytes.length < LEAST_SECRET_BYTES)
  )
    throw new WebhookVerificationError(
      'the secret is not one of the marketplace: pass it as whsec_… or whpk_… followed by base64, without quotes',
    );
  if (isPublic) {
    const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
    return { version: 'v1a', algorithm: 'Ed25519', key } as const;
  }
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  return { version: 'v1', algorithm: 'HMAC', key } as const;
}

const PUBLIC_KEY_BYTES = 32;
/** Shorter keys can be guessed, and an empty one is known to every caller. The marketplace's have 32 bytes. */
const LEAST_SECRET_BYTES = 16;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Decodes base64; undefined for text that is no base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  if (!BASE64.test(base64)) return undefined;
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
