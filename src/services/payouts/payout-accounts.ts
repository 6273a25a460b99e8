/** Where a developer's money goes, their tax form, and the rates of exchange that operators load. */
import { MarketError } from '../../domain/errors';
import {
  maskDetails,
  maskEnd,
  type PayoutDetails,
  problemsOfDetails,
} from '../../domain/payouts/payout-method';
import type { PayoutMethod, TaxFormKind } from '../../domain/payouts/payout';
import type { Cipher } from '../../kit/crypto/cipher';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import { newId } from '../../kit/ids/ids';
import type { DbPool } from '../../stores/db';
import * as store from '../../stores/payouts/payout-methods';

export interface TaxFormInput {
  kind: TaxFormKind;
  legalName: string;
  country: string;
  taxId: string;
}

export function createPayoutAccounts(deps: { pool: DbPool; cipher: Cipher }) {
  const { pool, cipher } = deps;

  async function currentForm(developerUserId: string) {
    const form = await store.readTaxForm(pool, developerUserId);
    if (!form) throw new MarketError('not_found');
    return form;
  }

  return {
    /**
     * Replaces the method; payouts that are reserved keep theirs. Throws `validation_failed` with every wrong detail.
     */
    async setMethod(developerUserId: string, method: PayoutMethod, details: PayoutDetails) {
      const kept = checked(method, details);
      const methodId = newId('pmt');
      const sealed = await cipher.seal(Buffer.from(JSON.stringify(kept)), methodContext(methodId));
      const row = { methodId, developerUserId, method, sealed, masked: maskDetails(method, kept) };
      await store.insertPayoutMethod(pool, row);
      return this.method(developerUserId);
    },

    /** Masked; throws `not_found` when there is none. */
    async method(developerUserId: string): Promise<store.PayoutMethodRow> {
      const method = await store.readPayoutMethod(pool, developerUserId);
      if (!method) throw new MarketError('not_found');
      return method;
    },

    /** A new form; an operator has to look at it. */
    async submitTaxForm(developerUserId: string, form: TaxFormInput): Promise<store.TaxFormRow> {
      const formId = newId('tax');
      const { kind, legalName, country, taxId } = form;
      const sealed = await cipher.seal(
        Buffer.from(JSON.stringify({ legal_name: legalName, country, tax_id: taxId })),
        taxFormContext(formId),
      );
      const masked = { legal_name: legalName, country, tax_id: maskEnd(taxId) };
      await store.insertTaxForm(pool, { formId, developerUserId, kind, sealed, masked });
      return currentForm(developerUserId);
    },

    /** Masked; throws `not_found` when there is none. */
    taxForm: currentForm,

    /** An operator's word over the newest form. Throws `not_found`; `invalid_state` when it was reviewed. */
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

    /** Loads a rate USD→INR; throws `invalid_state` when there is another one of the same time. */
    async loadRate(rate: {
      rate: string;
      observedAt: Date;
      source: string;
      loadedBy: string;
    }): Promise<void> {
      if (await store.insertRate(pool, rate)) return;
      throw new MarketError('invalid_state', { message: 'There is another rate of this time.' });
    },
  };
}

export type PayoutAccounts = ReturnType<typeof createPayoutAccounts>;

/** Throws `validation_failed` with every wrong detail; an address of the chain is kept with its checksum. */
function checked(method: PayoutMethod, details: PayoutDetails): PayoutDetails {
  const detail = problemsOfDetails(method, details);
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
  if (method !== 'usdc') return details;
  const address = checksummedAddress(details['address'] ?? '');
  if (address !== undefined) return { ...details, address };
  const msg = 'is no EVM address, or its upper and lower case do not fit';
  throw new MarketError('validation_failed', {
    detail: [{ loc: ['body', 'details', 'address'], msg, type: 'pattern' }],
  });
}

/** The context under which the details of a method are sealed. */
export function methodContext(methodId: string): Record<string, string> {
  return { purpose: 'payout-method', method_id: methodId };
}

/** The context under which a tax form is sealed. */
export function taxFormContext(formId: string): Record<string, string> {
  return { purpose: 'tax-form', form_id: formId };
}
