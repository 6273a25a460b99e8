/**
 * The payout rails (specification, Payouts): the only table of them in the code. The contract, the command line, the
 * statements and the rows of `payout_rails`, which `migrate` writes, are made of it. A test compares it with
 * docs/payouts.md.
 */
import { isIban, isRoutingNumber } from './bank-numbers';
import { isCountry } from '../countries';

/** One field of a payout destination. */
export interface DetailRule {
  pattern: RegExp;
  message: string;
  /** Checksum. */
  check?: (value: string) => boolean;
  /** All values that the field may have. */
  choices?: readonly string[];
  /** The value is stored with the checksum of an EVM address (ERC-55). */
  isEvmAddress?: true;
  /** The pattern applies to the text as banks get it (`plainLatin`); it is stored as it was entered. */
  isName?: true;
  /** People write it in groups and in any case: it is stored without spaces, in upper case. */
  isCode?: true;
  /** Shown unmasked. All other details are masked except for their last characters. */
  isUnmasked?: true;
}

export interface Rail {
  /** `file`: one disbursement file for the bank each Monday. `chain`: an on-chain transfer for each payout. */
  channel: 'file' | 'chain';
  /** Currency of the payout. */
  currency: string;
  /** Smallest amount that is paid out. */
  minimumCredits: number;
  /** Smallest units of the currency for one credit (USD 0.01), before the exchange rate, if there is one. */
  minorPerCredit: number;
  /** The rate that converts US dollars to the currency; null for none. */
  rate: 'USD/INR' | null;
  /** Time from the Monday until the money arrives, for people. */
  processingTime: string;
  details: Readonly<Record<string, DetailRule>>;
  /** Two fields of which exactly one is given. All other fields are required. */
  eitherOf?: readonly [string, string];
}

const NAME: DetailRule = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9 .,'/()+?:-]{0,69}$/,
  message:
    "must have 1 to 70 Latin letters, digits, spaces or .,'/()+?:-& as the bank knows the account; accents are removed",
  isName: true,
  isUnmasked: true,
};

const ACH_DETAILS: Rail['details'] = {
  account_holder_name: NAME,
  routing_number: {
    pattern: /^[0-9]{9}$/,
    message: 'is not a valid ABA routing number',
    check: isRoutingNumber,
    isCode: true,
    isUnmasked: true,
  },
  account_number: {
    pattern: /^[A-Za-z0-9-]{4,17}$/,
    message: 'must have 4 to 17 letters, digits or dashes',
  },
  account_type: {
    pattern: /^(checking|savings)$/,
    message: 'must be checking or savings',
    choices: ['checking', 'savings'],
    isUnmasked: true,
  },
};

const SWIFT_DETAILS: Rail['details'] = {
  account_holder_name: NAME,
  bic: {
    pattern: /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/,
    message: 'is not a valid BIC of 8 or 11 characters',
    check: (bic) => isCountry(bic.slice(4, 6)),
    isCode: true,
    isUnmasked: true,
  },
  iban: {
    pattern: /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/,
    message: 'is not a valid IBAN',
    check: isIban,
    isCode: true,
  },
  account_number: {
    pattern: /^[A-Za-z0-9-]{4,34}$/,
    message: 'must have 4 to 34 letters, digits or dashes',
  },
  country: {
    pattern: /^[A-Z]{2}$/,
    message: 'is not an ISO 3166 country code of two letters',
    check: isCountry,
    isCode: true,
    isUnmasked: true,
  },
  town: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9 .,'/()+?:-]{0,34}$/,
    message: "must have 1 to 35 Latin letters, digits, spaces or .,'/()+?:-& (accents are removed)",
    isName: true,
    isUnmasked: true,
  },
};

const UPI_DETAILS: Rail['details'] = {
  account_holder_name: NAME,
  vpa: {
    // Spreadsheets evaluate a cell that begins with a sign, and banks open the file in them.
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{1,99}@[A-Za-z][A-Za-z0-9]{1,63}$/,
    message: 'is not a valid UPI address: name@bank, where the name begins with a letter or a digit',
  },
};

const USDC_DETAILS: Rail['details'] = {
  address: {
    pattern: /^0x[0-9a-fA-F]{40}$/,
    message: 'is not a valid EVM address (0x and 40 hexadecimal digits)',
    isEvmAddress: true,
  },
  network: { pattern: /^base$/, message: 'must be base', choices: ['base'], isUnmasked: true },
};

export const RAILS = {
  ach: {
    channel: 'file',
    currency: 'USD',
    minimumCredits: 1_000,
    minorPerCredit: 1,
    rate: null,
    processingTime: '2 to 3 business days',
    details: ACH_DETAILS,
  },
  swift: {
    channel: 'file',
    currency: 'USD',
    minimumCredits: 5_000,
    minorPerCredit: 1,
    rate: null,
    processingTime: '3 to 5 business days',
    details: SWIFT_DETAILS,
    eitherOf: ['iban', 'account_number'],
  },
  upi: {
    channel: 'file',
    currency: 'INR',
    minimumCredits: 500,
    minorPerCredit: 1,
    rate: 'USD/INR',
    processingTime: 'same day',
    details: UPI_DETAILS,
  },
  usdc: {
    channel: 'chain',
    currency: 'USDC',
    minimumCredits: 1_000,
    minorPerCredit: 10_000,
    rate: null,
    processingTime: 'typically under 1 hour',
    details: USDC_DETAILS,
  },
} as const satisfies Record<string, Rail>;

export type PayoutMethod = keyof typeof RAILS;
/** Methods that are paid through a bank with one disbursement file per Monday. */
export type FileMethod = {
  [Method in PayoutMethod]: (typeof RAILS)[Method]['channel'] extends 'file' ? Method : never;
}[PayoutMethod];

export const PAYOUT_METHODS = Object.keys(RAILS) as PayoutMethod[];
export const FILE_METHODS = PAYOUT_METHODS.filter(
  (method): method is FileMethod => RAILS[method].channel === 'file',
);

/** The fields of a method for people: `address, network (base)`. */
export function detailsText(method: PayoutMethod): string {
  const { details, eitherOf }: Rail = RAILS[method];
  const [first, second] = eitherOf ?? [];
  return Object.entries(details)
    .filter(([field]) => field !== second)
    .map(([field, { choices }]) => {
      if (field === first) return `${first} or ${second}`;
      return choices ? `${field} (${choices.join(', ')})` : field;
    })
    .join(', ');
}
