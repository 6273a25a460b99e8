/**
 * Stripe as its documentation describes it: payment pages, payment intents with saved methods, refunds, keys of
 * idempotency whose parameters may not change, form bodies over HTTPS with a Bearer key, and signed events.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificates } from '../agents/authority';

export const STRIPE = { secretKey: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc', webhookSecret: 'whsec_test_secret' };

/** Environment of a market with Stripe at this address. */
export const stripeEnv = (url: string, routes = 'stripe') => ({
  PAYMENT_PROVIDER: routes,
  STRIPE_API_URL: url,
  STRIPE_SECRET_KEY: STRIPE.secretKey,
  STRIPE_WEBHOOK_SECRETS: STRIPE.webhookSecret,
});

export interface StripeSession {
  id: string;
  url: string;
  amount_total: number;
  currency: string;
  client_reference_id: string;
  customer: string | null;
  setup_future_usage: string | null;
}

export interface StripeIntent {
  id: string;
  amount: number;
  amount_received: number;
  currency: string;
  customer: string | null;
  payment_method: string | null;
  setup_future_usage: string | null;
  status: string;
  metadata: Record<string, string>;
}

type Failure = number | 'forget' | 'late' | 'silence';
type Answer = [status: number, value: unknown];

export interface StripeServer {
  url: string;
  sessions: StripeSession[];
  intents: StripeIntent[];
  refunds: { id: string; payment_intent: string; amount: number }[];
  /** Methods that can no longer pay. */
  detached: Set<string>;
  /** Methods whose payments the bank refuses, with its code. */
  refused: Map<string, string>;
  /** Requests that came, `METHOD /path`. */
  calls: string[];
  /**
   * Makes the next requests fail: with a status, after they were carried out (the connection ends, or the answer never
   * comes), or by silence.
   */
  failNext(...how: Failure[]): void;
  stop(): Promise<void>;
}

const id = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;
const error = (type: string, more: object) => ({
  error: { type, message: 'Text of Stripe that payers must not read', ...more },
});

