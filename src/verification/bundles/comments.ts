/** Blanks the comments of source code, so that rules see code alone and lines keep their numbers. */
import { hasHashComments } from '../data/tool-file-rules';

const REGEX_MAY_FOLLOW = /(?:^|[(,=:[!&|?{};+\n]|\breturn|\btypeof|\bcase)\s{0,16}$/;
const LOOK_BACK = 24;
/** Longer text between two slashes is no regular expression. */
const LONGEST_LITERAL = 500;

/**
 * Blanks comments of JavaScript and TypeScript, or of Python and shells (`#`), and documentation strings of Python.
 * Other strings stay.
 */
export function withoutComments(text: string, path: string): string {
  if (/\.[cm]?[jt]sx?$/i.test(path)) return blanked(text, /\/\*|\/\/|["'`]|\//g, createJsEnd());
  if (/\.(?:py|pyi|sh|bash|rb)$/i.test(path) || hasHashComments(path))
    return blanked(text, /#|'''|"""|["']/g, pythonEnd);
  return text;
}

interface Span {
  end: number;
  isComment: boolean;
}

function blanked(
  text: string,
  token: RegExp,
  endOf: (text: string, at: number, found: string) => Span,
): string {
  const parts: string[] = [];
  let from = 0;
  token.lastIndex = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const { end, isComment } = endOf(text, match.index, match[0]);
    if (isComment) {
      parts.push(text.slice(from, match.index), text.slice(match.index, end).replaceAll(/[^\n]/g, ' '));
      from = end;
    }
    token.lastIndex = Math.max(end, match.index + 1);
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

/** After a template literal without an end, no later one has an end either, so that it is looked for once. */
function createJsEnd(): typeof jsEnd {
  let hasTemplates = true;
  return (text, at, opening) => {
    if (opening === '`' && !hasTemplates) return { end: at + 1, isComment: false };
    const span = jsEnd(text, at, opening);
    if (opening === '`' && span.end === at + 1) hasTemplates = false;
    return span;
  };
}

function jsEnd(text: string, at: number, opening: string): Span {
  if (opening === '/*') return { end: after(text, '*/', at + 2), isComment: true };
  if (opening === '//') return { end: lineEnd(text, at), isComment: true };
  if (opening !== '/') return { end: quoteEnd(text, at, opening), isComment: false };
  if (!REGEX_MAY_FOLLOW.test(text.slice(Math.max(0, at - LOOK_BACK), at)))
    return { end: at + 1, isComment: false };
  const literal = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,400}\//y;
  const found = literal.exec(text.slice(at, at + LONGEST_LITERAL));
  return { end: at + (found?.[0].length ?? 1), isComment: false };
}

function pythonEnd(text: string, at: number, found: string): Span {
  if (found === '#') {
    const before = text.charAt(at - 1);
    const isComment = before === '' || /[\s;)]/.test(before);
    return { end: isComment ? lineEnd(text, at) : at + 1, isComment };
  }
  if (found.length === 3) return { end: after(text, found, at + 3), isComment: isStatement(text, at) };
  return { end: quoteEnd(text, at, found), isComment: false };
}

/**
 * True for a string that is a statement of its own, as documentation is: it begins its line (a prefix such as `r` may
 * stand before it), and nothing before it expects a value.
 */
function isStatement(text: string, at: number): boolean {
  let index = at - 1;
  while (/[rRuUbB]/.test(text.charAt(index))) index -= 1;
  while (text.charAt(index) === ' ' || text.charAt(index) === '\t') index -= 1;
  if (index >= 0 && text.charAt(index) !== '\n') return false;
  const before = text.slice(Math.max(0, index - LOOK_BACK), Math.max(0, index)).trimEnd();
  return !/[=(,[{+%\\]$/.test(before);
}

/** The end of a string literal. Only template literals span lines, so that one odd quote hides one line at most. */
function quoteEnd(text: string, at: number, quote: string): number {
  for (let index = at + 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === quote) return index + 1;
    else if (character === '\n' && quote !== '`') return index;
  }
  return quote === '`' ? at + 1 : text.length;
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
