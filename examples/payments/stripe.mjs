/**
 * What the marketplace uses of Stripe, without money: payment pages, payments with saved methods, refunds, and signed
 * events, which are sent again until they are answered with 200. It forgets everything when it ends.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { payPage } from './pay-page.mjs';
import { reporter } from './stripe-events.mjs';

/** Events follow the answer. */
const EVENT_DELAY_MS = 200;
const id = (prefix) => `${prefix}_${randomBytes(12).toString('hex')}`;
const refusal = (type, more = {}) => ({ error: { type, message: 'refused by the sandbox', ...more } });
const missing = () => [404, refusal('invalid_request_error', { code: 'resource_missing' })];

export function createStripe({ origin, secretKey, ...events }) {
  const report = reporter(events);
  const later = (type, object) => void sleep(EVENT_DELAY_MS).then(() => report(id('evt'), type, object));
  const state = { origin, later, sessions: new Map(), payments: new Map(), methods: new Map() };
  /** Answers by their key of idempotency. */
  const kept = new Map();

  return {
    /** Answers a request to the API. `body`: a form. */
    api({ method, path, headers, body }) {
      if (headers.authorization !== `Bearer ${secretKey}`) return [401, refusal('invalid_request_error')];
      const key = headers['idempotency-key'];
      const before = key === undefined ? undefined : kept.get(key);
      if (before) return before.body === body ? before.answer : [400, refusal('idempotency_error')];
      const answer = answerOf(state, `${method} ${path}`, new URLSearchParams(body));
      if (key !== undefined) kept.set(key, { body, answer });
      return answer;
    },

    /** The page on which a payer pays; undefined for one that does not exist. */
    page(sessionId) {
      const session = state.sessions.get(sessionId);
      return session && payPage(session);
    },

    /** Pays a page, once. Returns where the payer goes on; undefined for a page that does not exist. */
    pay(sessionId, form) {
      const session = state.sessions.get(sessionId);
      if (session?.status === 'open') payBy(state, session, form.has('refuses'));
      return session?.success_url;
    },
  };
}

function answerOf(state, what, form) {
  const [, methodId, detaches] = /^\w+ \/v1\/payment_methods\/(\w+)(\/detach)?$/.exec(what) ?? [];
  if (methodId !== undefined) return ofMethod(state, methodId, detaches !== undefined);
  switch (what) {
    case 'POST /v1/checkout/sessions':
      return newSession(state, form);
    case 'POST /v1/payment_intents':
      return newPayment(state, form);
    case 'POST /v1/refunds':
      return newRefund(state, form);
    default:
      return [404, refusal('invalid_request_error')];
  }
}

function newSession({ origin, sessions }, form) {
  const price = 'line_items[0][price_data]';
  const sessionId = id('cs_test');
  const session = {
    id: sessionId,
    object: 'checkout.session',
    url: `${origin}/pay/${sessionId}`,
    amount_total: Number(form.get(`${price}[unit_amount]`)),
    currency: form.get(`${price}[currency]`),
    client_reference_id: form.get('client_reference_id'),
    customer: form.get('customer'),
    setup_future_usage: form.get('payment_intent_data[setup_future_usage]'),
    success_url: form.get('success_url'),
    status: 'open',
  };
  sessions.set(sessionId, session);
  return [200, session];
}

function payBy(state, session, isRefusedLater) {
  session.status = 'complete';
  const isSaved = session.setup_future_usage !== null;
  const methodId = id('pm');
  if (isSaved)
    state.methods.set(methodId, { isRefused: isRefusedLater, last4: isRefusedLater ? '0341' : '4242' });
  paid(state, {
    amount: session.amount_total,
    currency: session.currency,
    customer: session.customer ?? (isSaved ? id('cus') : null),
    payment_method: methodId,
    setup_future_usage: session.setup_future_usage,
    metadata: { topup_id: session.client_reference_id },
  });
}

function paid({ payments, later }, terms) {
  const payment = {
    object: 'payment_intent',
    id: id('pi'),
    amount_received: terms.amount,
    status: 'succeeded',
    ...terms,
  };
  payments.set(payment.id, payment);
  later('payment_intent.succeeded', payment);
  return payment;
}

function newPayment(state, form) {
  const methodId = form.get('payment_method');
  const method = state.methods.get(methodId);
  if (!method) return [400, refusal('invalid_request_error', { param: 'payment_method' })];
  const terms = {
    amount: Number(form.get('amount')),
    currency: form.get('currency'),
    customer: form.get('customer'),
    payment_method: methodId,
    setup_future_usage: null,
    metadata: { topup_id: form.get('metadata[topup_id]') },
  };
  if (!method.isRefused) return [200, paid(state, terms)];
  const code = { code: 'card_declined', decline_code: 'insufficient_funds' };
  return [402, refusal('card_error', { ...code, payment_intent: { id: id('pi'), ...terms } })];
}

function newRefund({ payments, later }, form) {
  const payment = payments.get(form.get('payment_intent'));
  if (!payment) return missing();
  const { id: paymentId, currency } = payment;
  const amount = Number(form.get('amount'));
  const refund = {
    object: 'refund',
    id: id('re'),
    amount,
    currency,
    payment_intent: paymentId,
    status: 'succeeded',
  };
  later('refund.created', refund);
  return [200, refund];
}

function ofMethod({ methods }, methodId, detaches) {
  const method = methods.get(methodId);
  if (!method) return missing();
  if (detaches) methods.delete(methodId);
  const card = { brand: 'visa', last4: method.last4 };
  return [200, { id: methodId, object: 'payment_method', type: 'card', card }];
}
