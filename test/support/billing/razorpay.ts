/**
 * The payment provider as its documentation describes it: payment links over HTTPS with Basic authentication, a
 * reference that may be used once, a page per link, and signed events about payments.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificates } from '../agents/authority';

export const RAZORPAY = {
  keyId: 'rzp_test_1DP5mmOlF5G5ag',
  keySecret: 'key-secret',
  webhookSecret: 'hook-secret',
};

interface Link {
  id: string;
  amount: number;
  currency: string;
  reference_id: string;
  status: string;
  short_url: string;
  accept_partial: boolean;
}

export interface RazorpayServer {
  url: string;
  links: readonly Link[];
  /** Requests that came, `METHOD /path`. */
  calls: string[];
  /** Refunds by their key of idempotency. */
  refunds: Map<string, { paymentId: string; amount: number }>;
  /** Makes the next requests fail: with a status, by silence, or after the link was made. */
  failNext(...how: (number | 'forget')[]): void;
  stop(): Promise<void>;
}

export async function startRazorpay(host = '127.77.0.12'): Promise<RazorpayServer> {
  const { leaf } = await testCertificates();
  const links: Link[] = [];
  const calls: string[] = [];
  const refunds: RazorpayServer['refunds'] = new Map();
  const failures: (number | 'forget')[] = [];
  const expected = `Basic ${Buffer.from(`${RAZORPAY.keyId}:${RAZORPAY.keySecret}`).toString('base64')}`;

  function create(body: Partial<Link>): [number, unknown] {
    const { amount, currency, reference_id = '' } = body;
    const wrong =
      typeof amount !== 'number' || amount < 100 || currency === undefined || reference_id.length > 40;
    if (wrong) return badRequest('The amount must be at least INR 1.00');
    if (links.some((link) => link.reference_id === reference_id)) {
      return badRequest(`payment link with given reference_id (${reference_id}) already exists`);
    }
    const id = `plink_${randomBytes(7).toString('hex')}`;
    const page = `https://rzp.io/i/${id.slice(6, 13)}`;
    const link = {
      id,
      amount,
      currency,
      reference_id,
      status: 'created',
      short_url: page,
      accept_partial: false,
    };
    links.push(link);
    return [200, link];
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '', 'https://razorpay.test');
    calls.push(`${request.method} ${url.pathname}`);
    const send = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (request.headers.authorization !== expected) return send(401, problem('Authentication failed'));
    const failure = failures.shift();
    if (typeof failure === 'number') return send(failure, problem('We are facing some trouble'));
    if (request.method === 'GET') {
      const reference = url.searchParams.get('reference_id');
      return send(200, { payment_links: links.filter((link) => link.reference_id === reference) });
    }
    const [, paymentId] = /^\/v1\/payments\/(\w+)\/refund$/.exec(url.pathname) ?? [];
    if (paymentId !== undefined) {
      const { amount } = JSON.parse(Buffer.concat(chunks).toString()) as { amount: number };
      const key = String(request.headers['x-refund-idempotency']);
      if (!/^[\w-]{10,}$/.test(key)) return send(400, problem('The idempotency key is invalid'));
      refunds.set(key, { paymentId, amount });
      if (failure === 'forget') return void response.destroy();
      return send(200, { id: `rfnd_${randomBytes(7).toString('hex')}`, amount, status: 'pending' });
    }
    const [status, value] = create(JSON.parse(Buffer.concat(chunks).toString()) as Partial<Link>);
    if (failure === 'forget') return void response.destroy();
    send(status, value);
  }

  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    url: `https://${host}:${(server.address() as AddressInfo).port}`,
    links,
    calls,
    refunds,
    failNext: (...how) => void failures.push(...how),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function problem(description: string) {
  return {
    error: { code: 'BAD_REQUEST_ERROR', description, source: 'business', reason: 'input_validation_failed' },
  };
}

function badRequest(description: string): [number, unknown] {
  return [400, problem(description)];
}

export interface PaidEventOptions {
  paymentId?: string;
  amount?: number;
  currency?: string;
  status?: string;
  event?: string;
}

/** The body of `payment_link.paid` for a link. */
export function paidEvent(
  link: Pick<Link, 'id' | 'amount' | 'currency' | 'reference_id'>,
  options: PaidEventOptions = {},
): string {
  const { amount = link.amount, currency = link.currency, status = 'captured' } = options;
  const orderId = `order_${randomBytes(7).toString('hex')}`;
  const id = options.paymentId ?? `pay_${randomBytes(7).toString('hex')}`;
  const payment = {
    id,
    entity: 'payment',
    amount,
    currency,
    status,
    order_id: orderId,
    captured: true,
    notes: [],
  };
  const order = {
    id: orderId,
    entity: 'order',
    amount: link.amount,
    amount_paid: amount,
    receipt: link.reference_id,
  };
  return JSON.stringify({
    entity: 'event',
    account_id: 'acc_DKoeHMNpi0nC7k',
    event: options.event ?? 'payment_link.paid',
    contains: ['payment', 'order', 'payment_link'],
    payload: {
      payment: { entity: payment },
      order: { entity: order },
      payment_link: { entity: { ...link, amount_paid: amount, status: 'paid', expire_by: 0 } },
    },
    created_at: Math.floor(Date.now() / 1000),
  });
}

interface ReversalEventOptions {
  paymentId: string;
  /** Id of the refund or the dispute. */
  id?: string;
  amount: number;
  currency?: string;
}

/** The body of an event with entities, as the documentation shows it. */
function eventOf(event: string, payload: Record<string, object>): string {
  return JSON.stringify({
    entity: 'event',
    account_id: 'acc_DKoeHMNpi0nC7k',
    event,
    contains: Object.keys(payload),
    payload: Object.fromEntries(Object.entries(payload).map(([name, entity]) => [name, { entity }])),
    created_at: Math.floor(Date.now() / 1000),
  });
}

/** The body of `refund.processed`, for all of a payment or a part. */
export function refundEvent(options: ReversalEventOptions): string {
  const { paymentId, id = `rfnd_${randomBytes(7).toString('hex')}`, amount, currency = 'INR' } = options;
  const payment = { id: paymentId, entity: 'payment', currency, status: 'refunded', amount_refunded: amount };
  const refund = {
    id,
    entity: 'refund',
    amount,
    currency,
    payment_id: paymentId,
    status: 'processed',
    speed_processed: 'normal',
  };
  return eventOf('refund.processed', { refund, payment });
}

/** The body of `payment.dispute.<step>`: nothing is deducted until a dispute is lost. */
export function disputeEvent(
  step: 'created' | 'under_review' | 'lost' | 'won' | 'closed',
  options: ReversalEventOptions & { deducted?: number },
): string {
  const { paymentId, id = `disp_${randomBytes(7).toString('hex')}`, amount, currency = 'INR' } = options;
  const dispute = {
    id,
    entity: 'dispute',
    payment_id: paymentId,
    amount,
    currency,
    amount_deducted: options.deducted ?? (step === 'lost' ? amount : 0),
    reason_code: 'chargeback',
    phase: 'chargeback',
    status: step === 'created' ? 'open' : step,
  };
  return eventOf(`payment.dispute.${step}`, { payment: { id: paymentId, entity: 'payment' }, dispute });
}

export function signRazorpay(body: string, secret = RAZORPAY.webhookSecret): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
