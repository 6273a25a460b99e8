/** The forms in which text is hidden or passed on, and canaries of other calls in them. */

/** A canary in two halves. Each canary is used in one call only. */
export interface Canary {
  left: string;
  right: string;
}

const MAX_ENCODED_RUNS = 200;
/** Longer texts are read in the common forms only. */
const MAX_UNUSUAL_LENGTH = 16_384;

/**
 * True when the text contains both halves of the canary, in any of its readings: together, spaced, or apart; in upper
 * or lower case.
 */
export function revealsCanary(text: string, { left, right }: Canary): boolean {
  const [one, other] = [left.toLowerCase(), right.toLowerCase()];
  return plainReadings(text).some((plain) => plain.includes(one) && plain.includes(other));
}

/**
 * The text as it is, and as it reads after each decoding: reversed, in base64 at any offset, in hexadecimal,
 * percent-encoded, or as numbers of characters; a text of up to 16,384 characters also rotated by any number of
 * letters, with separated letters, in base32, in binary or decimal numbers, in Morse code, or with digits for letters.
 */
export const readings = forLast((text: string): string[] => [
  ...new Set([
    text,
    reversed(text),
    rotated(text, 13),
    ...decoded(text),
    ...(text.length > MAX_UNUSUAL_LENGTH ? [] : unusual(text)),
  ]),
]);

const plainReadings = forLast((text: string): string[] =>
  readings(text).map((reading) => reading.toLowerCase().replace(/[^a-z0-9]/g, '')),
);

/** Keeps the last result: all detectors read an answer before the next one. */
function forLast<T>(read: (text: string) => T): (text: string) => T {
  let last: { text: string; result: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: read(text) };
    return last.result;
  };
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

const LETTERS = 26;

function rotated(text: string, by: number): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + by) % LETTERS) + base);
  });
}

/** Characters as entities of HTML (`&#65;`, `&#x41;`) or as escapes (`\\u0041`, `\\x41`). */
const NUMBERED = /&#x?[0-9a-f]{1,6};|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2})/i;
const EVERY_NUMBERED = /&#(\d{1,7});|&#x([0-9a-f]{1,6});|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi;

function fromNumber(_whole: string, decimal: string | undefined, ...hex: unknown[]): string {
  const digits = hex.slice(0, 3).find((one): one is string => typeof one === 'string');
  return characterOf(decimal === undefined ? parseInt(digits ?? '', 16) : Number(decimal));
}

function characterOf(code: number): string {
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

const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g;
const TAGS = /[\u{e0020}-\u{e007e}]/gu;
const TAG_BASE = 0xe0000;

/** Forms that people use in play, and that ordinary answers do not have. */
function unusual(text: string): string[] {
  const found = Array.from({ length: LETTERS - 1 }, (_, by) => rotated(text, by + 1));
  found.push(text.normalize('NFKC').replace(INVISIBLE, ''));
  found.push(text.replace(TAGS, (tag) => characterOf((tag.codePointAt(0) ?? TAG_BASE) - TAG_BASE)));
  found.push(text.split(' ').reverse().join(' '));
  found.push(text.replace(/[013457@$]/g, (digit) => LEET[digit] ?? digit));
  for (const [run] of text.matchAll(/(?:[^\n][ \-_.|*]){12,4096}[^\n]?/g)) found.push(everySecond(run));
  for (const [run] of text.matchAll(/[A-Z2-7]{16,}/g)) found.push(fromBase32(run));
  for (const [run] of text.matchAll(/(?:[01]{8}[ ,]?){6,4096}/g))
    found.push(fromCodes(run.match(/[01]{8}/g) ?? [], 2));
  for (const [run] of text.matchAll(/(?:\b\d{2,3}[ ,]{1,16}){6,4096}\d{2,3}\b/g))
    found.push(fromCodes(run.match(/\d+/g) ?? [], 10));
  for (const [run] of text.matchAll(/(?:[0-9a-f]{2}[ :,]){8,4096}[0-9a-f]{2}\b/gi))
    found.push(fromCodes(run.match(/[0-9a-f]{2}/gi) ?? [], 16));
  for (const [run] of text.matchAll(/[.\-/ ]{24,}/g)) found.push(fromMorse(run));
  return found;
}

const LEET: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' };

/** Letters with a character between them, such as `Y o u`, without it. */
function everySecond(run: string): string {
  return [...run].filter((_, at) => at % 2 === 0).join('');
}

function fromCodes(numbers: readonly string[], radix: number): string {
  return numbers.map((number) => characterOf(parseInt(number, radix))).join('');
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS_OF_BASE32 = 5;
const BITS_OF_BYTE = 8;

function fromBase32(run: string): string {
  let bits = 0;
  let held = 0;
  let plain = '';
  for (const letter of run) {
    held = ((held << BITS_OF_BASE32) | BASE32.indexOf(letter)) & 0xffff;
    bits += BITS_OF_BASE32;
    if (bits < BITS_OF_BYTE) continue;
    bits -= BITS_OF_BYTE;
    plain += String.fromCharCode((held >> bits) & 0xff);
  }
  return plain;
}

/** A to Z, then 0 to 9. */
const MORSE =
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.'.split(
    ' ',
  );
const OF_MORSE = 'abcdefghijklmnopqrstuvwxyz0123456789';

function fromMorse(run: string): string {
  return run
    .split(/ {2,}| ?\/ ?/)
    .map((word) =>
      word
        .split(' ')
        .map((letter) => OF_MORSE[MORSE.indexOf(letter)] ?? '')
        .join(''),
    )
    .join(' ');
}
