/**
 * Client for Stripe, by its official library: payment pages (Checkout), payments with saved methods, refunds, and the
 * signatures of events. The library sends its requests through the egress client, so the URL rules, the pinned
 * connection, the deadline and the size limit hold for them too.
 */
import Stripe from 'stripe';
import { parsedUrl } from '../kit/parsed-url';
import { declineReason } from '../kit/rails/stripe-event';
import type { Egress } from './agent-call';
import { collect } from './answer';
import { EgressError } from './egress-error';
import { framingHeaderIn } from './header-rules';
import { StartRefusal } from '../kit/start-refusal';

export interface StripeSettings {
  /** Origin of the API, such as `https://api.stripe.com`. */
  apiUrl: string;
  secretKey: string;
}

/** What is paid, and under which top-up; its id is the key that makes each request idempotent. */
export interface StripePayment {
  topupId: string;
  amountMinor: number;
  currency: string;
  description: string;
}

export interface CheckoutRequest extends StripePayment {
  /** Page that the payer returns to. */
  returnUrl: string;
  /** Whether the method is saved for later payments, and for which customer if there is one. */
  saves: boolean;
  customerRef: string | null;
}

/** A payment with a saved method: on its way, or refused with a code such as `card_declined`. */
export type ChargeAnswer =
  | { status: 'pending'; paymentId: string }
  | { status: 'declined'; reason: string }
  | { status: 'method_ended' };

const DEADLINE_MS = 10_000;
const MAX_ANSWER_BYTES = 512 * 1024;
/** Seconds that the time of a signature may lie behind. Stripe signs each attempt anew. */
const TOLERANCE_SECONDS = 300;

/** Creates a client. Its functions throw `EgressError` when Stripe does not answer, or not as expected. */
export function createStripe(egress: Egress, { apiUrl, secretKey }: StripeSettings) {
  const url = parsedUrl(apiUrl);
  if (url?.protocol !== 'https:') throw new StartRefusal('STRIPE_API_URL must be an https:// URL');
  const stripe = new Stripe(secretKey, {
    host: url.hostname,
    port: url.port || 443,
    protocol: 'https',
    httpClient: Stripe.createFetchHttpClient(fetchThrough(egress)),
    maxNetworkRetries: 0,
    timeout: DEADLINE_MS,
    telemetry: false,
  });
  return { ...paymentsOf(stripe), ...methodsOf(stripe) };
}

export type StripeClient = ReturnType<typeof createStripe>;

function paymentsOf(stripe: Stripe) {
  return {
    /** Makes a payment page, or returns the one that an earlier attempt with the same top-up made. */
    checkout: (request: CheckoutRequest) => checkout(stripe, request),

    /** Pays with a saved method while the payer is away. */
    async charge(
      { topupId, amountMinor, currency, description }: StripePayment,
      { customerRef, methodRef }: { customerRef: string; methodRef: string },
    ): Promise<ChargeAnswer> {
      try {
        const { id } = await answerOf(() =>
          stripe.paymentIntents.create(
            {
              amount: amountMinor,
              currency: currency.toLowerCase(),
              customer: customerRef,
              payment_method: methodRef,
              off_session: true,
              confirm: true,
              description,
              metadata: { topup_id: topupId },
            },
            { idempotencyKey: `topup/${topupId}` },
          ),
        );
        if (!isId(id)) throw strange();
        return { status: 'pending', paymentId: id };
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal) return refusal;
        throw error;
      }
    },

    /** Sends money of a payment back. The same `key` sends it once. */
    async refund(paymentId: string, amountMinor: number, key: string): Promise<void> {
      await answerOf(() =>
        stripe.refunds.create(
          { payment_intent: paymentId, amount: amountMinor },
          { idempotencyKey: `refund/${key}` },
        ),
      );
    },
  };
}

async function checkout(
  stripe: Stripe,
  request: CheckoutRequest,
): Promise<{ sessionId: string; url: string }> {
  const { topupId, amountMinor, currency, description, returnUrl, saves, customerRef } = request;
  const metadata = { topup_id: topupId };
  const price = {
    currency: currency.toLowerCase(),
    unit_amount: amountMinor,
    product_data: { name: description },
  };
  const session = await answerOf(() =>
    stripe.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: topupId,
        line_items: [{ quantity: 1, price_data: price }],
        metadata,
        payment_intent_data: {
          metadata,
          description,
          ...(saves && { setup_future_usage: 'off_session' as const }),
        },
        adaptive_pricing: { enabled: false },
        ...(saves && customerRef === null && { customer_creation: 'always' as const }),
        ...(saves && customerRef !== null && { customer: customerRef }),
        success_url: returnUrl,
        cancel_url: returnUrl,
      },
      { idempotencyKey: `topup/${topupId}` },
    ),
  );
  const { id, url, amount_total: total, currency: given } = session;
  const isOurs = total === amountMinor && given === price.currency;
  if (!isOurs || !isId(id) || typeof url !== 'string' || !/^https:\/\/\S{1,1900}$/.test(url)) throw strange();
  return { sessionId: id, url };
}

