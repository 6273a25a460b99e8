/**
 * Applies secret rules to a text. Rules run only near their keywords and in linear time, so the time is proportional
 * to the length of the text.
 */
import { linearPattern, type LinearPattern } from '../../kit/masking/linear-search';
import { wordFilter } from '../../kit/masking/word-filter';
import type { SecretRule } from '../data/secret-rule';
import { PLACEHOLDERS } from '../data/secret-rules';
import { isMadeUp, isPhrase } from './placeholders';
import { isNoSecret } from './secret-names';

/**
 * Search window before and after a keyword, longer than any match; a block with the longest keys in use has 14 KiB,
 * other secrets of unlimited length less than 4 KiB.
 */
const REACH = { before: 256, after: 768, afterOpen: 4_096, afterBlock: 16_384 } as const;
/** What the catch-all rule expects between the name of a value and the value. */
const NAME_TO_VALUE = '[\\s\'"]{0,3}(?:=|>|:{1,3}=|\\|\\||:|=>|\\?=|,)';
/** The least that follows a keyword in a match of such a rule: a sign of assignment and a value with a digit. */
const VALUE_FOLLOWS = /[\w\s.'"-]{0,64}[=>:|?,][=>:|`'"\s]{0,8}(?=[^\s'"`]{8})[^\s'"`0-9]{0,160}[0-9]/y;
/** A quantifier without an upper limit. */
const OPEN_ENDED = /\{\d{1,4},\}|[\])][+*]/;
/** Limits per rule: findings per text, and candidates per window. */
const MOST_PER_TEXT = 100;
/** Findings of all rules per text. A file with so many shows what it is. */
const MOST_OF_ALL = 2_000;
const MOST_CANDIDATES = 20_000;
/** A random key of this length may contain a placeholder word by chance, so placeholders are not looked for in it. */
const LONG = 512;
/** The catch-all rules for names of secrets, the more precise one first. */
const LEAST_PRECISE = ['generic-api-key', 'key-by-its-name'];
/** Languages whose values need no quotation marks. */
const SHELL = /\.(?:sh|bash|zsh)$/i;
interface Compiled {
  rule: SecretRule;
  /** Precedence among rules that match the same text; the lowest wins. */
  rank: number;
  regex(): LinearPattern;
  path(): LinearPattern | undefined;
  allow(): { target: string; pattern: LinearPattern; paths: LinearPattern[] | undefined }[];
  stopwords: string[];
}

export interface SecretHit {
  rule: SecretRule;
  rank: number;
  start: number;
  end: number;
  match: string;
  secret: string;
}

export interface SearchedText {
  path: string;
  text: string;
  /** In source code, heuristic rules need a quoted value. */
  isSource: boolean;
  /** False for generated and binary files, in which names beside values mean nothing. */
  withGuesses: boolean;
}

export type SecretMatcher = (searched: SearchedText) => SecretHit[];

/**
 * Creates a matcher, which returns the most precise match of each place in ascending order. Each rule is compiled on
 * first use. Throws for a rule that is not valid RE2.
 */
export function createSecretMatcher(rules: readonly SecretRule[]): SecretMatcher {
  const patternOf = shared();
  const compiled = rules.map((rule, at) =>
    compile(
      rule,
      LEAST_PRECISE.includes(rule.id) ? rules.length + LEAST_PRECISE.indexOf(rule.id) : at,
      patternOf,
    ),
  );
  return (searched) => {
    const lower = lowered(searched.text);
    const present = keywordsIn(lower);
    const hits = compiled
      .flatMap((one) => findRule(one, searched, lower, present))
      .sort((a, b) => a.start - b.start || a.rank - b.rank)
      .slice(0, MOST_OF_ALL);
    return hits.filter((hit) => !hits.some((other) => isBetter(other, hit)));
  };
}

/** Remembers which keywords a text contains, because many rules share theirs. */
function keywordsIn(lower: string): (keyword: string) => boolean {
  const known = new Map<string, boolean>();
  const mayContain = wordFilter(lower);
  return (keyword) => {
    const before = known.get(keyword);
    if (before !== undefined) return before;
    const found = mayContain(keyword) && lower.includes(keyword);
    known.set(keyword, found);
    return found;
  };
}

/** Caches compiled patterns, because most rules share the same allowlists. */
function shared(): (regex: string) => LinearPattern {
  const known = new Map<string, LinearPattern>();
  return (regex) => {
    const pattern = known.get(regex) ?? linearPattern(regex);
    known.set(regex, pattern);
    return pattern;
  };
}

