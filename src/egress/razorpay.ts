/**
 * The payment provider Razorpay, as far as we call it: payment links. A link makes the order and has the hosted page
 * where the payer pays; its `reference_id` is unique at the provider, which makes creating it safe to repeat.
 */
import type { Egress } from './agent-call';
import { EgressError } from './egress-error';

export interface RazorpaySettings {
  /** Origin of the API, such as `https://api.razorpay.com`. */
  apiUrl: string;
  keyId: string;
  keySecret: string;
}

export interface PaymentLinkRequest {
  /** Ours, at most 40 characters. */
  referenceId: string;
  amountMinor: number;
  currency: string;
  description: string;
}

export interface PaymentLink {
  linkId: string;
  /** The hosted page. */
  url: string;
}

const DEADLINE_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;

/** Throws `EgressError` for everything but a link of exactly these terms. */
export function createRazorpay(egress: Egress, settings: RazorpaySettings) {
  const { apiUrl, keyId, keySecret } = settings;
  const authorization = `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`;

  function call(method: 'GET' | 'POST', path: string, json?: unknown) {
    return egress.json({
      url: `${apiUrl}${path}`,
      method,
      headers: { authorization },
      json,
      deadlineMs: Date.now() + DEADLINE_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
  }

  return {
    /** Makes the link, or finds the one that an earlier attempt with this reference made. */
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
      // 400 is also what a reference that was used before gets
      const query = new URLSearchParams({ reference_id: request.referenceId });
      const earlier = await call('GET', `/v1/payment_links?${query.toString()}`);
      const links = isRecord(earlier.value) ? earlier.value['payment_links'] : undefined;
      const [link] = Array.isArray(links) ? (links as unknown[]) : [];
      if (earlier.status !== 200 || link === undefined) throw refused(answer.status);
      return linkOf(link, request);
    },
  };
}

export type Razorpay = ReturnType<typeof createRazorpay>;

function refused(status: number): EgressError {
  return new EgressError('bad_response', `the payment provider answered ${status}`);
}

function linkOf(value: unknown, request: PaymentLinkRequest): PaymentLink {
  const { id, short_url: url, amount, currency, reference_id } = isRecord(value) ? value : {};
  const isOurs =
    amount === request.amountMinor && currency === request.currency && reference_id === request.referenceId;
  if (!isOurs || typeof id !== 'string' || typeof url !== 'string' || !/^https:\/\/\S{1,1900}$/.test(url)) {
    throw new EgressError(
      'bad_response',
      'the payment provider answered with no payment link of these terms',
    );
  }
  return { linkId: id, url };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
