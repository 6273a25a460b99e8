/**
 * Tax numbers as invoices name them: VAT numbers of Europe, the GSTIN of India, and others. Only the form is checked,
 * and the checksum of a GSTIN: whether a number is registered, its authority knows.
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

/** A tax number of a country as it is stored: in upper case, without spaces, with the prefix of its country. */
export function readTaxNumber(country: string, entered: string): TaxNumber {
  const code = entered.toUpperCase().replaceAll(/[\s.-]/g, '');
  if (country === 'IN') return readGstin(code);
  const form = VAT[country];
  if (!form) return ANY.test(code) ? { value: code } : { problem: 'must have 4 to 30 letters and digits' };
  const prefixes = PREFIXES[country] ?? [country];
  // Before the prefix: a French key may be the letters FR.
  if (form.test(code)) return { value: `${prefixes[0]}${code}` };
  if (prefixes.some((each) => code.startsWith(each) && form.test(code.slice(each.length))))
    return { value: code };
  return { problem: `is not a VAT number of ${country}, such as ${EXAMPLES[country] ?? ''}` };
}

/** What a country calls its tax number. */
export function taxNumberName(country: string): string {
  if (country === 'IN') return 'GSTIN';
  return country in VAT ? 'VAT number' : 'Tax number';
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
  AT: 'ATU12345678', BE: 'BE0123456789', BG: 'BG123456789', CH: 'CHE123456789', CY: 'CY12345678X', CZ: 'CZ12345678',
  DE: 'DE123456789', DK: 'DK12345678', EE: 'EE123456789', ES: 'ESX1234567X', FI: 'FI12345678', FR: 'FR12345678901',
  GB: 'GB123456789', GR: 'EL123456789', HR: 'HR12345678901', HU: 'HU12345678', IE: 'IE1234567T', IT: 'IT12345678901',
  LT: 'LT123456789', LU: 'LU12345678', LV: 'LV12345678901', MT: 'MT12345678', NL: 'NL123456789B01',
  NO: 'NO123456789MVA', PL: 'PL1234567890', PT: 'PT123456789', RO: 'RO1234567890', SE: 'SE123456789001',
  SI: 'SI12345678', SK: 'SK1234567890',
}; // prettier-ignore