function methodsOf(stripe: Stripe) {
  return {
    /** What people know a method by, such as `visa •••• 4242`. */
    async methodFacts(methodRef: string): Promise<{ label: string; fingerprint: string | null }> {
      const { type, card } = await answerOf(() => stripe.paymentMethods.retrieve(methodRef));
      const brand = card?.brand ?? type;
      const name = /^[a-z0-9_]{1,40}$/.test(brand) ? brand.replaceAll('_', ' ') : 'Payment method';
      const fingerprint = card?.fingerprint ?? '';
      return {
        label: card && /^\d{4}$/.test(card.last4) ? `${name} •••• ${card.last4}` : name,
        fingerprint: /^[A-Za-z0-9]{8,100}$/.test(fingerprint) ? fingerprint : null,
      };
    },

    /** Makes a method unusable. One that is unusable already stays so. */
    async detach(methodRef: string): Promise<void> {
      try {
        await answerOf(() => stripe.paymentMethods.detach(methodRef));
      } catch (error) {
        if (!(error instanceof EgressError && error.cause instanceof Stripe.errors.StripeInvalidRequestError))
          throw error;
      }
    },
  };
}

/** True when `header` has a signature of the raw body under one of the secrets, made within the last five minutes. */
export function isStripeSignature(
  body: Buffer,
  header: string | undefined,
  secrets: readonly string[],
): boolean {
  if (header === undefined) return false;
  return secrets.some((secret) => {
    try {
      return Stripe.webhooks.signature?.verifyHeader(body, header, secret, TOLERANCE_SECONDS) ?? false;
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
      throw error;
    }
  });
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^\w{1,200}$/.test(value);

/** Runs a request. Errors of the library become `EgressError`, whose message contains no text of the answer. */
async function answerOf<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const why = `${error.type} ${String(error.statusCode ?? '')}`.trim();
    throw new EgressError('bad_response', `Stripe did not carry out the request: ${why}`, undefined, {
      cause: error,
    });
  }
}

/** What a refused payment means for its saved method; undefined if it is not known whether money moves. */
function refusalOf(error: unknown): ChargeAnswer | undefined {
  const cause = error instanceof EgressError ? error.cause : undefined;
  if (cause instanceof Stripe.errors.StripeCardError)
    return { status: 'declined', reason: declineReason(cause.decline_code ?? cause.code) };
  if (!(cause instanceof Stripe.errors.StripeInvalidRequestError)) return undefined;
  const isGone =
    cause.param === 'payment_method' || cause.param === 'customer' || cause.code === 'resource_missing';
  return isGone ? { status: 'method_ended' } : { status: 'declined', reason: declineReason(cause.code) };
}

function strange(): EgressError {
  return new EgressError('bad_response', 'the answer of Stripe does not have the requested terms');
}

/** Headers of answers that the library reads. */
const READ_HEADERS = ['content-type', 'request-id', 'retry-after', 'stripe-version', 'stripe-should-retry'];

/** The function `fetch` for the library, by the egress client. It follows no redirects. */
function fetchThrough(egress: Egress) {
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = [...new Headers(init.headers)].filter(([name]) => !framingHeaderIn({ [name]: '' }));
    const text = typeof init.body === 'string' ? init.body : '';
    const isGet = init.method === 'GET';
    const answer = await egress.open({
      url: input instanceof Request ? input.url : input.toString(),
      method: isGet ? 'GET' : 'POST',
      headers: Object.fromEntries(headers),
      body: isGet ? undefined : Buffer.from(text),
      deadlineMs: Date.now() + DEADLINE_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    const bytes = await collect(answer.body);
    const read = READ_HEADERS.flatMap((name) => {
      const value = answer.header(name);
      return value === undefined ? [] : [[name, value] as [string, string]];
    });
    return new Response(new Uint8Array(bytes), { status: answer.status, headers: read });
  };
}
