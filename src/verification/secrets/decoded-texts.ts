/**
 * Texts that are hidden in a text: base64, hexadecimal, percent and unicode escapes as gitleaks decodes them, strings
 * that the source joins, and strings that it reverses. Each derived text keeps the line numbers of its origin.
 */

export interface DerivedText {
  text: string;
  /** Line of the original text, by line of this text (both from 0). */
  lines: number[];
  how: 'base64' | 'hex' | 'escapes' | 'joined';
}

interface Origin {
  text: string;
  lines?: number[];
}

/** Passes: what a pass decodes, the next one decodes again. */
const PASSES = 3;
/** A larger derived text comes from a file that is data. */
const MOST_CHARACTERS = 1024 * 1024;
const LONGEST_CODE = 64 * 1024;

/**
 * Percent escapes are looked for at the beginning of their word only, or each of its characters would read the rest of
 * it.
 */
const CODES =
  /(?<escapes>(?<![\w.~-])(?:%[0-9A-Fa-f]{2}|[\w.~-]){3,65536}%[0-9A-Fa-f]{2}[\w.~-]{0,65536}|(?:\\{1,2}u[0-9a-fA-F]{4}){4,2048}|(?:\\{1,2}x[0-9a-fA-F]{2}){8,4096})|(?<hex>[0-9A-Fa-f]{32,65536})|(?<base64>[A-Za-z0-9+/_-]{16,65536}={0,2})/g;
/** The same without escapes, which take long to look for in a line of letters and dots. */
const CODES_WITHOUT_ESCAPES = /(?<hex>[0-9A-Fa-f]{32,65536})|(?<base64>[A-Za-z0-9+/_-]{16,65536}={0,2})/g;
const ESCAPE = /%[0-9A-Fa-f]{2}|\\[ux]/;
/** Closing quote, operator, opening quote: two string literals that become one. */
const JOINT =
  /(["'`])[ \t]{0,8}(?:\+|\.|&|\|\||\\)?[ \t]{0,8}(?:\r?\n[ \t]{0,40})?(?:\+|\.)?[ \t]{0,8}[rbfuRBFU]?\1/g;
/** A list of strings that is joined without a separator. */
const LIST =
  /\[\s{0,40}((?:["'][^"'\n]{1,200}["'](?:\s{0,40},)?\s{0,40}){2,40})\]\s{0,8}\.join\(\s?(?:""|'')\s?\)|(?:""|'')\.join\(\s?[[(]\s{0,40}((?:["'][^"'\n]{1,200}["'](?:\s{0,40},)?\s{0,40}){2,40})[\])]\s?\)/g;

/** The texts hidden in `text`. Takes time in proportion to its length. */
export function derivedTexts(text: string): DerivedText[] {
  const found: DerivedText[] = [];
  let origins: Origin[] = [{ text }];
  const joined = joinedText(text);
  if (joined) {
    found.push(joined);
    origins.push(joined);
  }
  for (let pass = 0; pass < PASSES && origins.length > 0; pass += 1) {
    const decoded = origins.flatMap(decodedLines);
    found.push(...decoded);
    origins = decoded;
  }
  return found;
}

/** The lines that contain codes, with the codes decoded in place, one text for each kind of code. */
function decodedLines({ text, lines }: Origin): DerivedText[] {
  const results = new Map<DerivedText['how'], { rows: string[]; lines: number[]; size: number }>();
  for (const [row, line] of text.split('\n').entries()) {
    if (line.length < 16) continue;
    const { how, decoded } = decodeLine(line);
    if (how === undefined) continue;
    const result = results.get(how) ?? { rows: [], lines: [], size: 0 };
    if (result.size + decoded.length > MOST_CHARACTERS) continue;
    results.set(how, result);
    result.size += decoded.length;
    for (const part of decoded.split('\n')) {
      result.rows.push(part);
      result.lines.push(lines?.[row] ?? row);
    }
  }
  return [...results].map(([how, { rows, lines: from }]) => ({ text: rows.join('\n'), lines: from, how }));
}

function decodeLine(line: string): { how: DerivedText['how'] | undefined; decoded: string } {
  let how: DerivedText['how'] | undefined;
  const codes = ESCAPE.test(line) ? CODES : CODES_WITHOUT_ESCAPES;
  const decoded = line.replace(codes, (code: string, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const kind = groups.escapes !== undefined ? 'escapes' : groups.hex !== undefined ? 'hex' : 'base64';
    const plain = code.length > LONGEST_CODE ? undefined : decode(kind, code);
    if (plain === undefined || plain === code) return code;
    how ??= kind;
    return plain;
  });
  return { how, decoded };
}

function decode(kind: 'base64' | 'hex' | 'escapes', code: string): string | undefined {
  if (kind === 'escapes') return unescaped(code);
  if (kind === 'hex' && code.length % 2 === 0 && /\d/.test(code)) return printable(Buffer.from(code, 'hex'));
  if (!/[0-9+/_-]/.test(code)) return undefined;
  return printable(Buffer.from(code, 'base64'));
}

function unescaped(code: string): string | undefined {
  return printable(
    Buffer.from(
      code
        .replaceAll(/\\{1,2}u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
        .replaceAll(/\\{1,2}x([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
        .replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    ),
  );
}

/** The text of the bytes when all of them are printable ASCII. */
function printable(bytes: Buffer): string | undefined {
  for (const byte of bytes) if (byte < 9 || byte > 126) return undefined;
  return bytes.length === 0 ? undefined : bytes.toString('latin1');
}

/** The text with its string literals joined as the source joins them; undefined when it joins none. */
function joinedText(text: string): DerivedText | undefined {
  if (text.length > MOST_CHARACTERS * 2) return undefined;
  let isJoined = false;
  const note = (removed: string): string => {
    isJoined = true;
    const breaks = removed.split('\n').length - 1;
    return `\u0001${'\u0000'.repeat(breaks)}`;
  };
  const whole = text
    .replace(LIST, (list: string, a?: string, b?: string) => {
      const inner = [...(a ?? b ?? '').matchAll(/["']([^"'\n]{0,200})["']/g)]
        .map((match) => match[1])
        .join('');
      return `"${inner}"${note(list)}`;
    })
    .replace(JOINT, (joint) => note(joint));
  if (!isJoined) return undefined;
  const rows: string[] = [];
  const lines: number[] = [];
  let line = 0;
  for (const row of whole.split('\n')) {
    const parts = row.split('\u0000');
    if (row.includes('\u0001')) {
      rows.push(parts.join('').replaceAll('\u0001', ''));
      lines.push(line);
    }
    line += parts.length;
  }
  return { text: rows.join('\n'), lines, how: 'joined' };
}
