/**
 * Translates regular expressions of ECMA-262 with the flag `u`, which JSON Schema recommends (core §6.4), to RE2, which
 * matches in linear time. What RE2 cannot express, and what ECMA-262 does not have, is refused with the name of the
 * construct. Escapes of punctuation (`\-`, `\@`), lone `{`, `}` and `]`, and a `-` beside a class escape are literal,
 * as without the flag.
 */
import { unicodeProperty } from './unicode-property';

export interface PatternAtom {
  /** The atom in RE2's syntax. */
  text: string;
  /** The product of the counts of nested repeats, of which RE2 allows 1,000. */
  repeats: number;
}

interface Group {
  text: string;
  most: number;
  last: (PatternAtom & { isRepeated: boolean; isAssertion: boolean }) | undefined;
}

const MAX_REPEATS = 1_000;
const ANY = '[\\x{0}-\\x{10ffff}]';
const NONE = '[^\\x{0}-\\x{10ffff}]';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';
const SPACES =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const OTHER_THAN_SPACES =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** What follows `(?`, with the name of the construct. Longer beginnings come first. */
const REFUSED_GROUPS: readonly (readonly [string, string])[] = [
  ['<=', 'a look-behind'],
  ['<!', 'a negative look-behind'],
  ['=', 'a look-ahead'],
  ['!', 'a negative look-ahead'],
  ['>', 'an atomic group, which is not ECMA-262'],
  ['P', 'a Python group, which is not ECMA-262: write (?<name>…) or (?:…)'],
  ['#', 'a comment, which is not ECMA-262'],
];
const HINTS: Readonly<Record<string, string>> = { A: ': write ^', Z: ': write $', z: ': write $' };

/** Translates a pattern. Throws an `Error` whose message names the construct that is refused. */
export function toRe2(pattern: string): string {
  const reader = createReader(pattern);
  const open: Group[] = [];
  let group = newGroup();
  while (!reader.isAtEnd()) {
    const at = reader.next();
    if (at === '(') {
      openGroup(reader);
      open.push(group);
      group = newGroup();
    } else if (at === ')') {
      const outer = open.pop();
      if (!outer) throw new Error('a ) without its (');
      const { text, most } = closed(group);
      group = outer;
      add(group, { text: `(?:${text})`, repeats: most });
    } else if (at === '|') {
      closed(group);
      group.text += '|';
    } else if (at === '^' || at === '$') add(group, { text: at, repeats: 1 }, true);
    else if (at === '.') add(group, { text: NO_LINE_END, repeats: 1 });
    else if (at === '[') add(group, { text: readClass(reader), repeats: 1 });
    else if (at === '\\') addEscape(group, reader);
    else if (!repeat(group, at, reader)) add(group, { text: literal(at), repeats: 1 });
  }
  if (open.length > 0) throw new Error('a ( without its )');
  return closed(group).text;
}

type Reader = ReturnType<typeof createReader>;

function createReader(pattern: string) {
  let at = 0;
  return {
    isAtEnd: () => at >= pattern.length,
    /** Takes a code point. */
    next(): string {
      const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
      at += char.length;
      return char;
    },
    sees: (text: string) => pattern.startsWith(text, at),
    /** Takes what a sticky expression matches here. */
    consume(expression: RegExp): RegExpExecArray | undefined {
      expression.lastIndex = at;
      const found = expression.exec(pattern) ?? undefined;
      if (found) at = expression.lastIndex;
      return found;
    },
  };
}

const newGroup = (): Group => ({ text: '', most: 1, last: undefined });

function add(group: Group, atom: PatternAtom, isAssertion = false): void {
  closed(group);
  group.last = { ...atom, isRepeated: false, isAssertion };
}

/** Puts the last atom, which nothing repeats any more, into the group's text. */
function closed(group: Group): Group {
  if (group.last) {
    group.text += group.last.text;
    group.most = Math.max(group.most, group.last.repeats);
    group.last = undefined;
  }
  return group;
}

/** Groups do not capture, because no match is read. */
function openGroup(reader: Reader): void {
  if (!reader.sees('?')) return;
  if (reader.consume(/\?(?::|<[\p{ID_Start}$_][\p{ID_Continue}$]{0,100}>)/uy)) return;
  reader.next();
  const [, name] = REFUSED_GROUPS.find(([start]) => reader.sees(start)) ?? [];
  throw new Error(name ?? 'an inline flag such as (?i), which is not ECMA-262');
}

const COUNTS = /(\d{1,9})(?:(,)(\d{0,9}))?\}/y;

/** Repeats the last atom if `at` begins a quantifier. Whether it is lazy does not matter to whether a text matches. */
function repeat(group: Group, at: string, reader: Reader): boolean {
  const counts = at === '{' ? reader.consume(COUNTS) : undefined;
  if (!counts && at !== '*' && at !== '+' && at !== '?') return false;
  const { last } = group;
  if (!last || last.isAssertion) throw new Error(`${at} with nothing before it that can be repeated`);
  if (last.isRepeated) throw new Error('a quantifier on a quantifier, such as a++');
  last.isRepeated = true;
  if (counts) {
    const least = Number(counts[1]);
    const most = counts[2] === undefined ? least : counts[3] === '' ? undefined : Number(counts[3]);
    if (most !== undefined && most < least) throw new Error('a repeat whose numbers are out of order');
    Object.assign(last, counted(last, least, most));
  } else last.text = `${last.text}${at}`;
  if (reader.sees('?')) reader.next();
  return true;
}

