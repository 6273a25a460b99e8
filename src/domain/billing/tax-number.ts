/**
 * Tax numbers as invoices name them: VAT numbers of Europe, the GSTIN of India, and others. The form and the check
 * digits are checked, so that a mistyped number is refused. Only the authority knows whether a number is registered.
 */

/** The forms of VAT numbers behind their prefix, as the EU's VIES has them, and of other countries with VAT. */
const VAT: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]?\d{9}$/,
  BG: /^\d{9,10}$/,
  CH: /^E\d{9}(MWST|TVA|IVA)?$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  ES: /^([A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z])$/,
  FI: /^\d{8}$/,
  FR: /^[A-HJ-NP-Z0-9]{2}\d{9}$/,
  GB: /^(\d{9}|\d{12}|(GD|HA)\d{3})$/,
  GR: /^\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^(\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^\d{9}B\d{2}$/,
  NO: /^\d{9}(MVA)?$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
};
/** Greece writes EL, not its country code; Northern Ireland trades as XI. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = { GR: ['EL', 'GR'], GB: ['GB', 'XI'] };

const GSTIN = /^\d{2}[A-Z]{5}\d{4}[A-Z][A-Z0-9][A-Z][A-Z0-9]$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ANY = /^[A-Z0-9][A-Z0-9/]{2,28}[A-Z0-9]$/;

export type TaxNumber = { value: string } | { problem: string };

/**
 * Whether the check digits of a VAT number fit. `body`: the number without the prefix of its country, in its form.
 * `src/kit/tax/check-digits.ts` has the rules of the countries.
 */
export type CheckDigits = (country: string, body: string) => boolean;

/** A tax number of a country as it is stored: in upper case, without spaces, with the prefix of its country. */
export function readTaxNumber(country: string, entered: string, fits: CheckDigits): TaxNumber {
  const code = entered.toUpperCase().replaceAll(/[\s.-]/g, '');
  if (country === 'IN') return readGstin(code);
  const form = VAT[country];
  if (!form) return ANY.test(code) ? { value: code } : { problem: 'must have 4 to 30 letters and digits' };
  const prefixes = PREFIXES[country] ?? [country];
  // Before the prefix: a French key may be the letters FR.
  const bodies = [
    { prefix: '', body: code },
    ...prefixes
      .filter((each) => code.startsWith(each))
      .map((prefix) => ({ prefix, body: code.slice(prefix.length) })),
  ].filter(({ body }) => form.test(body));
  const right = bodies.find(({ body }) => fits(country, body));
  if (right) return { value: `${right.prefix || prefixes[0]}${right.body}` };
  if (bodies.length > 0) return { problem: `is not a VAT number of ${country}: its check digits do not fit` };
  return { problem: `is not a VAT number of ${country}, such as ${EXAMPLES[country] ?? ''}` };
}

/** Whether the country has VAT numbers whose form is known here. */
export const hasVatNumbers = (country: string): boolean => Object.hasOwn(VAT, country);

/** What a country calls its tax number. */
export function taxNumberName(country: string): string {
  if (country === 'IN') return 'GSTIN';
  return hasVatNumbers(country) ? 'VAT number' : 'Tax number';
}

function readGstin(code: string): TaxNumber {
  if (!GSTIN.test(code)) {
    return { problem: 'is not a GSTIN: 15 characters, such as 27AAPFU0939F1ZV' };
  }
  return checkDigit(code.slice(0, -1)) === code.at(-1)
    ? { value: code }
    : { problem: 'is not a GSTIN: its last character is a checksum, which does not fit' };
}

/** The checksum of a GSTIN: base 36, with factors 1 and 2 in turn. */
function checkDigit(code: string): string | undefined {
  const sum = [...code].reduce((total, character, index) => {
    const product = DIGITS.indexOf(character) * (1 + (index % 2));
    return total + Math.floor(product / 36) + (product % 36);
  }, 0);
  return DIGITS[(36 - (sum % 36)) % 36];
}

const EXAMPLES: Readonly<Record<string, string>> = {
  AT: 'ATU13585627', BE: 'BE0403019261', BG: 'BG175074752', CH: 'CHE107787577', CY: 'CY10259033P', CZ: 'CZ25123891',
  DE: 'DE136695976', DK: 'DK13585628', EE: 'EE100594102', ES: 'ESB58378431', FI: 'FI20774740', FR: 'FR40303265045',
  GB: 'GB980780684', GR: 'EL094259216', HR: 'HR33392005961', HU: 'HU12892312', IE: 'IE6433435F', IT: 'IT00743110157',
  LT: 'LT119511515', LU: 'LU15027442', LV: 'LV40003521600', MT: 'MT11679112', NL: 'NL004495445B01',
  NO: 'NO995525828MVA', PL: 'PL8567346215', PT: 'PT501964843', RO: 'RO18547290', SE: 'SE123456789701',
  SI: 'SI50223054', SK: 'SK2022749619',
}; // prettier-ignore
