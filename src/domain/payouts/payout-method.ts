/**
 * Where a developer wants the money, by method: which details, what each must look like, and how much of it people may
 * read later. Checks are those that a bank would make: a wrong digit is found here, not in a returned transfer.
 */
import type { FieldProblem } from '../errors';
import type { PayoutMethod } from './payout';

export type PayoutDetails = Readonly<Record<string, string>>;

interface DetailRule {
  pattern: RegExp;
  says: string;
  /** Further digits that must agree. */
  check?: (value: string) => boolean;
  optional?: true;
  /** Shown as it is; everything else is masked but for its end. */
  open?: true;
}

const NAME: DetailRule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9 .,'/()+?:-]{0,69}$/,
  says: "takes 1 to 70 letters, digits, spaces and .,'/()+?:- as banks do",
};

const RULES: Record<PayoutMethod, Record<string, DetailRule>> = {
  ach: {
    account_holder_name: NAME,
    routing_number: {
      pattern: /^[0-9]{9}$/,
      says: 'is no ABA routing number',
      check: isRoutingNumber,
      open: true,
    },
    account_number: { pattern: /^[A-Za-z0-9-]{4,17}$/, says: 'takes 4 to 17 letters, digits and dashes' },
    account_type: { pattern: /^(checking|savings)$/, says: 'is checking or savings', open: true },
  },
  swift: {
    account_holder_name: NAME,
    bic: {
      pattern: /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/,
      says: 'is no BIC of 8 or 11 characters',
      open: true,
    },
    iban: {
      pattern: /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/,
      says: 'is no IBAN',
      check: isIban,
      optional: true,
    },
    account_number: {
      pattern: /^[A-Za-z0-9-]{4,34}$/,
      says: 'takes 4 to 34 letters, digits and dashes',
      optional: true,
    },
    country: { pattern: /^[A-Z]{2}$/, says: 'is no ISO 3166 country code', open: true },
    town: {
      pattern: /^[A-Za-z0-9][A-Za-z0-9 .,'/()+?:-]{0,34}$/,
      says: 'takes 1 to 35 characters',
      open: true,
    },
  },
  upi: {
    account_holder_name: NAME,
    vpa: {
      pattern: /^[A-Za-z0-9._-]{2,100}@[A-Za-z][A-Za-z0-9]{1,63}$/,
      says: 'is no UPI address (name@bank)',
    },
  },
  usdc: {
    address: { pattern: /^0x[0-9a-fA-F]{40}$/, says: 'is no EVM address' },
    network: { pattern: /^base$/, says: 'is base', open: true },
  },
};

/** Everything that is wrong with the details of a method; empty when they will do. */
export function problemsOfDetails(method: PayoutMethod, details: PayoutDetails): FieldProblem[] {
  const rules = RULES[method];
  const problems: FieldProblem[] = [];
  const tell = (field: string, msg: string, type: string) =>
    problems.push({ loc: ['body', 'details', field], msg, type });
  for (const field of Object.keys(details))
    if (!Object.hasOwn(rules, field)) tell(field, 'is not a detail of this method', 'additionalProperties');
  for (const [field, rule] of Object.entries(rules)) {
    const value = Object.hasOwn(details, field) ? details[field] : undefined;
    if (value === undefined) {
      if (!rule.optional) tell(field, 'is required', 'required');
    } else if (!rule.pattern.test(value) || rule.check?.(value) === false) tell(field, rule.says, 'pattern');
  }
  if (method === 'swift' && 'iban' in details === 'account_number' in details) {
    tell('iban', 'exactly one of iban and account_number is needed', 'oneOf');
  }
  return problems;
}

/** The details as people may read them: the last four characters of what leads to an account. */
export function maskDetails(method: PayoutMethod, details: PayoutDetails): PayoutDetails {
  const shown = Object.entries(details).map(([field, value]) => {
    const isOpen = RULES[method][field]?.open ?? false;
    return [field, isOpen || field === 'account_holder_name' ? value : maskEnd(value)];
  });
  return Object.fromEntries(shown) as PayoutDetails;
}

/** `•••• 6789`; short values are hidden whole. */
export function maskEnd(value: string): string {
  return value.length > 6 ? `•••• ${value.slice(-4)}` : '••••';
}

/** The ABA checksum: 3, 7, 1 times the digits is a multiple of ten. */
export function isRoutingNumber(digits: string): boolean {
  const weights = [3, 7, 1];
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0);
  return digits.length === 9 && sum > 0 && sum % 10 === 0;
}

/** ISO 13616: rotated by four and with letters as numbers from 10, the rest of dividing by 97 is 1. */
export function isIban(iban: string): boolean {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
