/** Payout destinations: validation of their details, and how much of them is shown later. */
import type { FieldProblem } from '../errors';
import { isIbanOf } from './iban-countries';
import { plainLatin } from './bank-text';
import { isRecord } from '../json-value';
import { type DetailRule, PAYOUT_METHODS, type PayoutMethod, type Rail, RAILS } from './rails';

export type PayoutDetails = Readonly<Record<string, string>>;

/** The details as they are checked and stored: bank codes, such as an IBAN, without spaces and in upper case. */
export function normalDetails(method: PayoutMethod, details: PayoutDetails): PayoutDetails {
  const { details: rules }: Rail = RAILS[method];
  const isCode = (field: string) => Object.hasOwn(rules, field) && rules[field]?.isCode;
  return Object.fromEntries(
    Object.entries(details).map(([field, value]) => [
      field,
      isCode(field) ? value.replaceAll(/[ \u00a0\u202f]/g, '').toUpperCase() : value,
    ]),
  );
}

/**
 * Validates the details of a payout method. Returns one problem for each invalid field; empty when all are
 * valid.
 */
export function problemsOfDetails(method: PayoutMethod, details: PayoutDetails): FieldProblem[] {
  const { details: rules, eitherOf }: Rail = RAILS[method];
  const problems: FieldProblem[] = [];
  const report = (field: string, msg: string, type: string) =>
    problems.push({ loc: ['body', 'details', field], msg, type });
  for (const field of Object.keys(details))
    if (!Object.hasOwn(rules, field)) report(field, 'is not a detail of this method', 'additionalProperties');
  for (const [field, rule] of Object.entries(rules)) {
    const value = Object.hasOwn(details, field) ? details[field] : undefined;
    if (value === undefined) {
      if (!eitherOf?.includes(field)) report(field, 'is required', 'required');
    } else if (!fits(rule, value)) report(field, rule.message, 'pattern');
  }
  const { iban, country } = details;
  const isRead = !problems.some(({ loc }) => loc[2] === 'iban' || loc[2] === 'country');
  if (iban !== undefined && country !== undefined && isRead && !isIbanOf(iban, country))
    report('country', `is not the country of the IBAN (${iban.slice(0, 2)})`, 'country');
  const [first, second] = eitherOf ?? [];
  if (first !== undefined && second !== undefined && first in details === second in details) {
    report(first, `give exactly one of ${first} and ${second}`, 'oneOf');
  }
  return problems;
}

/** The same for a request that was not validated yet: details that are no text are left out. */
export function problemsOfEntered(method: unknown, details: unknown): FieldProblem[] {
  const known = PAYOUT_METHODS.find((each) => each === method);
  if (!known || !isRecord(details)) return [];
  const texts = Object.entries(details).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const others = new Set(Object.keys(details).filter((field) => typeof details[field] !== 'string'));
  const problems = problemsOfDetails(known, normalDetails(known, Object.fromEntries(texts)));
  return problems.filter(({ loc }) => !others.has(String(loc[2])));
}

function fits({ pattern, check, isName }: DetailRule, value: string): boolean {
  if (isName && /\p{Cc}/u.test(value)) return false;
  return pattern.test(isName ? plainLatin(value.trim()) : value) && check?.(value) !== false;
}

/** Masks the details for display: account identifiers show their last four characters only. */
export function maskDetails(method: PayoutMethod, details: PayoutDetails): PayoutDetails {
  const { details: rules }: Rail = RAILS[method];
  const shown = Object.entries(details).map(([field, value]) => [
    field,
    rules[field]?.isUnmasked ? value : maskEnd(value),
  ]);
  return Object.fromEntries(shown) as PayoutDetails;
}

/** Masks a value: `•••• 6789`. Values of up to 6 characters are hidden completely. */
export function maskEnd(value: string): string {
  return value.length > 6 ? `•••• ${value.slice(-4)}` : '••••';
}
