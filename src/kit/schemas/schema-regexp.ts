import { RE2JS } from 're2js';

/**
 * White space matched by ECMAScript's `\s`. RE2's `\s` matches fewer characters, and JSON Schema patterns follow
 * ECMAScript.
 */
const SPACES =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

function widenSpaces(pattern: string): string {
  let inClass = false;
  return pattern.replace(/\\[\s\S]|[[\]]/g, (token) => {
    if (token === '[') inClass = true;
    else if (token === ']') inClass = false;
    else if (token === '\\s') return inClass ? SPACES : `[${SPACES}]`;
    else if (token === '\\S' && !inClass) return `[^${SPACES}]`;
    return token;
  });
}

/**
 * Compiles an untrusted regular expression that matches in linear time. Throws when the pattern needs look-around,
 * back-references or a program that is too large; such schemas are refused. Used as ajv's `code.regExp`; ajv
 * distinguishes expressions by `toString`.
 */
export function linearRegExp(pattern: string): { test(value: string): boolean; toString(): string } {
  const compiled = RE2JS.compile(widenSpaces(RE2JS.translateRegExp(pattern)));
  return {
    test: (value) => compiled.matcher(value).find(),
    toString: () => `/${pattern}/u`,
  };
}

/** The engine for ajv. `code` is its source for ajv's stand-alone code, which is not used here. */
export const linearRegExpEngine = Object.assign(linearRegExp, { code: 'linearRegExp' });
