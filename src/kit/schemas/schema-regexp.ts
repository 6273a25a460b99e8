import { RE2JS } from 're2js';
import { toRe2 } from './patterns/ecma-pattern';

export interface LinearRegExp {
  test(value: string): boolean;
}

/**
 * Compiles an untrusted regular expression of ECMA-262 that matches in linear time. Throws when the pattern needs
 * look-around or back-references, is not ECMA-262, or makes a program that is too large; such schemas are refused.
 */
export function linearRegExp(pattern: string): LinearRegExp {
  return compiled(toRe2(pattern));
}

/**
 * The same for a pattern that was published before its construct was refused: it keeps the meaning that RE2 gives it.
 */
export function publishedRegExp(pattern: string): LinearRegExp {
  try {
    return linearRegExp(pattern);
  } catch {
    return compiled(RE2JS.translateRegExp(pattern));
  }
}

function compiled(expression: string): LinearRegExp {
  const program = RE2JS.compile(expression);
  return { test: (value) => program.matcher(value).find() };
}
