/**
 * Client for an x402 version 2 facilitator (`exact` on EVM chains), which verifies a signed authorization and submits
 * it to the chain at its own cost. Its responses are hints only; the chain is authoritative.
 */
import type { Authorization } from '../kit/crypto/usdc-authorization';
import type { Egress } from './agent-call';
import { EgressError } from './egress-error';
import { asRecord } from '../domain/json-value';

export interface FacilitatorSettings {
  /** Base URL without a trailing slash. */
  url: string;
  /** Bearer token; empty for none. */
  token: string;
}

/** A signed payment: of the treasury, or of a payer to the marketplace. */
export interface SignedPayment {
  /** CAIP-2 chain id, such as `eip155:8453`. */
  network: string;
  asset: string;
  /** Name and version of the token's EIP-712 domain. */
  assetName: string;
  assetVersion: string;
  validSeconds: number;
  authorization: Authorization;
  signature: string;
  /** Purpose of the payment, for people who read the facilitator's log. */
  resource: { url: string; description: string };
  /** Extensions of x402, such as what an index of services may list. */
  extensions?: Record<string, unknown>;
}

/** Result of a verification. `reason` is the facilitator's code, validated. */
export type Verdict = { isValid: true } | { isValid: false; reason: string };

/** Times that a caller waits for a facilitator, in ms. */
export interface FacilitatorDeadlines {
  verifyMs?: number;
  settleMs?: number;
}

/** Result of a settlement. `transaction` is the hash of the transaction that is, or may be, on the chain. */
export type Settlement =
  | { success: true; transaction: string | null }
  | { success: false; reason: string; transaction: string | null };

const VERIFY_DEADLINE_MS = 15_000;
/** Longer, because a facilitator may wait for a block. */
const SETTLE_DEADLINE_MS = 45_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** Creates a client. Throws `EgressError` when the facilitator does not respond, or not in x402 form. */
export function createFacilitator(
  egress: Egress,
  { url, token }: FacilitatorSettings,
  { verifyMs = VERIFY_DEADLINE_MS, settleMs = SETTLE_DEADLINE_MS }: FacilitatorDeadlines = {},
) {
  async function post(path: string, payment: SignedPayment, deadlineMs: number) {
    const { value } = await egress.json({
      url: `${url}${path}`,
      headers: token ? { authorization: `Bearer ${token}` } : {},
      json: bodyOf(payment),
      deadlineMs: Date.now() + deadlineMs,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    return asRecord(value);
  }

  return {
    /** Asks whether the facilitator would settle the payment. Moves no money. */
    async verify(payment: SignedPayment): Promise<Verdict> {
      const { isValid, invalidReason } = await post('/verify', payment, verifyMs);
      if (typeof isValid !== 'boolean') throw strange('/verify');
      return isValid ? { isValid } : { isValid, reason: codeOf(invalidReason) };
    },

    /** Settles the payment. After a failure the money may have moved anyway. */
    async settle(payment: SignedPayment): Promise<Settlement> {
      const answer = await post('/settle', payment, settleMs);
      const { success, errorReason } = answer;
      if (typeof success !== 'boolean') throw strange('/settle');
      const hash = answer['transaction'];
      const transaction = typeof hash === 'string' && HASH.test(hash) ? hash.toLowerCase() : null;
      return success ? { success, transaction } : { success, reason: codeOf(errorReason), transaction };
    },
  };
}

export type Facilitator = ReturnType<typeof createFacilitator>;

function bodyOf(payment: SignedPayment) {
  const { network, asset, assetName, assetVersion, authorization, signature, resource, extensions } = payment;
  const requirements = {
    scheme: 'exact',
    network,
    amount: authorization.value,
    asset,
    payTo: authorization.to,
    maxTimeoutSeconds: payment.validSeconds,
    extra: { name: assetName, version: assetVersion },
  };
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource: { ...resource, mimeType: 'application/json' },
      accepted: requirements,
      payload: { signature, authorization },
      ...(extensions && { extensions }),
    },
    paymentRequirements: requirements,
  };
}

function codeOf(reason: unknown): string {
  return typeof reason === 'string' && /^[\w.-]{1,80}$/.test(reason) ? reason : 'unnamed';
}

function strange(path: string): EgressError {
  return new EgressError('bad_response', `the facilitator's response to ${path} is not valid x402`);
}
