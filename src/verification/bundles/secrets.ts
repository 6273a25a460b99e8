/**
 * Finds secrets in the files of a bundle. Rules run only near their keywords and in linear time, so the scan time is
 * proportional to the size of the bundle. Findings contain kind and position, never the value.
 */
import {
  type CheckCoverage,
  FACT_LIMIT,
  type FactList,
  type SecretFact,
} from '../../domain/evidence/evidence-facts';
import { linearPattern, type LinearPattern } from '../../kit/masking/linear-search';
import { type BundleFiles, createLineCounter, isLockfile, type SourceFile } from './bundle-files';
import { PLACEHOLDERS, type SecretRule } from '../data/secret-rules';

/**
 * Search window before and after a keyword, longer than any match; a block with the longest keys in use has 14 KiB.
 */
const REACH = { before: 256, after: 16_384 } as const;
/** Limits per rule: findings per file, and candidates per window. */
const MOST_PER_FILE = 100;
const MOST_CANDIDATES = 20_000;
/** A random key of this length may contain a placeholder word by chance, so placeholders are not looked for in it. */
const LONG = 512;
/** Phrases of words and numbers, which heuristic rules would mistake for random values. */
const PHRASE = /^[a-z]+(?:[-_./][a-z0-9]+)+$/i;

/** The catch-all rule for names of secrets. */
const LEAST_PRECISE = 'generic-api-key';

interface Compiled {
  rule: SecretRule;
  /** Precedence among rules that match the same text; the lowest wins. */
  rank: number;
  isGeneric: boolean;
  regex(): LinearPattern;
  path(): LinearPattern | undefined;
  allow(): { target: string; pattern: LinearPattern }[];
  stopwords: string[];
}

interface Hit {
  compiled: Compiled;
  start: number;
  end: number;
}

export type SecretScan = (files: BundleFiles) => {
  coverage: CheckCoverage;
  found: FactList<SecretFact>;
};

/** Creates a scan. Each rule is compiled on first use. Throws for a rule that is not valid RE2. */
export function createSecretScan(rules: readonly SecretRule[]): SecretScan {
  const patternOf = shared();
  const compiled = rules.map((rule, at) =>
    compile(rule, rule.id === LEAST_PRECISE ? rules.length : at, patternOf),
  );
  return (files) => {
    const looked = files.texts.filter(({ path }) => !isLockfile(path));
    const facts = looked.flatMap((file) => scanFile(compiled, file));
    const gaps = files.unreadable > 0 ? [{ code: 'binary_files' as const, count: files.unreadable }] : [];
    return {
      coverage: { wanted: looked.length + files.unreadable, looked: looked.length, gaps },
      found: { total: facts.length, items: facts.slice(0, FACT_LIMIT) },
    };
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
    isGeneric: rule.isGuess ?? false,
    regex: once(() => patternOf(rule.regex)),
    path: once(() => (rule.path === undefined ? undefined : patternOf(rule.path))),
    allow: once(() => (rule.allow ?? []).map(({ target, regex }) => ({ target, pattern: patternOf(regex) }))),
    stopwords: [...PLACEHOLDERS, ...(rule.stopwords ?? [])],
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function scanFile(rules: readonly Compiled[], file: SourceFile): SecretFact[] {
  const lower = lowered(file.text);
  const hits = rules.flatMap((compiled) => findRule(compiled, file, lower)).sort((a, b) => a.start - b.start);
  const reported = hits.filter((hit) => !hits.some((other) => isBetter(other, hit)));
  const lineOf = createLineCounter(file.text);
  const facts = reported.map(({ compiled: { rule, isGeneric }, start }) => ({
    rule: rule.id,
    description: rule.description,
    isGeneric,
    path: file.path,
    line: lineOf(start),
    isTestFile: file.isTest,
  }));
  const each = new Map(facts.map((fact) => [`${fact.line} ${fact.rule}`, fact]));
  return [...each.values()].sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : 1));
}

/** True when another rule matches the same text more precisely: it is not heuristic, or has precedence. */
function isBetter(other: Hit, hit: Hit): boolean {
  if (other.start >= hit.end || hit.start >= other.end) return false;
  if (other.compiled.isGeneric !== hit.compiled.isGeneric) return hit.compiled.isGeneric;
  return other.compiled.rank < hit.compiled.rank;
}

function findRule(compiled: Compiled, file: SourceFile, lower: string): Hit[] {
  const windows = windowsOf(compiled.rule.keywords, lower);
  if (windows.length === 0 || compiled.path()?.test(file.path) === false) return [];
  const hits: Hit[] = [];
  for (const [from, to] of windows) {
    const text = file.text.slice(from, to);
    for (const { index, groups } of compiled.regex().find(text, MOST_CANDIDATES)) {
      if (hits.length >= MOST_PER_FILE) break;
      const match = groups[0] ?? '';
      const start = from + index;
      if (isSecret(compiled, file, match, secretOf(compiled.rule, groups), start))
        hits.push({ compiled, start, end: start + match.length });
    }
    if (hits.length >= MOST_PER_FILE) break;
  }
  return hits;
}

function secretOf(rule: SecretRule, groups: readonly (string | null)[]): string {
  if (rule.secretGroup !== undefined) return groups[rule.secretGroup] ?? '';
  return groups.slice(1).find((group) => group !== null && group !== '') ?? groups[0] ?? '';
}

function isSecret(
  compiled: Compiled,
  file: SourceFile,
  match: string,
  secret: string,
  start: number,
): boolean {
  const { rule, stopwords, isGeneric } = compiled;
  if (rule.entropy !== undefined && entropyOf(secret) < rule.entropy) return false;
  if (isGeneric && !looksRandom(file, match, secret)) return false;
  const small = secret.toLowerCase();
  if (secret.length < LONG && stopwords.some((word) => small.includes(word))) return false;
  const subject = (target: string) => {
    if (target === 'path') return file.path;
    if (target === 'match') return match;
    return target === 'line' ? lineAt(file.text, start) : secret;
  };
  return !compiled.allow().some(({ target, pattern }) => pattern.test(subject(target)));
}

/** Filters heuristic matches: no phrases, and in source code only quoted values, not identifiers. */
function looksRandom({ isSource }: SourceFile, match: string, secret: string): boolean {
  if (!/[0-9]/.test(secret) || PHRASE.test(secret)) return false;
  return !isSource || /['"`]/.test(match.charAt(match.indexOf(secret) - 1));
}

/**
 * The parts of a text in which a rule is applied: windows around its keywords, extended to whole lines when those are
 * short.
 */
function windowsOf(keywords: readonly string[], lower: string): [from: number, to: number][] {
  if (keywords.length === 0) return [[0, lower.length]];
  const found: [number, number][] = [];
  for (const keyword of keywords) {
    let at = lower.indexOf(keyword);
    while (at >= 0) {
      const from = lineStart(lower, Math.max(0, at - REACH.before));
      const to = Math.min(lower.length, at + keyword.length + REACH.after);
      found.push([from, to]);
      // A keyword within half the window is covered by this window as well.
      at = lower.indexOf(keyword, at + REACH.after / 2);
    }
  }
  return merged(found);
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
  const start = text.lastIndexOf('\n', at) + 1;
  return at - start > REACH.before ? at : start;
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(lineStart(text, at), Math.min(end < 0 ? text.length : end, at + REACH.after));
}

/** Converts to lower case without changing the length, which a few Unicode letters would. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase());
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