function compile(rule: SecretRule, rank: number, patternOf: (regex: string) => LinearPattern): Compiled {
  return {
    rule,
    rank,
    regex: once(() => patternOf(rule.regex)),
    path: once(() => (rule.path === undefined ? undefined : patternOf(rule.path))),
    allow: once(() =>
      (rule.allow ?? []).map(({ target, regex, paths }) => ({
        target,
        pattern: patternOf(regex),
        paths: paths?.map(patternOf),
      })),
    ),
    stopwords: [...PLACEHOLDERS, ...(rule.stopwords ?? [])],
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** True when another rule matches the same text more precisely: it is not heuristic, or has precedence. */
function isBetter(other: SecretHit, hit: SecretHit): boolean {
  if (other === hit || other.start >= hit.end || hit.start >= other.end) return false;
  if (Boolean(other.rule.isGuess) !== Boolean(hit.rule.isGuess)) return hit.rule.isGuess === true;
  return other.rank < hit.rank;
}

function findRule(
  compiled: Compiled,
  searched: SearchedText,
  lower: string,
  present: (keyword: string) => boolean,
): SecretHit[] {
  const { rule, rank } = compiled;
  if (rule.isGuess && !searched.withGuesses) return [];
  if (rule.keywords.length > 0 && !rule.keywords.some(present)) return [];
  if (compiled.path()?.test(searched.path) === false) return [];
  const hits: SecretHit[] = [];
  for (const [from, to] of windowsOf(rule, rule.keywords.filter(present), lower)) {
    const text = searched.text.slice(from, to);
    for (const { index, groups } of compiled.regex().find(text, MOST_CANDIDATES)) {
      if (hits.length >= MOST_PER_TEXT) return hits;
      const match = groups[0] ?? '';
      const secret = secretOf(rule, groups);
      const start = from + index + Math.max(0, match.indexOf(secret));
      if (isSecret(compiled, searched, match, secret, start))
        hits.push({ rule, rank, start, end: start + secret.length, match, secret });
    }
  }
  return hits;
}

function secretOf(rule: SecretRule, groups: readonly (string | null)[]): string {
  if (rule.secretGroup !== undefined) return groups[rule.secretGroup] ?? '';
  return groups.slice(1).find((group) => group !== null && group !== '') ?? groups[0] ?? '';
}

function isSecret(
  compiled: Compiled,
  searched: SearchedText,
  match: string,
  secret: string,
  start: number,
): boolean {
  const { rule, stopwords } = compiled;
  if (rule.entropy !== undefined && entropyOf(secret) < rule.entropy) return false;
  if (rule.isGuess && !looksRandom(searched, rule, match, secret)) return false;
  if (isMadeUp(secret)) return false;
  const small = bodyOf(secret).toLowerCase();
  if (secret.length < LONG && stopwords.some((word) => small.includes(word))) return false;
  const subject = (target: string) => {
    if (target === 'path') return searched.path;
    if (target === 'match') return match;
    return target === 'line' ? lineAt(searched.text, start) : secret;
  };
  return !compiled
    .allow()
    .some(
      ({ target, pattern, paths }) =>
        (paths === undefined || paths.some((path) => path.test(searched.path))) &&
        pattern.test(subject(target)),
    );
}

/** The part of a key after the prefix that its issuer gives it; `sk_test_` is no placeholder. */
function bodyOf(secret: string): string {
  return secret.replace(/^(?:[a-z]{2,8}[_-])?(?:test|live|prod)[_-]/i, '');
}

/** Filters heuristic matches: no phrases and identifiers, and in source code only quoted values. */
function looksRandom(
  { isSource, path }: SearchedText,
  { isInText }: SecretRule,
  match: string,
  secret: string,
): boolean {
  if (!/[0-9]/.test(secret) || isPhrase(secret) || /^(?:https?:|\/|\.\/|#|\d{1,12}$)/.test(secret))
    return false;
  const at = match.indexOf(secret);
  // In an address, only the parameter before the value names it.
  const name = match.slice(0, at).replace(/^.*[?&]/s, '');
  if (isNoSecret(name, secret)) return false;
  if (/\bh1:\s?$/.test(name)) return false; // a checksum of go.sum
  return !isSource || isInText === true || SHELL.test(path) || /['"`]/.test(match.charAt(at - 1));
}

/**
 * The parts of a text in which a rule is applied: windows around its keywords, extended to whole lines when those are
 * short.
 */
function windowsOf(
  { id, regex, isGuess, keywords: all }: SecretRule,
  keywords: readonly string[],
  lower: string,
): [from: number, to: number][] {
  if (all.length === 0) return [[0, lower.length]];
  const found: [number, number][] = [];
  const usual = isGuess !== true && OPEN_ENDED.test(regex) ? REACH.afterOpen : REACH.after;
  const isNamed = id === LEAST_PRECISE[0] && regex.includes(NAME_TO_VALUE);
  const mayMatch = (end: number) => !isNamed || matchesAt(VALUE_FOLLOWS, lower, end);
  for (const keyword of keywords) {
    const after = keyword.startsWith('-----') ? REACH.afterBlock : usual;
    let at = lower.indexOf(keyword);
    while (at >= 0) {
      const end = at + keyword.length;
      if (!mayMatch(end)) {
        at = lower.indexOf(keyword, at + 1);
        continue;
      }
      const from = lineStart(lower, Math.max(0, at - REACH.before));
      found.push([from, Math.min(lower.length, end + after)]);
      // A keyword within half the window is covered by this window as well.
      at = lower.indexOf(keyword, at + after / 2);
    }
  }
  return merged(found);
}

function matchesAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

function merged(windows: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [from, to] of windows.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function lineStart(text: string, at: number): number {
  const from = Math.max(0, at - REACH.before);
  const start = text.slice(from, at + 1).lastIndexOf('\n') + 1;
  return start === 0 && from > 0 ? at : from + start;
}

/** The line around an index; of a very long line, the part around it, because keywords may be everywhere. */
export function lineAt(text: string, at: number): string {
  const [after = ''] = text.slice(at, at + REACH.afterOpen).split('\n', 1);
  return text.slice(lineStart(text, at), at) + after;
}

/** Converts to lower case without changing the length, which a few Unicode letters would. */
export function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase());
}

/** Shannon entropy in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
