/** Check digits of identifiers that people copy from papers: each kind has a form and a checksum. */

const digitsOf = (text) => Array.from(text, Number);

/** The sum of digits that are weighted in turn, from the left. */
const weighted = (digits, weights) =>
  digits.reduce((sum, digit, at) => sum + digit * weights[at % weights.length], 0);

function isIsbn10(text) {
  const digits = Array.from(text, (letter) => (letter === 'X' ? 10 : Number(letter)));
  return digits.reduce((sum, digit, at) => sum + digit * (10 - at), 0) % 11 === 0;
}

/** EAN and ISBN-13: the sum with weights 1 and 3 is a multiple of ten. */
const isEan = (text) => weighted(digitsOf(text), text.length % 2 === 1 ? [1, 3] : [3, 1]) % 10 === 0;

/** ISSN: weights 8 to 2, the last digit may be X. */
function isIssn(text) {
  const digits = Array.from(text, (letter) => (letter === 'X' ? 10 : Number(letter)));
  return digits.reduce((sum, digit, at) => sum + digit * (8 - at), 0) % 11 === 0;
}

/** IBAN: the first four characters move to the end, letters become numbers, and the rest by 97 is 1. */
function isIban(text) {
  let rest = 0;
  for (const letter of text.slice(4) + text.slice(0, 4))
    for (const digit of String(Number.parseInt(letter, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/** ORCID: ISO 7064, mod 11-2. */
function isOrcid(text) {
  const sum = digitsOf(text.slice(0, 15)).reduce((total, digit) => ((total + digit) * 2) % 11, 0);
  const check = (12 - sum) % 11;
  return text.endsWith(check === 10 ? 'X' : String(check));
}

const KINDS = [
  { kind: 'IBAN', form: /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/, isValid: isIban },
  { kind: 'ORCID', form: /^0000000[0-9]\d{7}[0-9X]$/, isValid: isOrcid },
  { kind: 'ISBN-13', form: /^97[89]\d{10}$/, isValid: isEan },
  { kind: 'EAN-13', form: /^\d{13}$/, isValid: isEan },
  { kind: 'ISBN-10', form: /^\d{9}[0-9X]$/, isValid: isIsbn10 },
  { kind: 'ISSN', form: /^\d{4}-\d{3}[0-9X]$/, isValid: (text) => isIssn(text.replace('-', '')) },
  { kind: 'EAN-8', form: /^\d{8}$/, isValid: isEan },
];

/** The kind of an identifier and whether its check digit is right; undefined if it has no known form. */
export function checkIdentifier(identifier) {
  const bare = identifier.replaceAll(/[\s.-]/g, '').toUpperCase();
  for (const { kind, form, isValid } of KINDS) {
    const text = [identifier.toUpperCase(), bare].find((candidate) => form.test(candidate));
    if (text !== undefined) return { kind, isValid: isValid(text) };
  }
  return undefined;
}