export async function startStripe(host = '127.77.0.16'): Promise<StripeServer> {
  const { leaf } = await testCertificates();
  const state = {
    sessions: [] as StripeSession[],
    intents: [] as StripeIntent[],
    refunds: [] as StripeServer['refunds'],
    detached: new Set<string>(),
    refused: new Map<string, string>(),
    calls: [] as string[],
  };
  const kept = new Map<string, { body: string; answer: Answer }>();
  const failures: Failure[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { pathname } = new URL(request.url ?? '', 'https://stripe.test');
    state.calls.push(`${request.method} ${pathname}`);
    const send = ([status, value]: Answer) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', 'request-id': id('req') })
        .end(JSON.stringify(value));
    if (request.headers.authorization !== `Bearer ${STRIPE.secretKey}`)
      return send([401, error('invalid_request_error', {})]);
    const failure = failures.shift();
    if (typeof failure === 'number') return send([failure, error('api_error', {})]);
    if (failure === 'silence') return;
    const key = request.headers['idempotency-key'];
    const before = typeof key === 'string' ? kept.get(key) : undefined;
    if (before && before.body !== body) return send([400, error('idempotency_error', {})]);
    const answer =
      before?.answer ?? answerOf(state, `${request.method} ${pathname}`, new URLSearchParams(body));
    if (typeof key === 'string' && answer[0] < 500) kept.set(key, { body, answer });
    if (failure === 'late') return;
    if (failure === 'forget') return void response.destroy();
    send(answer);
  }

  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    url: `https://${host}:${(server.address() as AddressInfo).port}`,
    ...state,
    failNext: (...how) => void failures.push(...how),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type State = Omit<StripeServer, 'url' | 'failNext' | 'stop'>;

function answerOf(state: State, what: string, form: URLSearchParams): Answer {
  const [, method = '', detach] = /^\w+ \/v1\/payment_methods\/(\w+)(\/detach)?$/.exec(what) ?? [];
  if (method !== '') return ofMethod(state, method, detach !== undefined);
  if (what === 'POST /v1/checkout/sessions') return newSession(state, form);
  if (what === 'POST /v1/payment_intents') return newIntent(state, form);
  if (what === 'POST /v1/refunds') return newRefund(state, form);
  return [404, error('invalid_request_error', { code: 'resource_missing' })];
}

function newSession(state: State, form: URLSearchParams): Answer {
  const price = 'line_items[0][price_data]';
  const amount = Number(form.get(`${price}[unit_amount]`));
  const currency = form.get(`${price}[currency]`) ?? '';
  const reference = form.get('client_reference_id') ?? '';
  const isWhole =
    form.get('payment_intent_data[metadata][topup_id]') === reference && form.get('mode') === 'payment';
  if (!(amount >= 50) || !/^[a-z]{3}$/.test(currency) || reference === '' || !isWhole)
    return [400, error('invalid_request_error', { param: price })];
  const session = {
    id: id('cs_test'),
    object: 'checkout.session',
    url: `https://checkout.stripe.com/c/pay/${id('cs')}`,
    amount_total: amount,
    currency,
    client_reference_id: reference,
    customer: form.get('customer'),
    setup_future_usage: form.get('payment_intent_data[setup_future_usage]'),
  };
  state.sessions.push(session);
  return [200, session];
}

function newIntent(state: State, form: URLSearchParams): Answer {
  const method = form.get('payment_method') ?? '';
  const intent: StripeIntent = {
    id: id('pi'),
    amount: Number(form.get('amount')),
    amount_received: Number(form.get('amount')),
    currency: form.get('currency') ?? '',
    customer: form.get('customer'),
    payment_method: method,
    setup_future_usage: null,
    status: 'succeeded',
    metadata: { topup_id: form.get('metadata[topup_id]') ?? '' },
  };
  if (state.detached.has(method)) return [400, error('invalid_request_error', { param: 'payment_method' })];
  const refusal = state.refused.get(method);
  if (refusal !== undefined) {
    const more = { code: 'card_declined', decline_code: refusal, payment_intent: intent };
    return [402, error('card_error', more)];
  }
  state.intents.push(intent);
  return [200, { object: 'payment_intent', ...intent }];
}

function newRefund(state: State, form: URLSearchParams): Answer {
  const refund = {
    id: id('re'),
    payment_intent: form.get('payment_intent') ?? '',
    amount: Number(form.get('amount')),
  };
  state.refunds.push(refund);
  return [200, { object: 'refund', status: 'pending', ...refund }];
}

function ofMethod(state: State, method: string, detaches: boolean): Answer {
  if (detaches && state.detached.has(method)) return [400, error('invalid_request_error', {})];
  if (detaches) state.detached.add(method);
  return [
    200,
    {
      id: method,
      object: 'payment_method',
      type: 'card',
      card: { brand: 'visa', last4: '4242', fingerprint: `fp${method.slice(-16)}` },
    },
  ];
}

/** The payment intent of a session whose payer has paid. */
export function paidIntent(session: StripeSession, more: Partial<StripeIntent> = {}): StripeIntent {
  const saves = session.setup_future_usage !== null;
  return {
    id: id('pi'),
    amount: session.amount_total,
    amount_received: session.amount_total,
    currency: session.currency,
    customer: session.customer ?? (saves ? id('cus') : null),
    payment_method: id('pm'),
    setup_future_usage: session.setup_future_usage,
    status: 'succeeded',
    metadata: { topup_id: session.client_reference_id },
    ...more,
  };
}

/** The body of an event. */
export function stripeEvent(type: string, object: object, eventId = id('evt')): string {
  const created = Math.floor(Date.now() / 1000);
  const head = {
    id: eventId,
    object: 'event',
    api_version: '2026-03-25.dahlia',
    created,
    type,
    livemode: false,
  };
  return JSON.stringify({ ...head, data: { object } });
}

interface ReversalOptions {
  paymentId: string;
  id?: string;
  amount: number;
  currency?: string;
  status?: string;
}

/** The object of a refund or a dispute. */
export function reversalObject(object: 'refund' | 'dispute', options: ReversalOptions) {
  const { paymentId, amount, currency = 'usd', id: given, status = 'succeeded' } = options;
  return {
    id: given ?? id(object === 'refund' ? 're' : 'du'),
    object,
    amount,
    currency,
    payment_intent: paymentId,
    status,
  };
}

/** The header `Stripe-Signature` of a body. */
export function signStripe(body: string, secret = STRIPE.webhookSecret, atMs = Date.now()): string {
  const time = Math.floor(atMs / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

/** Sends an event to a market; returns the status of the answer. */
export async function sendToMarket(url: string, body: string, signature = signStripe(body)): Promise<number> {
  const response = await fetch(`${url}/v1/payments/stripe/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}
