/** A developer's payout method and tax form, and the exchange rates that operators load. */
import { rateProblems } from '../../domain/payouts/exchange-rate';
import { type FieldProblem, MarketError } from '../../domain/errors';
import {
  maskDetails,
  maskEnd,
  normalDetails,
  type PayoutDetails,
  problemsOfDetails,
} from '../../domain/payouts/payout-method';
import type { TaxFormKind } from '../../domain/payouts/payout';
import { type PayoutMethod, type Rail, RAILS } from '../../domain/payouts/rails';
import type { Cipher } from '../../kit/crypto/cipher';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import { newId } from '../../kit/ids/ids';
import { noteChainAddress } from '../../stores/accounts/owner-signs';
import { requestMail } from '../../stores/accounts/mails';
import { type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/payouts/payout-methods';

export interface TaxFormInput {
  kind: TaxFormKind;
  legalName: string;
  country: string;
  taxId: string;
  /** Permanent residence. */
  address?: string | undefined;
  /** Who declares that the form is true and complete. */
  signedBy?: string | undefined;
}

export interface PayoutAccountsDeps {
  pool: DbPool;
  cipher: Cipher;
  /** Methods that are paid here. */
  rails: readonly PayoutMethod[];
}

export function createPayoutAccounts(deps: PayoutAccountsDeps) {
  const { pool, cipher } = deps;
  const currentForm = (developerUserId: string) => readForm(pool, developerUserId);

  return {
    /** The methods that this marketplace pays by. */
    methods: deps.rails,

    /**
     * Replaces the payout method. Reserved payouts keep the old one. Throws `validation_failed` with every invalid
     * detail, or when the method is not paid here.
     */
    async setMethod(developerUserId: string, method: PayoutMethod, details: PayoutDetails) {
      const kept = checked(method, details, deps.rails);
      const methodId = newId('pmt');
      const sealed = await cipher.seal(Buffer.from(JSON.stringify(kept)), methodContext(methodId));
      const row = { methodId, developerUserId, method, sealed, masked: maskDetails(method, kept) };
      await withTransaction(pool, async (tx) => {
        await store.insertPayoutMethod(tx, row);
        for (const address of chainAddresses(method, kept))
          await noteChainAddress(tx, developerUserId, address);
        await requestMail(tx, { recipient: developerUserId, kind: 'payout_method_changed', subject: method });
      });
      return this.method(developerUserId);
    },

    /** The payout method, masked. Throws `not_found` if there is none. */
    async method(developerUserId: string): Promise<store.PayoutMethodRow> {
      const method = await store.readPayoutMethod(pool, developerUserId);
      if (!method) throw new MarketError('not_found');
      return method;
    },

    /** Whether there is a method and a tax form. */
    setUp: store.readPayoutSetUp.bind(null, pool),

    /** Submits a new tax form for review by an operator. */
    async submitTaxForm(developerUserId: string, form: TaxFormInput): Promise<store.TaxFormRow> {
      const formId = newId('tax');
      const parts = await sealForm(cipher, formId, form);
      await store.insertTaxForm(pool, { formId, developerUserId, kind: form.kind, ...parts });
      return currentForm(developerUserId);
    },

    /** The newest tax form, masked. Throws `not_found` if there is none. */
    taxForm: currentForm,

    /** Lists the tax forms that wait for a review, newest first; of each developer the newest form alone, masked. */
    waitingTaxForms: store.listWaitingTaxForms.bind(null, pool),

    /** Records an operator's review of the newest form. Throws `not_found`, or `invalid_state` if it was reviewed. */
    async reviewTaxForm(
      developerUserId: string,
      review: { status: 'accepted' | 'rejected'; by: string; reason: string },
    ): Promise<store.TaxFormRow> {
      const { formId, status } = await currentForm(developerUserId);
      if (!(await store.reviewTaxForm(pool, formId, review))) {
        throw new MarketError('invalid_state', { message: `The tax form is ${status}.` });
      }
      return currentForm(developerUserId);
    },

    /** Loads a USD/INR rate. Throws `invalid_state` if a different rate exists for the same time. */
    loadRate: loadRate.bind(null, pool),
  };
}

export type PayoutAccounts = ReturnType<typeof createPayoutAccounts>;

async function loadRate(pool: DbPool, rate: Parameters<typeof store.insertRate>[1]): Promise<void> {
  const detail = rateProblems(rate.rate);
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
  if (await store.insertRate(pool, rate)) return;
  throw new MarketError('invalid_state', {
    message: 'A different rate for this time exists. Rates are never changed.',
  });
}

async function readForm(pool: DbPool, developerUserId: string): Promise<store.TaxFormRow> {
  const form = await store.readTaxForm(pool, developerUserId);
  if (!form) throw new MarketError('not_found');
  return form;
}

/** The form as it is stored: encrypted, and masked for people. */
async function sealForm(cipher: Cipher, formId: string, form: TaxFormInput) {
  const { legalName, country, taxId, address, signedBy } = form;
  const shown = { legal_name: legalName, country, ...(signedBy !== undefined && { signed_by: signedBy }) };
  const secret = { tax_id: taxId, ...(address !== undefined && { address }) };
  const sealed = await cipher.seal(
    Buffer.from(JSON.stringify({ ...shown, ...secret })),
    taxFormContext(formId),
  );
  const masked = Object.fromEntries(Object.entries(secret).map(([field, value]) => [field, maskEnd(value)]));
  return { sealed, masked: { ...shown, ...masked } };
}

function railProblems(method: PayoutMethod, rails: readonly PayoutMethod[]): FieldProblem[] {
  if (rails.includes(method)) return [];
  const msg = `is not available: this marketplace does not pay by ${method}. Choose one of ${rails.join(', ')}`;
  return [{ loc: ['body', 'method'], msg, type: 'method_unavailable' }];
}

/**
 * Normalizes and validates a method and its details; addresses get their checksum. Throws `validation_failed` with
 * everything that is wrong.
 */
function checked(
  method: PayoutMethod,
  entered: PayoutDetails,
  rails: readonly PayoutMethod[],
): PayoutDetails {
  const details = normalDetails(method, entered);
  const detail = [
    ...railProblems(method, rails),
    ...problemsOfDetails(method, details),
    ...addressProblems(method, details),
  ];
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
  const { details: rules }: Rail = RAILS[method];
  const kept = Object.entries(details).map(([field, value]) => [
    field,
    (rules[field]?.isEvmAddress && checksummedAddress(value)) || value,
  ]);
  return Object.fromEntries(kept) as PayoutDetails;
}

function chainAddresses(method: PayoutMethod, details: PayoutDetails): string[] {
  const { details: rules }: Rail = RAILS[method];
  return Object.entries(details)
    .filter(([field, value]) => rules[field]?.isEvmAddress && typeof value === 'string')
    .map(([, value]) => value);
}

/** The EVM addresses in details that have the right form and another checksum. */
export function addressProblems(
  method: PayoutMethod,
  details: Readonly<Record<string, unknown>>,
): FieldProblem[] {
  const { details: rules }: Rail = RAILS[method];
  const msg = 'is no EVM address, or its upper and lower case do not fit';
  return Object.entries(rules)
    .filter(([field, { isEvmAddress, pattern }]) => {
      const value = Object.hasOwn(details, field) ? details[field] : undefined;
      const isAddress = isEvmAddress && typeof value === 'string' && pattern.test(value);
      return isAddress && checksummedAddress(value) === undefined;
    })
    .map(([field]) => ({ loc: ['body', 'details', field], msg, type: 'pattern' }));
}

/** The sealing context of a payout method's details. */
export function methodContext(methodId: string): Record<string, string> {
  return { purpose: 'payout-method', method_id: methodId };
}

/** The sealing context of a tax form. */
export function taxFormContext(formId: string): Record<string, string> {
  return { purpose: 'tax-form', form_id: formId };
}