/** RE2 repeats at most 1,000 times; more becomes several repeats in a row. */
function counted({ text, repeats }: PatternAtom, least: number, most: number | undefined): PatternAtom {
  const chunk = Math.floor(MAX_REPEATS / repeats);
  if (Math.max(least, most ?? 0) > chunk * MAX_REPEATS) throw new Error('a repeat that is too large');
  const pieces: string[] = [];
  for (let left = least; left > 0; left -= chunk) pieces.push(`${text}{${Math.min(left, chunk)}}`);
  if (most === undefined) pieces.push(`${text}*`);
  else
    for (let left = most - least; left > 0; left -= chunk) pieces.push(`${text}{0,${Math.min(left, chunk)}}`);
  const largest = Math.min(chunk, Math.max(least, most === undefined ? 1 : most - least, 1));
  return { text: `(?:${pieces.join('')})`, repeats: repeats * largest };
}

function addEscape(group: Group, reader: Reader): void {
  if (reader.consume(/[1-9]/y)) throw new Error('a back-reference');
  if (reader.sees('k')) throw new Error('a back-reference by name');
  const boundary = reader.consume(/[bB]/y);
  if (boundary) add(group, { text: `\\${boundary[0]}`, repeats: 1 }, true);
  else {
    const { set, point } = readEscape(reader);
    add(group, { text: set === undefined ? codePoint(point) : `[${set}]`, repeats: 1 });
  }
}

/** An escape that stands for characters: the content of a class, or one code point. */
interface Escape {
  set: string | undefined;
  point: number;
}

function readEscape(reader: Reader): Escape {
  const one = (point: number): Escape => ({ set: undefined, point });
  if (reader.isAtEnd()) throw new Error('a \\ at the end');
  const pair = reader.consume(/u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/iy);
  if (pair) {
    const [high, low] = [parseInt(pair[1] ?? '', 16), parseInt(pair[2] ?? '', 16)];
    return one((high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000);
  }
  const hex = reader.consume(/(?:u([\da-f]{4})|u\{0*([\da-f]{1,6})\}|x([\da-f]{2}))/iy);
  if (hex) return one(withinUnicode(parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16)));
  const control = reader.consume(/c([A-Za-z])/y);
  if (control?.[1]) return one(control[1].charCodeAt(0) % 32);
  if (reader.consume(/0(?!\d)/y)) return one(0);
  const property = reader.consume(/([pP])\{([^}]{0,100})\}/y);
  if (property) return { set: propertySet(property[1] === 'P', property[2] ?? ''), point: 0 };
  const char = reader.next();
  if (char === 's') return { set: SPACES, point: 0 };
  if (char === 'S') return { set: OTHER_THAN_SPACES, point: 0 };
  if ('dDwW'.includes(char)) return { set: `\\${char}`, point: 0 };
  const named = CONTROLS[char];
  if (named !== undefined) return one(named);
  if (/[A-Za-z\d]/.test(char)) throw new Error(`\\${char}, which is not ECMA-262${HINTS[char] ?? ''}`);
  return one(char.codePointAt(0) ?? 0);
}

function withinUnicode(point: number): number {
  if (point > 0x10ffff) throw new Error('a code point above 10FFFF');
  return point;
}

function propertySet(isNegated: boolean, name: string): string {
  const known = unicodeProperty(name);
  if (known === undefined)
    throw new Error(`the Unicode property \\p{${name.slice(0, 40)}}, which is unknown or not supported`);
  return `\\${isNegated ? 'P' : 'p'}{${known}}`;
}

/** Reads a class behind its `[`. */
function readClass(reader: Reader): string {
  const isNegated = reader.consume(/\^/y) !== undefined;
  let text = '';
  while (!reader.consume(/\]/y)) {
    const from = readClassAtom(reader);
    if (from.set !== undefined || !reader.consume(/-(?!\])/y)) {
      text += from.set ?? codePoint(from.point);
      continue;
    }
    const to = readClassAtom(reader);
    if (to.set !== undefined) text += `${codePoint(from.point)}\\-${to.set}`;
    else if (to.point < from.point) throw new Error('a class whose range is out of order');
    else text += `${codePoint(from.point)}-${codePoint(to.point)}`;
  }
  if (text === '') return isNegated ? ANY : NONE;
  return `[${isNegated ? '^' : ''}${text}]`;
}

function readClassAtom(reader: Reader): Escape {
  if (reader.isAtEnd()) throw new Error('a [ without its ]');
  const char = reader.next();
  if (char !== '\\') return { set: undefined, point: char.codePointAt(0) ?? 0 };
  if (reader.consume(/b/y)) return { set: undefined, point: 8 };
  return readEscape(reader);
}

const codePoint = (point: number) => `\\x{${point.toString(16)}}`;

/** A character as it is if it has no meaning of its own. */
function literal(char: string): string {
  return /^[A-Za-z\d _]$/.test(char) ? char : codePoint(char.codePointAt(0) ?? 0);
}
