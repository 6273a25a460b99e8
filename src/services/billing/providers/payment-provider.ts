/**
 * The interface of payment providers (ADR 0302). Each provider is a row of `payment-providers.ts`; one test runs
 * against every row.
 */
import type { Config } from '../../../config';
import type { Currency } from '../../../domain/billing/billing';
import type { PaymentEvent, ProviderName, SavedReference } from '../../../domain/billing/payment';
import { MarketError } from '../../../domain/errors';
import type { Egress } from '../../../egress/agent-call';
import { EgressError } from '../../../egress/egress-error';
import type { Logger } from '../../../logger';

/** What the rows are made of. */
export interface ProviderDeps {
  config: Config;
  egress: Egress;
  logger: Logger;
}

/** A top-up as sent to a payment provider. */
export interface PaymentRequest {
  topupId: string;
  amountMinor: number;
  currency: Currency;
  /** The payer wants to save the method for automatic top-ups. Only for providers with `saved`. */
  saves?: boolean;
  /** The customer under whom the payer saved a method before; null for none. */
  customerRef?: string | null;
}

/** `paid`: the money has arrived. `pending`: the payer pays at `url`, and the provider reports it later. */
export type StartedPayment =
  { status: 'paid'; reference: string } | { status: 'pending'; reference: string; url: string };

/**
 * A payment with a saved method. `pending`: the provider reports its end later. `declined`: refused, with a code such
 * as `card_declined`. `method_ended`: the method can no longer pay.
 */
export type SavedPayment =
  | { status: 'paid' | 'pending'; reference: string }
  | { status: 'declined'; reason: string }
  | { status: 'method_ended' };

/** A request to the webhook of a provider, unread. */
export interface EventDelivery {
  body: Buffer;
  /** The value of a header, by lower-case name. */
  header(name: string): string | undefined;
}

export interface RefundRequest {
  paymentId: string;
  amountMinor: number;
  /** The same key refunds once. */
  key: string;
}

export interface MethodFacts {
  /** What people know a method by, such as `visa •••• 4242`. */
  label: string;
  /** The same for every account that pays with the same card; null if the provider gives none. */
  fingerprint: string | null;
}

/**
 * A source of payments. Adapters must be idempotent per top-up: after a crash, the same top-up id is started again and
 * must give the same payment. Functions that call the provider throw `not_ready` when it does not answer.
 */
export interface PaymentProvider {
  readonly name: ProviderName;
  start(request: PaymentRequest): Promise<StartedPayment>;
  /**
   * Reads a signed event. Throws `invalid_credentials` for a wrong signature, and 400 or 422 errors for a malformed
   * event. Absent for a provider that reports nothing.
   */
  readEvent?(delivery: EventDelivery): { eventId: string; event: PaymentEvent };
  /** Sends money of a payment back; the provider reports the refund by an event. */
  refund?(request: RefundRequest): Promise<void>;
  /** Payments while the payer is away. Absent for a provider without saved methods. */
  saved?: {
    /** Pays a top-up with a saved method. The same top-up is paid once. */
    charge(request: PaymentRequest, method: SavedReference): Promise<SavedPayment>;
    facts(methodRef: string): Promise<MethodFacts>;
    /** Makes a method unusable at the provider. */
    end(methodRef: string): Promise<void>;
    /** For a provider that reports no events: the method that a paid top-up has saved. */
    ofTopup?(topupId: string): SavedReference;
  };
}

/** The refusal of an event whose signature does not fit. */
export function wrongSignature(): MarketError {
  return new MarketError('invalid_credentials', { message: 'The signature does not match the body.' });
}

/** The text that a payer reads at the provider. */
export const paymentText = (topupId: string): string => `Marketplace credits, top-up ${topupId}`;

/** Runs a request to a provider. Throws `not_ready` when the provider does not carry it out. */
export async function fromProvider<T>(
  logger: Logger,
  message: string,
  request: () => Promise<T>,
): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    logger.warn({ err: error }, 'the payment provider did not carry out a request');
    throw new MarketError('not_ready', { message, cause: error });
  }
}

export const NOTHING_PAID =
  'The payment provider does not answer. Nothing was paid. Retry with the same Idempotency-Key.';
export const TRY_AGAIN = 'The payment provider does not answer. Try again later.';
