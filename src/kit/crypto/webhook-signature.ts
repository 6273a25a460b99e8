import { createHmac, randomBytes, sign, timingSafeEqual } from 'node:crypto';
import { ed25519Key, ed25519Public, newEd25519Seed } from './ed25519';

const PREFIX = 'whsec_';

/** A new Standard Webhooks signing secret: `whsec_` + base64 of 32 random bytes. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

const KEY_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
const SEED_BYTES = 32;

/** A new Standard Webhooks key pair of Ed25519: `whsk_` + base64 of the seed and the public key. */
export function newSigningKey(): string {
  const seed = newEd25519Seed();
  return KEY_PREFIX + Buffer.concat([seed, publicBytes(seed)]).toString('base64');
}

/** The public part of a key pair, `whpk_…`, with which a receiver verifies and cannot sign. */
export function publicKeyOf(signingKey: string): string {
  return PUBLIC_PREFIX + publicBytes(seedOf(signingKey)).toString('base64');
}

const publicBytes = (seed: Buffer) => Buffer.from(ed25519Public(ed25519Key(seed)), 'base64url');
const seedOf = (signingKey: string) =>
  Buffer.from(signingKey.slice(KEY_PREFIX.length), 'base64').subarray(0, SEED_BYTES);

export type WebhookHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

const SECRET_FORM = /^whsec_(?=[^=]{22})(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** True for a signing secret with at least 16 bytes. Node decodes other text leniently, to keys that can be guessed. */
export const isSigningSecret = (secret: string): boolean => SECRET_FORM.test(secret);

/**
 * Signs a request by Standard Webhooks over `id.timestamp.body`: v1 (HMAC-SHA256) with a secret, v1a (Ed25519) with a
 * key pair. For v1 the `standardwebhooks` library gives the same bytes (tested beside this file), but hashes in
 * JavaScript and is 40 times slower for a 10 MiB body; it has no v1a.
 *
 * @param secret `whsec_…` or `whsk_…`; a list gives one signature for each, in order
 * @param timestampSeconds seconds since the epoch
 */
export function signWebhook(
  secret: string | readonly string[],
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
): WebhookHeaders {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const head = `${id}.${timestampSeconds}.`;
  const signatures = secrets.map((one) =>
    one.startsWith(KEY_PREFIX) ? `v1a,${ed25519(one, head, body)}` : `v1,${hmac(one, head, body)}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

/** What a receiver of a signed request has got of its headers. */
export type ReceivedHeaders = { [K in keyof WebhookHeaders]: string | undefined };

/**
 * Why a signed request is refused: a header is missing or malformed, its time is too far from now, or no signature is
 * by one of the secrets.
 */
export type WebhookRefusal = 'incomplete' | 'stale' | 'unmatched';

/** A request whose time differs by more from now may be a repetition of an old one. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;
const ID_FORM = /^[\x21-\x7e]{1,255}$/;
const TIME_FORM = /^[0-9]{1,12}$/;

/** Checks a request that was signed by Standard Webhooks v1. Returns undefined if one of the secrets signed it. */
export function refusedSignature(
  secrets: readonly string[],
  headers: ReceivedHeaders,
  body: Uint8Array,
  nowMs: number,
): WebhookRefusal | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given } = headers;
  if (id === undefined || time === undefined || given === undefined) return 'incomplete';
  if (!ID_FORM.test(id) || !TIME_FORM.test(time)) return 'incomplete';
  if (Math.abs(nowMs / 1_000 - Number(time)) > SIGNATURE_TOLERANCE_SECONDS) return 'stale';
  const signatures = given
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice('v1,'.length)));
  if (signatures.length === 0) return 'incomplete';
  const isSigned = secrets.some((secret) => {
    const expected = Buffer.from(hmac(secret, `${id}.${time}.`, body));
    return signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  return isSigned ? undefined : 'unmatched';
}

function hmac(secret: string, head: string, body: Uint8Array): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return createHmac('sha256', key).update(head).update(body).digest('base64');
}

function ed25519(signingKey: string, head: string, body: Uint8Array): string {
  return sign(null, Buffer.concat([Buffer.from(head), body]), ed25519Key(seedOf(signingKey))).toString(
    'base64',
  );
}
