/**
 * Taxes on top-ups (ADR 0358). A tax comes on top of the price of the credits, so that 1 credit stays USD 0.01 or
 * 1 rupee and each credit in the ledger is covered by what was paid for it. Amounts are whole minor units of the
 * currency, and rates whole basis points: 1900 is 19%.
 */
import { assertUnits } from '../ledger/money';
import { type BilledTo } from './billing-details';

/** The legal entity that issues invoices. */
export interface Issuer {
  /** Counts the legal entities of the operator; each has series of numbers of its own. */
  entity_no: number;
  name: string;
  /** Lines of the postal address, separated by line feeds. */
  address: string;
  country: string;
  tax_number?: string;
  /** Of the company, in the register of its country. */
  registration_number?: string;
  email: string;
}

/** The tax of a country. */
export interface TaxRate {
  country: string;
  /** Such as `VAT` or `GST`. */
  name: string;
  basis_points: number;
  /** Buyers abroad with a tax number of this country owe the tax themselves. */
  reverse_charge: boolean;
}

export interface TaxSettings {
  issuer: Issuer;
  rates: readonly TaxRate[];
}

/** `outside`: the country has no rate, so that no tax is charged. */
export const TAX_TREATMENTS = ['taxed', 'reverse_charge', 'outside'] as const;
export type TaxTreatment = (typeof TAX_TREATMENTS)[number];

/** How a buyer is taxed. */
export interface TaxRule {
  /** Whose tax it is: that of the buyer, or of the issuer when the buyer has named none. */
  country: string;
  treatment: TaxTreatment;
  name: string;
  basis_points: number;
  /** The taxes of India are of the union and of the state (`CGST`, `SGST`), or of both together (`IGST`). */
  parts: readonly string[];
}

export interface TaxLine {
  name: string;
  basis_points: number;
  amount_minor: number;
}

/** What an invoice says of taxes, as it was on its day. */
export interface TaxTerms extends Omit<TaxRule, 'parts'> {
  lines: readonly TaxLine[];
}

/** What a top-up keeps from the day on which it was opened. */
export interface TopupTerms {
  issuer: Issuer;
  billed_to: BilledTo;
  tax: TaxTerms;
}

type Buyer = Pick<BilledTo, 'country' | 'tax_number'>;

/** The rule for a buyer. */
export function taxRuleOf({ issuer, rates }: TaxSettings, buyer: Buyer): TaxRule {
  const country = buyer.country ?? issuer.country;
  const rate = rates.find((each) => each.country === country);
  if (!rate) return { country, treatment: 'outside', name: 'Tax', basis_points: 0, parts: [] };
  const { name } = rate;
  if (rate.reverse_charge && buyer.tax_number !== undefined && country !== issuer.country)
    return { country, treatment: 'reverse_charge', name, basis_points: 0, parts: [] };
  const { basis_points } = rate;
  return { country, treatment: 'taxed', name, basis_points, parts: partsOf(issuer, country, buyer, name) };
}

/** The first two digits of a GSTIN are the state. A buyer without one is taken to be in the state of the issuer. */
function partsOf(issuer: Issuer, country: string, buyer: Buyer, name: string): string[] {
  if (country !== 'IN' || issuer.country !== 'IN') return [name];
  const state = issuer.tax_number?.slice(0, 2);
  const isSame = buyer.tax_number === undefined || buyer.tax_number.slice(0, 2) === state;
  return isSame ? ['CGST', 'SGST'] : ['IGST'];
}

const NONE = 10_000;

/** The terms for a price without tax: the tax comes on top. */
export function taxOn(rule: TaxRule, netMinor: number): TaxTerms {
  const share = rule.basis_points / Math.max(rule.parts.length, 1);
  const amount = Math.round((assertUnits(netMinor) * share) / NONE);
  return termsOf(
    rule,
    rule.parts.map(() => amount),
  );
}

/** The terms for an amount that was paid: the tax is a part of it. */
export function taxWithin(rule: TaxRule, grossMinor: number): TaxTerms {
  const total = Math.round((assertUnits(grossMinor) * rule.basis_points) / (NONE + rule.basis_points));
  return termsOf(
    rule,
    inProportion(
      total,
      rule.parts.map(() => 1),
    ),
  );
}

function termsOf({ parts, ...rule }: TaxRule, amounts: readonly number[]): TaxTerms {
  const basisPoints = rule.basis_points / Math.max(parts.length, 1);
  const lines = parts.map((name, index) => ({
    name,
    basis_points: basisPoints,
    amount_minor: amounts[index] ?? 0,
  }));
  return { ...rule, lines };
}

/** What the lines of a tax add up to. */
export const taxTotal = (lines: readonly TaxLine[]): number =>
  lines.reduce((sum, { amount_minor: amount }) => sum + amount, 0);

/** The lines of a part of an invoice, whose tax is `taxMinor`, by the largest remainder. */
export function linesOfPart(lines: readonly TaxLine[], taxMinor: number): TaxLine[] {
  const amounts = inProportion(
    taxMinor,
    lines.map(({ amount_minor: amount }) => amount),
  );
  return lines.map((line, index) => ({ ...line, amount_minor: amounts[index] ?? 0 }));
}

/** Divides a total by weights, by the largest remainder; the first of equal ones gets more. */
function inProportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum === 0) return weights.map((_, index) => (index === 0 ? total : 0));
  const exact = weights.map((weight) => (BigInt(total) * BigInt(weight)) / BigInt(sum));
  const parts = exact.map(Number);
  const rests = weights.map((weight, index) => ({
    index,
    rest: (BigInt(total) * BigInt(weight)) % BigInt(sum),
  }));
  rests.sort((one, other) =>
    one.rest === other.rest ? one.index - other.index : one.rest > other.rest ? -1 : 1,
  );
  const left = total - parts.reduce((all, part) => all + part, 0);
  for (const { index } of rests.slice(0, left)) parts[index] = (parts[index] ?? 0) + 1;
  return parts;
}

/** A rate as people write it: 1900 is `19%`, 550 is `5.5%`. */
export const percentText = (basisPoints: number): string => `${basisPoints / 100}%`;

/** Such as `VAT 19%`. */
export const taxLineName = ({
  name,
  basis_points: basisPoints,
}: Pick<TaxLine, 'name' | 'basis_points'>): string => `${name} ${percentText(basisPoints)}`;
