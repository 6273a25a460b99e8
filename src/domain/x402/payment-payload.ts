/**
 * The payment of a caller without an account, in the form of x402 version 2 (scheme `exact` on EVM chains, by
 * EIP-3009). Everything that can be decided without a network or a database is decided here.
 */
import { isRecord } from '../json-value';

/** What a payment must be, as the 402 answer asks for it. */
export interface ExactTerms {
  /** CAIP-2 id of the chain. */
  network: string;
  /** Address of the token, and of the receiver. */
  asset: string;
  payTo: string;
  /** In the smallest unit of the token. */
  amountMinor: number;
  /** How long an authorization must be valid at least, in seconds. */
  leastSeconds: number;
}

/** The terms that the payer has signed (EIP-3009). Numbers are decimal text. */
export interface SignedTerms {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
}

/** A payment whose terms fit. Its signature is not verified yet. */
export interface PresentedPayment {
  authorization: SignedTerms;
  /** Hexadecimal. */
  signature: string;
  /** The id of the extension `payment-identifier`; null without one. */
  identifier: string | null;
}

/** Why a payment does not fit. `malformed`: it is no payment of x402 version 2. */
export interface PaymentFlaw {
  malformed: boolean;
  message: string;
}

/** A longer authorization could be used long after its call. */
export const MOST_VALID_SECONDS = 7_200;
/** Clocks of payers may be ahead by so much. */
const CLOCK_SECONDS = 60;
/** Signatures of contract accounts are longer than those of keys. */
const MOST_SIGNATURE_CHARACTERS = 4_096;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const WORD = /^0x[0-9a-fA-F]{64}$/;
const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/;
const HEX = /^0x(?:[0-9a-fA-F]{2})+$/;
const IDENTIFIER = /^[a-zA-Z0-9_-]{16,128}$/;

/** Reads a payment and compares it with the terms. `nowSeconds`: since the epoch. */
export function readPayment(
  value: unknown,
  terms: ExactTerms,
  nowSeconds: number,
): { payment: PresentedPayment } | { flaw: PaymentFlaw } {
  const shape = shapeOf(value);
  if (typeof shape === 'string') return { flaw: { malformed: true, message: shape } };
  const message = mismatchOf(shape, terms) ?? outOfTime(shape.authorization, terms, nowSeconds);
  if (message !== undefined) return { flaw: { malformed: false, message } };
  const { authorization, signature, identifier } = shape;
  return { payment: { authorization, signature, identifier } };
}

interface Shape extends PresentedPayment {
  accepted: Record<string, unknown>;
}

/** The members of a payment; a sentence about the first that is missing or of another form. */
function shapeOf(value: unknown): Shape | string {
  if (!isRecord(value)) return 'The payment is no JSON object.';
  if (value['x402Version'] !== 2) return 'x402Version must be 2.';
  const { accepted, payload } = value;
  if (!isRecord(accepted)) return 'accepted must be the requirement that is paid.';
  if (!isRecord(payload)) return 'payload must have a signature and an authorization.';
  const { authorization, signature } = payload;
  if (typeof signature !== 'string' || !HEX.test(signature) || signature.length > MOST_SIGNATURE_CHARACTERS)
    return `payload.signature must be hexadecimal, of at most ${MOST_SIGNATURE_CHARACTERS} characters.`;
  const signed = signedTermsOf(authorization);
  if (typeof signed === 'string') return signed;
  const identifier = identifierOf(value['extensions']);
  if (identifier === undefined)
    return 'The id of payment-identifier takes 16 to 128 letters, digits, hyphens and underscores.';
  return { accepted, authorization: signed, signature: signature.toLowerCase(), identifier };
}

const FIELDS = {
  from: ADDRESS,
  to: ADDRESS,
  value: DECIMAL,
  validAfter: DECIMAL,
  validBefore: DECIMAL,
  nonce: WORD,
} as const satisfies Record<keyof SignedTerms, RegExp>;

function signedTermsOf(authorization: unknown): SignedTerms | string {
  if (!isRecord(authorization))
    return 'payload.authorization is missing: only transfers by EIP-3009 are accepted.';
  const terms: Partial<SignedTerms> = {};
  for (const [name, pattern] of Object.entries(FIELDS) as [keyof SignedTerms, RegExp][]) {
    const field = authorization[name];
    if (typeof field !== 'string' || !pattern.test(field))
      return `payload.authorization.${name} is missing or not of its form.`;
    terms[name] = field;
  }
  return { ...(terms as SignedTerms), nonce: (terms.nonce ?? '').toLowerCase() };
}

/** The id of the extension; null without one, undefined for one of another form. */
function identifierOf(extensions: unknown): string | null | undefined {
  const extension = isRecord(extensions) ? extensions['payment-identifier'] : undefined;
  const info = isRecord(extension) ? extension['info'] : undefined;
  const id = isRecord(info) ? info['id'] : undefined;
  if (id === undefined) return null;
  return typeof id === 'string' && IDENTIFIER.test(id) ? id : undefined;
}

/** A sentence about the first term that the caller did not accept as it is asked for. */
function mismatchOf({ accepted, authorization: signed }: Shape, terms: ExactTerms): string | undefined {
  const amount = String(terms.amountMinor);
  if (accepted['scheme'] !== 'exact') return 'The scheme must be exact.';
  if (accepted['network'] !== terms.network) return `The network must be ${terms.network}.`;
  if (!isSame(accepted['asset'], terms.asset)) return `The asset must be ${terms.asset}.`;
  if (!isSame(accepted['payTo'], terms.payTo) || !isSame(signed.to, terms.payTo))
    return `The payment must go to ${terms.payTo}.`;
  if (accepted['amount'] !== amount || signed.value !== amount)
    return `The amount must be ${amount}; prices may have changed since the last 402.`;
  return undefined;
}

function isSame(given: unknown, address: string): boolean {
  return typeof given === 'string' && given.toLowerCase() === address.toLowerCase();
}

function outOfTime(
  { validAfter, validBefore }: SignedTerms,
  { leastSeconds }: ExactTerms,
  nowSeconds: number,
): string | undefined {
  const endsIn = Number(validBefore) - nowSeconds;
  if (Number(validAfter) > nowSeconds + CLOCK_SECONDS) return 'The authorization is not valid yet.';
  if (endsIn <= 0) return 'The authorization has expired.';
  if (endsIn < leastSeconds)
    return `The authorization ends in ${endsIn} seconds; it must be valid for ${leastSeconds} more.`;
  if (endsIn > MOST_VALID_SECONDS)
    return `The authorization is valid for ${endsIn} seconds; the most is ${MOST_VALID_SECONDS}.`;
  return undefined;
}
