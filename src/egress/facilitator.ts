/**
 * A facilitator of x402 version 2 (`exact` on EVM chains): it checks a signed authorization and brings it onto the chain
 * at its own cost. What it says is a hint; what happened, the chain says.
 */
import type { Authorization } from '../kit/crypto/usdc-authorization';
import type { Egress } from './agent-call';
import { EgressError } from './egress-error';

export interface FacilitatorSettings {
  /** Without a slash at the end. */
  url: string;
  /** Sent as a bearer token; empty: none. */
  token: string;
}

/** A payment as the treasury signs it. */
export interface SignedPayment {
  /** CAIP-2, such as `eip155:8453`. */
  network: string;
  asset: string;
  /** Name and version of the token, as it signs with them. */
  assetName: string;
  assetVersion: string;
  validSeconds: number;
  authorization: Authorization;
  signature: string;
  /** What is paid, for people who look at the facilitator's log. */
  resource: { url: string; description: string };
}

/** A reason is the facilitator's code, cut short. */
export type Verdict = { isValid: true } | { isValid: false; reason: string };

/** `transaction`: where it is, or may be, on the chain. */
export type Settlement =
  | { success: true; transaction: string | null }
  | { success: false; reason: string; transaction: string | null };

const VERIFY_DEADLINE_MS = 15_000;
/** It may wait for a block. */
const SETTLE_DEADLINE_MS = 45_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** Throws `EgressError` when the facilitator does not answer, or with something else. */
export function createFacilitator(egress: Egress, { url, token }: FacilitatorSettings) {
  async function post(path: string, payment: SignedPayment, deadlineMs: number) {
    const { value } = await egress.json({
      url: `${url}${path}`,
      headers: token ? { authorization: `Bearer ${token}` } : {},
      json: bodyOf(payment),
      deadlineMs: Date.now() + deadlineMs,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  }

  return {
    /** Whether it would settle; nothing is moved. */
    async verify(payment: SignedPayment): Promise<Verdict> {
      const { isValid, invalidReason } = await post('/verify', payment, VERIFY_DEADLINE_MS);
      if (typeof isValid !== 'boolean') throw strange('/verify');
      return isValid ? { isValid } : { isValid, reason: codeOf(invalidReason) };
    },

    /** Moves the money. After a failure it may have moved all the same. */
    async settle(payment: SignedPayment): Promise<Settlement> {
      const answer = await post('/settle', payment, SETTLE_DEADLINE_MS);
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
  const { network, asset, assetName, assetVersion, authorization, signature, resource } = payment;
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
    },
    paymentRequirements: requirements,
  };
}

function codeOf(reason: unknown): string {
  return typeof reason === 'string' && /^[\w.-]{1,80}$/.test(reason) ? reason : 'unnamed';
}

function strange(path: string): EgressError {
  return new EgressError('bad_response', `the facilitator's answer to ${path} is not of x402`);
}
