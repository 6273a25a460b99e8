/** Code quality heuristics (specification, "Trust report": code-quality heuristics). */
import type { DangerousCallFact, QualityFacts } from '../../domain/evidence/evidence-facts';
import { linearPattern, type LinearPattern } from '../../kit/masking/linear-search';
import type { BundleFiles, SourceFile } from './bundle-files';
import { DANGEROUS_CALLS, type DangerousCall } from '../data/dangerous-calls';
import { cut, gapsOf } from '../packages/supply-chain';

const LICENCE_FILE = /(?:^|\/)(?:licen[cs]e|copying|unlicense)(?:[.-][^/]*)?$/i;
const README_FILE = /(?:^|\/)readme(?:\.[^/]*)?$/i;
const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]+\.py$|_test\.(?:py|go)$/i;
/** Comment lines, in which calls are ignored. */
const COMMENT = /^\s*(?:\/\/|#|\*|\/\*)/;
const LONGEST_LINE = 2_000;

export type QualityScan = (files: BundleFiles) => QualityFacts;

export function createQualityScan(): QualityScan {
  const rules = DANGEROUS_CALLS.map((rule) => ({ rule, pattern: linearPattern(rule.regex) }));
  return (files) => {
    const source = files.texts.filter(({ isSource }) => isSource);
    const written = source.filter(({ isGenerated }) => !isGenerated);
    const lines = written.map(({ text }) => countLines(text));
    const calls = written.flatMap((file) => callsIn(rules, file));
    return {
      coverage: {
        wanted: Math.max(source.length, 1),
        looked: written.length,
        gaps: gapsOf({
          no_source: source.length === 0 ? 1 : 0,
          generated_files: source.length - written.length,
        }),
      },
      files: files.count,
      sourceFiles: source.length,
      sourceBytes: source.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      sourceLines: lines.reduce((sum, count) => sum + count, 0),
      testFiles: source.filter(({ path }) => TEST_FILE.test(path)).length,
      longestFileLines: Math.max(0, ...lines),
      minifiedFiles: source.length - written.length,
      hasReadme: files.paths.some((path) => README_FILE.test(path)),
      hasLicence: files.paths.some((path) => LICENCE_FILE.test(path)),
      dangerousCalls: cut(calls),
    };
  };
}

function countLines(text: string): number {
  let lines = text.endsWith('\n') || text === '' ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function callsIn(
  rules: readonly { rule: DangerousCall; pattern: LinearPattern }[],
  { path, text, isTest }: SourceFile,
): DangerousCallFact[] {
  const lower = text.toLowerCase();
  const possible = rules.filter(
    ({ rule }) => rule.files.test(path) && rule.keywords.some((keyword) => lower.includes(keyword)),
  );
  if (possible.length === 0) return [];
  const facts: DangerousCallFact[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.length > LONGEST_LINE || COMMENT.test(line)) continue;
    const small = line.toLowerCase();
    for (const { rule, pattern } of possible) {
      if (!rule.keywords.some((keyword) => small.includes(keyword)) || !pattern.test(line)) continue;
      const { id, description, severity } = rule;
      facts.push({ rule: id, description, severity, path, line: index + 1, isTestFile: isTest });
    }
  }
  return facts;
}
