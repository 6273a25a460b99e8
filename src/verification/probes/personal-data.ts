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
    pattern: /(?<![\w.-]|[\dA-Z] )[2-6]\d{3}(?:[ -]?\d){9,15}(?![\w]|[.-]\w)/g,
    counts: isCard,
  },
  { kind: 'phone_number', pattern: /(?<![\w+])\+[1-9](?:[ ().-]{0,2}\d){7,14}(?!\d)/g, counts: isPhone },
  {
    kind: 'us_social_security',
    pattern: /(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/g,
    counts: () => true,
  },
];

/** Addresses that do not belong to a person: reserved domains (RFC 2606), and the roles of RFC 2142 and of practice. */
const NOT_PERSONAL =
  /(?:^|[@.])example\.(?:com|net|org)$|\.(?:example|test|invalid|localhost)$|^(?:no-?reply|do-?not-?reply|info|contact|hello|hi|help|support|service|services|sales|marketing|press|media|pr|privacy|dpo|gdpr|legal|security|abuse|billing|accounts?|accounting|invoices?|orders?|booking|bookings|reservations?|admin|office|team|jobs|careers|hr|recruiting|webmaster|postmaster|hostmaster|noc|feedback|enquir(?:y|ies)|inquir(?:y|ies)|newsletter|news|partners?|customer-?(?:care|service|support)|care|returns|shipping|events|community|api|dev|developers?|editor|editorial|reception|kontakt|mail)(?:[+.-][\w-]{1,200})?@/i;
/** Numbers that only companies have: freephone, shared cost and universal numbers. */
const COMPANY_NUMBER =
  /^\+(?:800|1(?:800|888|877|866|855|844|833)|44(?:80|84|30)|49(?:800|180)|33(?:80|81|82)|91(?:1800|1860))/;
const NAME_BEFORE = /\b[A-Z][a-z]{1,40} [A-Z][a-z]{1,40}\W{1,12}(?:\w{1,9}\W{1,3}){0,2}$/;
const CARD_BEFORE =
  /\b(?:card|cards|visa|master ?card|amex|american express|discover|pan|payment|kreditkarte|karte|carte|tarjeta|cc)\b\W{0,12}(?:\w{1,12}\W{1,4}){0,3}$/i;
const IN_FOURS = /^(?:\d{4}[ -]){3}\d{4}$|^3\d{3}[ -]\d{6}[ -]\d{5}$/;
/** Lengths and first digits that issuers of cards use. */
const ISSUED =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$/;
const LABEL_BEFORE = /\b(?:SSN|social security|PAN)\W{1,12}(?:\w{1,9}\W{1,3}){0,3}$/i;
/** Their check digits are verified. */
const CHECKED: ReadonlySet<PersonalDataKind> = new Set(['bank_account', 'payment_card']);
const REACHED_BY: readonly PersonalDataKind[] = ['email_address', 'phone_number'];
/** So much of the text before a value can name whose it is. */
const NEAR = 48;

export interface PersonalDatum {
  kind: PersonalDataKind;
  /** True when nothing else but a person's data looks like it: a check digit, or a name or label before it. */
  isCertain: boolean;
  /** Without spaces and punctuation, to recognize it elsewhere. It must not leave the process. */
  value: string;
}

/**
 * The personal data in `output` that is not in `input`, in a fixed order. Contacts of a company do not count: role
 * addresses, service numbers, and addresses at `ownHosts`.
 */
export function personalDataIn(
  output: string,
  input: string,
  ownHosts: readonly string[] = [],
): PersonalDatum[] {
  const given = plain(input);
  return DETECTORS.flatMap(({ kind, pattern, counts }) =>
    [...output.matchAll(pattern)].flatMap(({ 0: match, index }) => {
      const value = plain(match);
      if (!counts(match) || given.includes(value)) return [];
      if (kind === 'email_address' && isAtHost(match, ownHosts)) return [];
      const before = output.slice(Math.max(0, index - NEAR), index);
      // One of ten numbers of this length has the check digit by chance: ids and digests are numbers, too.
      if (kind === 'payment_card' && !IN_FOURS.test(match) && !CARD_BEFORE.test(before)) return [];
      const isNamed = NAME_BEFORE.test(before) || LABEL_BEFORE.test(before);
      return [{ kind, isCertain: CHECKED.has(kind) || isNamed, value }];
    }),
  );
}

/**
 * The kinds in several outputs, each with whether it is certain: by itself, because different values occur, or because
 * an output has an address and a number.
 */
export function certainKinds(outputs: readonly (readonly PersonalDatum[])[]): Map<PersonalDataKind, boolean> {
  const byKind = new Map<PersonalDataKind, { first: string; isCertain: boolean }>();
  for (const { kind, value, isCertain } of outputs.flat()) {
    const { first, isCertain: before } = byKind.get(kind) ?? { first: value, isCertain };
    byKind.set(kind, { first, isCertain: before || isCertain || value !== first });
  }
  const hasContact = outputs.some((data) => {
    const kinds = new Set(data.map(({ kind }) => kind));
    return REACHED_BY.every((kind) => kinds.has(kind));
  });
  return new Map(
    [...byKind].map(([kind, { isCertain }]) => [
      kind,
      isCertain || (hasContact && REACHED_BY.includes(kind)),
    ]),
  );
}

/** True when the domain of an address is one of the hosts, above one, or below one. */
function isAtHost(address: string, hosts: readonly string[]): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return hosts.some((host) => host === domain || host.endsWith(`.${domain}`) || domain.endsWith(`.${host}`));
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[\s().-]/g, '');
}

function isPersonalAddress(address: string): boolean {
  return !NOT_PERSONAL.test(address);
}

/** False for numbers that are reserved for fiction and documentation, or for companies. */
function isPhone(number: string): boolean {
  const digits = `+${number.replace(/\D/g, '')}`;
  return !/^\+1\d{3}55501\d{2}$/.test(digits) && !COMPANY_NUMBER.test(digits);
}

/** Verifies the Luhn checksum; false for the published test numbers of payment providers. */
function isCard(match: string): boolean {
  const digits = match.replace(/\D/g, '');
  if (!ISSUED.test(digits) || /^(?:4242424242424242|4111111111111111|(\d)\1{1,20})$/.test(digits))
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
