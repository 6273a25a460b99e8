/**
 * Transliteration for banks: text in Latin letters, in the characters that NACHA, SWIFT and UPI files allow. Text in
 * other scripts is refused where it is entered, because a guessed spelling would not match the name of the account.
 */

/** Letters without a decomposable accent, and typographic characters, with their plain replacements. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', ł: 'l', Ł: 'L',
  þ: 'th', Þ: 'Th', ı: 'i', ħ: 'h', Ħ: 'H', ŋ: 'n', Ŋ: 'N', ŧ: 't', Ŧ: 'T', ĸ: 'k', ə: 'e', Ə: 'E',
  '’': "'", '‘': "'", '‚': "'", '“': '', '”': '', '„': '', '"': '', '`': "'", '´': "'", 'ʻ': "'", 'ʼ': "'",
  '‐': '-', '‑': '-', '–': '-', '—': '-', '−': '-', _: '-', '&': '+', '\t': ' ', '\n': ' ', '\r': ' ',
}; // prettier-ignore

/** Replaces accented letters and typographic characters by plain ones. Other characters stay as they are. */
export function plainLatin(value: string): string {
  // An accent of its own decomposes into a space and a mark.
  const marks = value.replaceAll('´', "'").normalize('NFKD').replace(/\p{M}/gu, '');
  return Array.from(marks, (letter) => PLAIN[letter] ?? letter).join('');
}

/**
 * Reduces text to the SWIFT character set: letters without accents, digits, single spaces and `.,'/()+?:-`, at most
 * `length` characters. Banks refuse text that begins or ends with a slash or contains two in a row. Returns an empty
 * string when no character can be represented.
 */
export function bankText(value: string, length: number): string {
  const plain = plainLatin(value)
    .replace(/[^A-Za-z0-9 .,'/()+?:-]/g, '')
    .replace(/\/[/ ]*\//g, '/')
    .replace(/ {2,}/g, ' ')
    .replace(/^[/ ]+/, '');
  return plain.slice(0, length).replace(/[/ ]+$/, '');
}
