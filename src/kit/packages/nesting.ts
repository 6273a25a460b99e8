/**
 * Measures how deeply a text nests without parsing it. Parsers, and the code that reads their results, recurse once for
 * each level; a text that nests without limit exhausts the stack, and V8 ends the process when that happens while it
 * compiles a regular expression. So the depth is bounded before a parser runs.
 */

interface Dialect {
  opening: string;
  closing: string;
  /** Quotes of strings; a backslash escapes the next character in those of `escaped`. */
  quotes: string;
  escaped: string;
  /** Quotes that, three in a row, begin a string of several lines. */
  tripled: string;
  /** The character that begins a comment. */
  comment: string;
  /** True when a dot between names nests as well, as in keys of TOML. */
  hasDottedKeys: boolean;
}

const JSON_TEXT: Dialect = {
  opening: '[{',
  closing: ']}',
  quotes: '"',
  escaped: '"',
  tripled: '',
  comment: '',
  hasDottedKeys: false,
};

const DIALECTS = {
  json: JSON_TEXT,
  toml: { ...JSON_TEXT, quotes: `"'`, tripled: `"'`, comment: '#', hasDottedKeys: true },
  /** Expressions of licences and of other small grammars, which have parentheses and nothing else. */
  parentheses: { ...JSON_TEXT, opening: '(', closing: ')', quotes: '', escaped: '' },
} as const satisfies Record<string, Dialect>;

/** What ends a dotted key. */
const KEY_ENDS = '=,[]{}\n';

/**
 * True when the text nests more than `most` levels deep by the rules of its dialect. Reads the text once, without
 * recursion, and stops at the first place that is too deep.
 */
export function nestsDeeper(text: string, most: number, kind: keyof typeof DIALECTS): boolean {
  const dialect: Dialect = DIALECTS[kind];
  let depth = 0;
  let dots = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (dialect.quotes.includes(character)) {
      at = stringEnd(text, at, dialect);
      continue;
    }
    if (character === dialect.comment) {
      const end = text.indexOf('\n', at);
      if (end < 0) return false;
      at = end;
    } else if (dialect.opening.includes(character)) depth += 1;
    else if (dialect.closing.includes(character)) depth = Math.max(0, depth - 1);
    if (dialect.hasDottedKeys) {
      if (character === '.') dots += 1;
      else if (KEY_ENDS.includes(character)) dots = 0;
    }
    if (depth > most || dots > most) return true;
  }
  return false;
}

/** The index of the last character of the string that begins at `at`. */
function stringEnd(text: string, at: number, { escaped, tripled }: Dialect): number {
  const quote = text.charAt(at);
  const isTripled = tripled.includes(quote) && text.startsWith(quote.repeat(3), at);
  const end = isTripled ? quote.repeat(3) : quote;
  for (let index = at + end.length; index < text.length; index += 1) {
    if (text.charAt(index) === '\\' && escaped.includes(quote)) index += 1;
    else if (text.startsWith(end, index)) return index + end.length - 1;
    else if (tripled !== '' && !isTripled && text.charAt(index) === '\n') return index;
  }
  return text.length;
}
