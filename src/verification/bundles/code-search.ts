/** Searches source code for dangerous calls and for styles of malware. */
import type { DangerousCallFact } from '../../domain/evidence/evidence-facts';
import { sha256Hex } from '../../kit/json/canonical-json';
import { linearPattern, type LinearPattern } from '../../kit/masking/linear-search';
import { wordFilter } from '../../kit/masking/word-filter';
import { DANGEROUS_CALLS, type DangerousCall } from '../data/dangerous-calls';
import { MALWARE_RULES, type MalwareRule } from '../data/malware-rules';
import { isToolFile, TOOL_FILE_RULES } from '../data/tool-file-rules';
import { lowered } from '../secrets/rule-matching';
import { createLineCounter } from './bundle-files';
import type { SourceFile } from './source-file';
import { withoutComments } from './comments';

/** What a rule reads before and after its keywords. */
const REACH = { before: 300, after: 1_500 } as const;
const MOST_PER_RULE = 20;
/** Within so many characters before and after a match, the other patterns of its rule must occur. */
const NEAR = 2_500;
const MOST_NEAR = 2_000;

interface Prepared {
  rule: DangerousCall | MalwareRule;
  isMalware: boolean;
  pattern: LinearPattern;
  also: LinearPattern[];
  near: number;
  /** The call is grave only in a file with this pattern. */
  graveIf: LinearPattern | undefined;
}

/**
 * Creates a search. Own files are searched for all rules; third-party files in the bundle only for malware, because
 * their dangerous calls are for their authors to judge; and so are files of tools.
 */
export function createCodeSearch(): (file: SourceFile) => DangerousCallFact[] {
  const calls = DANGEROUS_CALLS.map((rule): Prepared => ({
    rule,
    isMalware: false,
    pattern: onFirstUse(rule.regex),
    also: [],
    near: NEAR,
    graveIf: rule.graveIf === undefined ? undefined : onFirstUse(rule.graveIf),
  }));
  const malware = [...MALWARE_RULES, ...TOOL_FILE_RULES].map((rule): Prepared => ({
    rule,
    isMalware: true,
    pattern: onFirstUse(rule.regex),
    also: (rule.also ?? []).map(onFirstUse),
    near: rule.near ?? NEAR,
    graveIf: undefined,
  }));
  return (file) => {
    const rules = file.isForeign || !file.isSource ? malware : [...calls, ...malware];
    const lower = lowered(file.text);
    const mayContain = wordFilter(lower);
    const isPresent = (keyword: string) => mayContain(keyword) && lower.includes(keyword);
    const possible = rules.filter(({ rule }) => rule.files.test(file.path) && rule.keywords.some(isPresent));
    if (possible.length === 0) return [];
    const code = withoutComments(file.text, file.path);
    const lowerCode = lowered(code);
    return possible
      .flatMap((prepared) => factsOf(prepared, file, code, lowerCode))
      .sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : 1));
  };
}

/** Compiles a pattern when it is needed: most bundles need few, and compiling all takes 0.3 s of each scan. */
function onFirstUse(regex: string): LinearPattern {
  let compiled: LinearPattern | undefined;
  const pattern = () => (compiled ??= linearPattern(`(?m)${regex}`));
  return {
    find: (text, most) => pattern().find(text, most),
    test: (text) => pattern().test(text),
  };
}

function factsOf(
  { rule, isMalware, pattern, also, near, graveIf }: Prepared,
  { path, isTest }: SourceFile,
  code: string,
  lower: string,
): DangerousCallFact[] {
  const places = new Map<number, string>();
  const isNearAll = nearAll(also, near, code);
  const lineOf = createLineCounter(code);
  for (const [from, to] of windowsOf(rule.keywords, lower)) {
    const text = code.slice(from, to);
    for (const { index, groups } of pattern.find(text, MOST_PER_RULE)) {
      const match = groups[0] ?? '';
      if (!isNearAll(from + index)) continue;
      places.set(lineOf(from + index + (match.length - match.trimStart().length)), match.trim());
    }
    if (places.size >= MOST_PER_RULE) break;
  }
  if (places.size === 0) return [];
  const severity = graveIf === undefined || graveIf.test(code) ? rule.severity : 'medium';
  const description = 'reason' in rule ? rule.reason : rule.description;
  return [...places].map(([line, match]) => ({
    rule: rule.id,
    description,
    severity,
    path,
    line,
    // A tool reads its files wherever they are.
    isTestFile: isTest && !(isMalware && isToolFile(path)),
    ...(isMalware ? { isMalware, digest: sha256Hex(match).slice(0, 8) } : {}),
  }));
}

/** Whether each pattern begins at most `near` characters before or after a place. Searches `code` once for each. */
function nearAll(patterns: readonly LinearPattern[], near: number, code: string): (at: number) => boolean {
  const found = new Map<LinearPattern, number[]>();
  const placesOf = (pattern: LinearPattern) => {
    const places = found.get(pattern) ?? pattern.find(code, MOST_NEAR).map(({ index }) => index);
    found.set(pattern, places);
    return places;
  };
  return (at) => patterns.every((pattern) => placesOf(pattern).some((place) => Math.abs(place - at) <= near));
}

/** Windows around the keywords, merged, in ascending order. */
function windowsOf(keywords: readonly string[], lower: string): [number, number][] {
  const found: [number, number][] = [];
  for (const keyword of keywords)
    for (let at = lower.indexOf(keyword); at >= 0; at = lower.indexOf(keyword, at + REACH.after / 2))
      found.push([Math.max(0, at - REACH.before), Math.min(lower.length, at + keyword.length + REACH.after)]);
  const merged: [number, number][] = [];
  for (const [from, to] of found.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
