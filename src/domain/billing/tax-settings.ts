import { isCountry } from '../countries';
import type { FieldProblem } from '../errors';
import type { Issuer, TaxRate } from './tax';
import { type CheckDigits, readTaxNumber } from './tax-number';

/** The settings as an operator sends them, before they are checked. */
export interface WishedIssuer {
  name: string;
  address: string;
  country: string;
  taxNumber: string | null;
  registrationNumber: string | null;
  email: string;
}
export interface WishedRate {
  country: string;
  name: string;
  percent: number;
  reverseCharge: boolean;
}
export interface WishedSettings {
  issuer: WishedIssuer;
  rates: readonly WishedRate[];
}

export interface ReadSettings {
  issuer: Omit<Issuer, 'entity_no'>;
  rates: TaxRate[];
  problems: FieldProblem[];
}

/** Reads settings, and what is wrong with them. A rate has at most two decimals. */
export function readSettings({ issuer, rates }: WishedSettings, fits: CheckDigits): ReadSettings {
  const problems: FieldProblem[] = [];
  const report = (loc: (string | number)[], msg: string) =>
    problems.push({ loc: ['body', ...loc], msg, type: 'value' });
  const { name, address, country, email, registrationNumber } = issuer;
  if (name.trim() === '') report(['issuer', 'name'], 'must not be empty');
  if (address.trim() === '') report(['issuer', 'address'], 'must not be empty');
  if (!isCountry(country)) report(['issuer', 'country'], NO_COUNTRY);
  let taxNumber = issuer.taxNumber?.trim() ?? '';
  if (taxNumber !== '' && isCountry(country)) {
    const read = readTaxNumber(country, taxNumber, fits);
    if ('problem' in read) report(['issuer', 'tax_number'], read.problem);
    else taxNumber = read.value;
  }
  if (taxNumber === '' && rates.some(({ percent, reverseCharge }) => percent > 0 || reverseCharge))
    report(['issuer', 'tax_number'], 'is needed: invoices with a tax name the tax number of the issuer');
  const seen = new Set<string>();
  for (const [index, rate] of rates.entries()) {
    if (!isCountry(rate.country)) report(['rates', index, 'country'], NO_COUNTRY);
    if (seen.has(rate.country)) report(['rates', index, 'country'], 'has another rate in this list');
    seen.add(rate.country);
    if (Math.abs(rate.percent * 100 - Math.round(rate.percent * 100)) > 1e-6)
      report(['rates', index, 'percent'], 'must have at most two decimals');
  }
  const registration = registrationNumber?.trim() ?? '';
  return {
    issuer: {
      name: name.trim(),
      address: linesOf(address),
      country,
      ...(taxNumber !== '' && { tax_number: taxNumber }),
      ...(registration !== '' && { registration_number: registration }),
      email,
    },
    rates: rates.map((rate) => ({
      country: rate.country,
      name: rate.name.trim(),
      basis_points: Math.round(rate.percent * 100),
      reverse_charge: rate.reverseCharge,
    })),
    problems,
  };
}

const NO_COUNTRY = 'is not an ISO 3166 country code of two letters';

const linesOf = (address: string): string =>
  address
    .replaceAll('\r', '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

/**
 * The number of the legal entity of new settings. An entity is known by its country and its tax number, or by its name
 * without one.
 */
export function entityNumber(
  issuer: Pick<Issuer, 'country' | 'tax_number' | 'name'>,
  earlier: readonly Pick<Issuer, 'country' | 'tax_number' | 'name' | 'entity_no'>[],
): number {
  const key = ({ country, tax_number: taxNumber, name }: Pick<Issuer, 'country' | 'tax_number' | 'name'>) =>
    `${country}/${taxNumber ?? `name/${name}`}`;
  const same = earlier.find((one) => key(one) === key(issuer));
  const highest = Math.max(0, ...earlier.map(({ entity_no: no }) => no));
  return same?.entity_no ?? highest + 1;
}
