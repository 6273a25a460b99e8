/**
 * Detectors of personal data in outputs, for the audit of `pii_processed` (specification, "data_handling"). Values
 * that the output repeats from its input do not count, nor do values reserved for documentation. Check digits are
 * verified. Every pattern is linear in the length of the text.
 */
import type { PersonalDataKind } from '../../domain/verification/probe-facts';

interface Detector {
  kind: PersonalDataKind;
  pattern: RegExp;
  counts(match: string): boolean;
}

const DETECTORS: readonly Detector[] = [
  { kind: 'bank_account', pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g, counts: isIban },
  {
    kind: 'email_address',
    pattern: /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b/g,
    counts: isPersonalAddress,
  },
  { kind: 'india_pan', pattern: /\b[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]\b/g, counts: () => true },
  {
    kind: 'payment_card',
    pattern: /(?<![\w.-]|[\dA-Z] )[3-6]\d{3}(?:[ -]?\d){9,15}(?![\d.])/g,
    counts: isCard,
  },
  { kind: 'phone_number', pattern: /(?<![\w+])\+[1-9](?:[ ().-]{0,2}\d){7,14}(?!\d)/g, counts: isPhone },
  {
    kind: 'us_social_security',
    pattern: /(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/g,
    counts: () => true,
  },
];

/** Addresses that do not belong to a person: reserved domains (RFC 2606) and no-reply senders. */
const NOT_PERSONAL =
  /(?:^|[@.])example\.(?:com|net|org)$|\.(?:example|test|invalid|localhost)$|^(?:no-?reply|do-?not-?reply)@/i;

/** The kinds of personal data in `output` that are not in `input`, in a fixed order. */
export function personalDataIn(output: string, input: string): PersonalDataKind[] {
  const given = plain(input);
  return DETECTORS.filter(({ pattern, counts }) =>
    [...output.matchAll(pattern)].some(([match]) => counts(match) && !given.includes(plain(match))),
  ).map(({ kind }) => kind);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[\s().-]/g, '');
}

function isPersonalAddress(address: string): boolean {
  return !NOT_PERSONAL.test(address);
}

/** False for numbers that are reserved for fiction and documentation. */
function isPhone(number: string): boolean {
  return !/^\+1\d{3}55501\d{2}$/.test(`+${number.replace(/\D/g, '')}`);
}

/** Verifies the Luhn checksum; false for the published test numbers of payment providers. */
function isCard(match: string): boolean {
  const digits = match.replace(/\D/g, '');
  if (
    digits.length < 13 ||
    digits.length > 19 ||
    /^(?:4242424242424242|4111111111111111|(\d)\1+)$/.test(digits)
  )
    return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Verifies the ISO 13616 checksum: the rearranged number is 1 modulo 97. */
function isIban(match: string): boolean {
  const compact = match.replaceAll(' ', '');
  if (compact.length < 15 || compact.length > 34) return false;
  const digits = `${compact.slice(4)}${compact.slice(0, 4)}`.replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return [...digits].reduce((remainder, digit) => (remainder * 10 + Number(digit)) % 97, 0) === 1;
}
