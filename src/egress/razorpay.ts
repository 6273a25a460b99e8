/**
 * Client for the payment links of Razorpay. A payment link creates the order and hosts the payment page. Its
 * `reference_id` is unique at the provider, so creating a link is idempotent.
 */
import type { Egress } from './agent-call';
import { EgressError } from './egress-error';
import { isRecord } from '../domain/json-value';

export interface RazorpaySettings {
  /** Origin of the API, such as `https://api.razorpay.com`. */
  apiUrl: string;
  keyId: string;
  keySecret: string;
}

export interface PaymentLinkRequest {
  /** The service's own reference; at most 40 characters. */
  referenceId: string;
  amountMinor: number;
  currency: string;
  description: string;
}

export interface PaymentLink {
  linkId: string;
  /** URL of the hosted payment page. */
  url: string;
}

const DEADLINE_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;

/** Creates a client. Throws `EgressError` unless the provider returns a link with exactly the requested terms. */
export function createRazorpay(egress: Egress, settings: RazorpaySettings) {
  const { apiUrl, keyId, keySecret } = settings;
  const authorization = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`;

  function call(method: 'GET' | 'POST', path: string, json?: unknown, headers = {}) {
    return egress.json({
      url: `${apiUrl}${path}`,
      method,
      headers: { ...headers, authorization },
      json,
      deadlineMs: Date.now() + DEADLINE_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
  }

  return {
    /** Creates the link, or returns the link that an earlier attempt with the same reference created. */
    async paymentLink(request: PaymentLinkRequest): Promise<PaymentLink> {
      const answer = await call('POST', '/v1/payment_links', {
        amount: request.amountMinor,
        currency: request.currency,
        accept_partial: false,
        reference_id: request.referenceId,
        description: request.description,
        notify: { sms: false, email: false },
        reminder_enable: false,
        notes: { topup_id: request.referenceId },
      });
      if (answer.status === 200) return linkOf(answer.value, request);
      if (answer.status !== 400) throw refused(answer.status);
      // The provider also responds with 400 to a reference that was used before.
      const query = new URLSearchParams({ reference_id: request.referenceId });
      const earlier = await call('GET', `/v1/payment_links?${query.toString()}`);
      const links = isRecord(earlier.value) ? earlier.value['payment_links'] : undefined;
      const [link] = Array.isArray(links) ? (links as unknown[]) : [];
      if (earlier.status !== 200 || link === undefined) throw refused(answer.status);
      return linkOf(link, request);
    },

    /** Sends money of a payment back. The same `key`, of at least 10 letters, digits and hyphens, sends it once. */
    async refund(paymentId: string, amountMinor: number, key: string): Promise<void> {
      const path = `/v1/payments/${encodeURIComponent(paymentId)}/refund`;
      const answer = await call(
        'POST',
        path,
        { amount: amountMinor, speed: 'normal' },
        { 'x-refund-idempotency': key },
      );
      if (answer.status !== 200) throw refused(answer.status);
    },
  };
}

export type Razorpay = ReturnType<typeof createRazorpay>;

function refused(status: number): EgressError {
  return new EgressError('bad_response', `the payment provider responded with status ${status}`);
}

function linkOf(value: unknown, request: PaymentLinkRequest): PaymentLink {
  const { id, short_url: url, amount, currency, reference_id } = isRecord(value) ? value : {};
  const isOurs =
    amount === request.amountMinor && currency === request.currency && reference_id === request.referenceId;
  if (!isOurs || typeof id !== 'string' || typeof url !== 'string' || !/^https:\/\/\S{1,1900}$/.test(url)) {
    throw new EgressError(
      'bad_response',
      'the payment provider did not return a payment link with the requested terms',
    );
  }
  return { linkId: id, url };
}
