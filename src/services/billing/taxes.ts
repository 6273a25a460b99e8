/** The operator's issuer and tax rates, and what they mean for the top-ups of an account (ADR 0358). */
import {
  taxOn,
  taxRuleOf,
  taxTotal,
  taxWithin,
  type TaxRule,
  type TopupTerms,
} from '../../domain/billing/tax';
import { entityNumber, readSettings, type WishedSettings } from '../../domain/billing/tax-settings';
import { MarketError } from '../../domain/errors';
import { newId } from '../../kit/ids/ids';
import { checkDigitsFit } from '../../kit/tax/check-digits';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import {
  insertTaxSettings,
  lockIssuers,
  readBilledTo,
  readTaxSettings,
  type SettingsRow,
} from '../../stores/billing/tax-settings';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import type { OperatorRequest } from '../accounts/operator-actions';

/** What a top-up costs with tax. `terms`: null without tax settings; there is no tax then. */
export interface TaxedAmount {
  /** With tax: what is paid. */
  amountMinor: number;
  taxMinor: number;
  terms: TopupTerms | null;
}

export function createTaxes({ pool }: { pool: DbPool }) {
  return {
    /** The settings that count now; undefined before an operator has set any. */
    taxSettings: (): Promise<SettingsRow | undefined> => readTaxSettings(pool),

    /**
     * Sets the issuer and the rates for top-ups from now on, and appends an audit log entry. Throws
     * `validation_failed`.
     */
    changeTaxSettings: (wish: WishedSettings, request: OperatorRequest): Promise<SettingsRow> =>
      withTransaction(pool, async (tx) => {
        const { issuer: read, rates, problems } = readSettings(wish, checkDigitsFit);
        if (problems.length > 0) throw new MarketError('validation_failed', { detail: problems });
        const issuer = { ...read, entity_no: entityNumber(read, await lockIssuers(tx)) };
        const settingsId = newId('txs');
        await insertTaxSettings(tx, settingsId, { issuer, rates });
        const details = { issuer: { ...issuer }, rates };
        await recordOperatorAction(tx, { ...request, action: 'tax.change', subject: settingsId, details });
        const stored = await readTaxSettings(tx);
        if (!stored) throw new Error('the tax settings were not stored');
        return stored;
      }),

    /** How the next top-up of an account is taxed; null without tax settings. */
    async taxRule(userId: string): Promise<TaxRule | null> {
      const settings = await readTaxSettings(pool);
      return settings ? taxRuleOf(settings, await readBilledTo(pool, userId)) : null;
    },

    taxed: (userId: string, netMinor: number) => taxedAmount(pool, { userId, netMinor }),
  };
}

/** The tax on a price (`netMinor`), or within an amount that was paid (`grossMinor`). */
export async function taxedAmount(
  db: Db,
  of: { userId: string } & ({ netMinor: number } | { grossMinor: number }),
): Promise<TaxedAmount> {
  const settings = await readTaxSettings(db);
  if (!settings)
    return { amountMinor: 'netMinor' in of ? of.netMinor : of.grossMinor, taxMinor: 0, terms: null };
  const billedTo = await readBilledTo(db, of.userId);
  const rule = taxRuleOf(settings, billedTo);
  const tax = 'netMinor' in of ? taxOn(rule, of.netMinor) : taxWithin(rule, of.grossMinor);
  const taxMinor = taxTotal(tax.lines);
  const amountMinor = 'netMinor' in of ? of.netMinor + taxMinor : of.grossMinor;
  return { amountMinor, taxMinor, terms: { issuer: settings.issuer, billed_to: billedTo, tax } };
}
