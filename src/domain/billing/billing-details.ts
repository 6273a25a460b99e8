import { isCountry } from '../countries';
import type { FieldProblem } from '../errors';
import { type CheckDigits, readTaxNumber, taxNumberName } from './tax-number';

/** What the invoices of an account name it by. Null is what the account has not said. */
export interface BillingDetails {
  company: string | null;
  /** Lines of the postal address, separated by line feeds. */
  address: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  taxNumber: string | null;
  /** The address that invoices name; null for that of the account. */
  receiptsEmail: string | null;
  /** The buyer's own reference, such as the number of a purchase order. */
  reference: string | null;
}

export const NO_DETAILS: BillingDetails = {
  company: null,
  address: null,
  country: null,
  taxNumber: null,
  receiptsEmail: null,
  reference: null,
};

const MOST_LINES = 8;

/**
 * The details with a change, as they are stored, and what is wrong with it. A tax number that was stored is checked
 * again only when it or the country changes.
 */
export function changedDetails(
  before: BillingDetails,
  change: Partial<BillingDetails>,
  fits: CheckDigits,
): { details: BillingDetails; problems: FieldProblem[] } {
  const details = Object.fromEntries(
    Object.entries({ ...before, ...change }).map(([field, value]) => [field, tidied(value)]),
  ) as unknown as BillingDetails;
  const problems: FieldProblem[] = [];
  const report = (field: string, msg: string) => problems.push({ loc: ['body', field], msg, type: 'value' });
  const { address, country, taxNumber } = details;
  if (address !== null && address.split('\n').length > MOST_LINES)
    report('address', `must have at most ${MOST_LINES} lines`);
  if (country !== null && !isCountry(country))
    report('country', 'is not an ISO 3166 country code of two letters');
  if (taxNumber !== null && country === null) report('country', 'is needed with a tax number');
  const isNew = 'taxNumber' in change || 'country' in change;
  if (isNew && taxNumber !== null && country !== null && isCountry(country)) {
    const read = readTaxNumber(country, taxNumber, fits);
    if ('problem' in read) report('tax_number', read.problem);
    else details.taxNumber = read.value;
  }
  return { details, problems };
}

/** Without spaces at the ends of lines; a text of nothing else is none. */
function tidied(value: string | null): string | null {
  if (value === null) return null;
  const lines = value.replaceAll('\r', '').split('\n');
  return (
    lines
      .map((line) => line.trim())
      .join('\n')
      .trim() || null
  );
}

/** Whom an invoice is made out to, as it was when it was issued. */
export interface BilledTo {
  name: string;
  email: string;
  company?: string;
  address?: string;
  country?: string;
  tax_number?: string;
  reference?: string;
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });

/** The name of a country in English; its code if it has none. */
export const countryName = (country: string): string => countryNames.of(country) ?? country;

/** The lines of an address on an invoice. */
export function billedToLines(to: BilledTo, userId: string): string[] {
  const { company, address, country, tax_number: taxNumber } = to;
  return [
    ...(company === undefined ? [] : [company]),
    to.name,
    ...(address?.split('\n') ?? []),
    ...(country === undefined ? [] : [countryName(country)]),
    ...(taxNumber === undefined ? [] : [`${taxNumberName(country ?? '')} ${taxNumber}`]),
    to.email,
    userId,
  ];
}
