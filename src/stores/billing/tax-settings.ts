import type { BilledTo } from '../../domain/billing/billing-details';
import type { Issuer, TaxRate, TaxSettings } from '../../domain/billing/tax';
import { onlyRow, type Db } from '../db';

/** The issuer and the tax rates of a day (`migrations/0138_tax_settings.sql`). */
export interface SettingsRow extends TaxSettings {
  settingsId: string;
  setAt: Date;
}

/** Reads the settings that count now; undefined before an operator has set any. */
export async function readTaxSettings(db: Db): Promise<SettingsRow | undefined> {
  const { rows } = await db.query<{ settings_id: string; issuer: Issuer; rates: TaxRate[]; set_at: Date }>({
    name: 'tax-settings',
    text: 'SELECT settings_id, issuer, rates, set_at FROM tax_settings ORDER BY settings_id DESC LIMIT 1',
  });
  const row = rows[0];
  return row && { settingsId: row.settings_id, issuer: row.issuer, rates: row.rates, setAt: row.set_at };
}

/** Lets changes of the settings wait for each other until the transaction ends. Returns all issuers so far. */
export async function lockIssuers(tx: Db): Promise<Issuer[]> {
  await tx.query('SELECT FROM platform_settings FOR NO KEY UPDATE');
  const { rows } = await tx.query<{ issuer: Issuer }>('SELECT issuer FROM tax_settings ORDER BY settings_id');
  return rows.map(({ issuer }) => issuer);
}

export async function insertTaxSettings(
  tx: Db,
  settingsId: string,
  { issuer, rates }: TaxSettings,
): Promise<void> {
  await tx.query('INSERT INTO tax_settings (settings_id, entity_no, issuer, rates) VALUES ($1, $2, $3, $4)', [
    settingsId,
    issuer.entity_no,
    JSON.stringify(issuer),
    JSON.stringify(rates),
  ]);
}

/** Whom the invoices of an account name, as of now. */
export async function readBilledTo(db: Db, userId: string): Promise<BilledTo> {
  const result = await db.query<{ billed_to: BilledTo }>('SELECT billing_billed_to($1) AS billed_to', [
    userId,
  ]);
  return onlyRow(result).billed_to;
}
