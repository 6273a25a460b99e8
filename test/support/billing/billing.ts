/**
 * Billing over HTTP without an engine: accounts, top-ups by a provider that a test may replace, and calls in the
 * ledger.
 */
import type { Pool } from 'pg';
import { billingRoutes } from '../../../src/api/routes/billing';
import { invoiceRoutes } from '../../../src/api/routes/invoices';
import type { BindRoutes } from '../../../src/api/binding/route';
import { createBillingService } from '../../../src/services/billing/billing';
import type { PaymentProvider } from '../../../src/services/billing/providers/payment-provider';
import { routedProviders, sandboxPayments } from '../../../src/services/billing/providers/payment-providers';
import { createTopupPrices } from '../../../src/services/billing/topup-prices';
import { createDocumentWriter } from '../../../src/kit/documents/document-threads';
import { createLedgerService, type LedgerService } from '../../../src/services/ledger/ledger';
import { readPayoutSetUp } from '../../../src/stores/payouts/payout-methods';
import { textOfPdf } from '../documents/pdf';
import { startTestApi } from '../stack/api';
import { expectWhole, holdRequest } from '../ledger/ledger';
import { testPool } from '../stack/pool';

export interface Caller {
  userId: string;
  cookie: string;
}

interface Item {
  entry_type: string;
  credits: number;
  balance_after_credits: number;
  invocation_id?: string;
  description: string;
  account?: string;
  number: string;
}

/** The fields of any answer that the tests look at. */
interface Body {
  items: Item[];
  total: number;
  next_cursor: string | null;
  topup_id: string;
  available_credits: number;
  balance: { available_credits: number };
  registration_paid: boolean;
  error: { code: string; message: string };
  detail: { loc: string[]; type: string }[];
}

export interface BillingReply {
  status: number;
  headers: Headers;
  body: Body;
}

export type TestBilling = Awaited<ReturnType<typeof startBilling>>;

export async function startBilling() {
  let pool: Pool | undefined;
  let ledger: LedgerService | undefined;
  let payments: PaymentProvider = sandboxPayments;
  const documents = createDocumentWriter({ warn: () => undefined });
  const routes: BindRoutes<unknown> = (binder, deps) => {
    const { DATABASE_URL: connectionString } = (deps as { config: { DATABASE_URL: string } }).config;
    const db = testPool(connectionString, { max: 8 });
    pool = db;
    ledger = createLedgerService({ pool });
    const chosen: PaymentProvider = { name: 'sandbox', start: (request) => payments.start(request) };
    const limits = { minMinor: 100, maxMinor: 10_000_000 };
    const providers = routedProviders([{ provider: 'sandbox', currencies: null }], { sandbox: chosen });
    const service = createBillingService({
      pool,
      ledger,
      providers,
      prices: createTopupPrices({ db: pool, providers, spreadPercent: 2 }),
      limits,
      issuer: ['Market Ltd'],
      documents,
    });
    invoiceRoutes(binder, { billing: service });
    billingRoutes(binder, {
      ledger,
      billing: service,
      accounts: { freeze: () => Promise.resolve(null) },
      organisations: { budgetOf: () => Promise.resolve(null) },
      payoutAccounts: { setUp: (userId) => readPayoutSetUp(db, userId) },
    });
  };
  const api = await startTestApi({ routes: [routes] });
  if (!pool || !ledger) throw new Error('the routes were not bound');
  const bound = { pool, ledger };
  return {
    ...callsOf(api.url),
    ledger,
    /** The provider of the top-ups that follow; the sandbox again without one. */
    payWith(provider: PaymentProvider = sandboxPayments) {
      payments = provider;
    },
    /** A call that was charged so many credits, or failed; its id. */
    async invocation(buyer: Caller, developer: Caller, credits: number, charged: number | 'failed') {
      const request = holdRequest(buyer.userId, developer.userId, credits);
      const { invocationId } = request;
      await bound.ledger.hold([request]);
      if (charged === 'failed') await bound.ledger.voidHold([{ invocationId, disputed: false }]);
      else await bound.ledger.capture([{ invocationId, grossUnits: charged * 100, maturesAt: new Date(0) }]);
      return invocationId;
    },
    /** Proves the ledger, then stops everything. */
    async stop() {
      await expectWhole(bound.pool);
      await bound.pool.end();
      await documents.close();
      await api.close();
    },
  };
}

let people = 0;

function callsOf(url: string) {
  async function call(
    caller: Caller | null,
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<BillingReply> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(caller ? { cookie: caller.cookie } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }
  return {
    call,
    /** The text of a PDF. */
    async pdfText(caller: Caller, path: string): Promise<string> {
      const response = await fetch(`${url}${path}`, { headers: { cookie: caller.cookie } });
      return textOfPdf(new Uint8Array(await response.arrayBuffer()));
    },
    topUp: (caller: Caller, amountPaise: unknown, currency: unknown = 'INR', key?: string) =>
      call(
        caller,
        'POST',
        '/v1/billing/topup',
        { amountPaise, currency },
        key ? { 'idempotency-key': key } : {},
      ),
    async register(role: 'buyer' | 'developer'): Promise<Caller> {
      people += 1;
      const response = await fetch(`${url}/v1/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          email: `${role}-${people}@example.test`,
          password: 'correct horse battery',
          displayName: `${role} ${people}`,
          role,
        }),
      });
      const { user_id: userId } = (await response.json()) as { user_id: string };
      const cookie = response.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ');
      return { userId, cookie };
    },
  };
}
