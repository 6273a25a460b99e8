import { RE2JS } from 're2js';

/**
 * ECMAScript's `\s` knows more white space than RE2's; patterns are written for the former (JSON Schema, "Regular
 * Expressions").
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
 * A regular expression of a stranger, in linear time. Throws when the pattern needs look-around, back-references or
 * a program too large: such schemas are refused. Given to ajv as `code.regExp`; ajv tells expressions apart by
 * `toString`.
 */
export function linearRegExp(pattern: string): { test(value: string): boolean; toString(): string } {
  const compiled = RE2JS.compile(widenSpaces(RE2JS.translateRegExp(pattern)));
  return {
    test: (value) => compiled.matcher(value).find(),
    toString: () => `/${pattern}/u`,
  };
}

/** ajv asks for the source of the engine, for its stand-alone code, which we do not make. */
export const linearRegExpEngine = Object.assign(linearRegExp, { code: 'linearRegExp' });
