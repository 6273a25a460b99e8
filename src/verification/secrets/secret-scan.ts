/**
 * Finds secrets in the files of a bundle, also encoded and divided ones. Findings contain kind and position, never the
 * value.
 */
import {
  type CheckCoverage,
  FACT_LIMIT,
  type FactList,
  type SecretFact,
} from '../../domain/evidence/evidence-facts';
import { sha256Hex } from '../../kit/json/canonical-json';
import { type BundleFiles, createLineCounter, isLockfile } from '../bundles/bundle-files';
import type { SourceFile } from '../bundles/source-file';
import type { SecretRule } from '../data/secret-rule';
import { type DerivedText, derivedTexts } from './decoded-texts';
import { createSecretMatcher, lineAt, type SecretHit, type SecretMatcher } from './rule-matching';
import { proves } from './proofs';
import { judgeSecret } from './secret-verdicts';
import { tableText } from './table-texts';

/** How much of a text around a match is evidence of what the match is. */
const NEAR = 600;

export type SecretScan = (files: BundleFiles) => {
  coverage: CheckCoverage;
  found: FactList<SecretFact>;
};

/** Creates a scan. Throws for a rule that is not valid RE2. */
export function createSecretScan(rules: readonly SecretRule[]): SecretScan {
  const match = createSecretMatcher(rules);
  return (files) => {
    const facts = files.texts.flatMap((file) => scanFile(match, file));
    const gaps = files.unreadable > 0 ? [{ code: 'binary_files' as const, count: files.unreadable }] : [];
    return {
      coverage: { wanted: files.texts.length + files.unreadable, looked: files.texts.length, gaps },
      found: { total: facts.length, items: facts.slice(0, FACT_LIMIT) },
    };
  };
}

export type TextSecrets = (text: string) => { weight: 'certain' | 'guessed'; secret: string }[];

/**
 * Creates a search for secrets in an answer of an agent. `certain`: the value is recognizable by itself; `guessed`:
 * only its name says so. The values never leave memory.
 */
export function createTextSecrets(rules: readonly SecretRule[]): TextSecrets {
  const match = createSecretMatcher(rules);
  return (text) => {
    const file = { path: '', text, isSource: false, isTest: false, isGenerated: false, isForeign: false };
    return foundIn(match, file).flatMap(({ hit, near, line }) => {
      const weight = judgeSecret(hit, '', line, near)?.weight;
      if (weight === undefined || weight === 'public' || weight === 'allowed') return [];
      return [
        { weight: weight === 'certain' ? ('certain' as const) : ('guessed' as const), secret: hit.secret },
      ];
    });
  };
}

interface Found {
  hit: SecretHit;
  /** The line of the match, and the text around it. */
  line: string;
  near: string;
  lineNumber: number;
  encoding?: DerivedText['how'];
}

/** The matches in a file, first as it is, then in the texts that it hides. */
function foundIn(match: SecretMatcher, file: SourceFile): Found[] {
  const { path, text, isSource } = file;
  const withGuesses = !isLockfile(path) && !file.isGenerated && !file.isForeign && file.isBinary !== true;
  const lineOf = createLineCounter(text);
  const found = match({ path, text, isSource, withGuesses }).map((hit): Found => ({
    ...around(hit, text),
    lineNumber: lineOf(hit.start),
  }));
  const known = found.map(({ hit }) => hit.secret);
  for (const derived of derivedTexts(text)) {
    const hits = match({
      path,
      text: derived.text,
      isSource,
      withGuesses: withGuesses && derived.how === 'joined',
    });
    const rowOf = createLineCounter(derived.text);
    for (const hit of hits) {
      const row = rowOf(hit.start) - 1;
      if (known.some((one) => one.includes(hit.secret) || hit.secret.includes(one))) continue;
      known.push(hit.secret);
      const lineNumber = (derived.lines[row] ?? 0) + 1;
      found.push({ ...around(hit, derived.text), lineNumber, encoding: derived.how });
    }
  }
  const table = withGuesses ? tableText(path, text) : undefined;
  if (table) {
    const rowOf = createLineCounter(table.text);
    for (const hit of match({ path, text: table.text, isSource, withGuesses })) {
      const lineNumber = (table.lines[rowOf(hit.start) - 1] ?? 0) + 1;
      if (known.some((one) => one.includes(hit.secret) || hit.secret.includes(one))) continue;
      known.push(hit.secret);
      found.push({ ...around(hit, table.text), lineNumber });
    }
  }
  return found;
}

/** Documents that people read; what they only show as an example does not prove itself. */
const DOCUMENT = /\.(?:md|mdx|rst|txt|adoc)$/i;
const OF_TESTS = /(?:^|\/)(?:tests?|__tests__|spec|fixtures?|testdata|mocks?|examples?)\//i;
const isDocument = (path: string) => DOCUMENT.test(path) && !OF_TESTS.test(path);

function around(hit: SecretHit, text: string): Pick<Found, 'hit' | 'line' | 'near'> {
  const near = text.slice(Math.max(0, hit.start - NEAR), hit.end + NEAR);
  return { hit, line: lineAt(text, hit.start), near };
}

function scanFile(match: SecretMatcher, file: SourceFile): SecretFact[] {
  const facts = foundIn(match, file).flatMap((found) => factOf(file, found) ?? []);
  const each = new Map(facts.map((fact) => [`${fact.line} ${fact.rule}`, fact]));
  return [...each.values()].sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : 1));
}

function factOf(file: SourceFile, { hit, line, near, lineNumber, encoding }: Found): SecretFact | undefined {
  const verdict = judgeSecret(hit, file.path, line, near);
  if (!verdict) return undefined;
  const isProven = verdict.weight === 'certain' ? proves(hit.secret) : undefined;
  if (isProven === false && isDocument(file.path)) return undefined;
  return {
    rule: hit.rule.id,
    description: hit.rule.description,
    isGeneric: hit.rule.isGuess ?? false,
    path: file.path,
    line: lineNumber,
    // A document spreads a key as code does.
    isTestFile: file.isTest && !(isProven === true && isDocument(file.path)),
    weight: verdict.weight,
    digest: sha256Hex(hit.secret).slice(0, 8),
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    ...(encoding === undefined ? {} : { encoding }),
  };
}
