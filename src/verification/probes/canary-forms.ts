/** Finds a canary of another call in an answer, in the forms in which text is hidden or passed on. */

/** A canary in two halves. Each canary is used in one call only. */
export interface Canary {
  left: string;
  right: string;
}

const MAX_ENCODED_RUNS = 200;

/**
 * True when the text contains both halves of the canary: together, spaced, or apart; in upper or lower case, reversed,
 * in base64 at any offset, in hexadecimal, percent-encoded, as numbers of characters, or rotated by 13 letters.
 */
export function revealsCanary(text: string, canary: Canary): boolean {
  return readings(text).some((reading) => containsBoth(reading, canary));
}

/** The text as it is, and as it reads after each decoding. */
export function readings(text: string): string[] {
  return [text, reversed(text), rotated(text), ...decoded(text)];
}

function containsBoth(text: string, { left, right }: Canary): boolean {
  const plain = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return plain.includes(left.toLowerCase()) && plain.includes(right.toLowerCase());
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

function rotated(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** Characters as entities of HTML (`&#65;`, `&#x41;`) or as escapes (`\\u0041`, `\\x41`). */
const NUMBERED = /&#x?[0-9a-f]{1,6};|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2})/i;
const EVERY_NUMBERED = /&#(\d{1,7});|&#x([0-9a-f]{1,6});|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi;

function fromNumber(_whole: string, decimal: string | undefined, ...hex: unknown[]): string {
  const digits = hex.slice(0, 3).find((one): one is string => typeof one === 'string');
  const code = decimal === undefined ? parseInt(digits ?? '', 16) : Number(decimal);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}

/** Every run of base64 and hexadecimal, decoded at each offset, and the percent-encoded text. */
function decoded(text: string): string[] {
  const found: string[] = [];
  for (const [run] of [...text.matchAll(/[A-Za-z0-9+/_-]{8,65536}/g)].slice(0, MAX_ENCODED_RUNS)) {
    for (let offset = 0; offset < 4; offset += 1)
      found.push(Buffer.from(run.slice(offset), 'base64').toString('latin1'));
    if (/^[0-9a-f]+$/i.test(run))
      for (const offset of [0, 1]) found.push(Buffer.from(run.slice(offset), 'hex').toString('latin1'));
  }
  if (/%[0-9a-f]{2}/i.test(text))
    found.push(
      text.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    );
  if (NUMBERED.test(text)) found.push(text.replace(EVERY_NUMBERED, fromNumber));
  return found.flatMap((plain) => [plain, reversed(plain)]);
}
