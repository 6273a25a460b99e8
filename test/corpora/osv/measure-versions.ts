/** Measures the comparison of versions, and the evaluation of advisories, against the fixtures of OSV's own scanner. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../../../src/kit/packages/package-versions';
import { isAffected, readOsvRecord } from '../../../src/verification/packages/osv';
import type { CorpusResult } from '../measure';

const FIXTURES = [
  ['npm', 'semver-versions', read('semver-versions.txt')],
  ['PyPI', 'pypi-versions', read('pypi-versions.txt')],
  ['PyPI', 'pypi-versions-generated', generatedPypiVersions()],
] as const;

/**
 * The fixture `pypi-versions-generated.txt` of OSV's scanner, byte by byte: each two releases of a package that follow
 * each other, a pair a line. Here the releases are kept in their order, with ` | ` or a line break between packages.
 */
export function generatedPypiVersions(): string {
  const packages = read('pypi-releases.txt')
    .trimEnd()
    .split(/ \| |\n/);
  const pairs = packages.flatMap((releases) => {
    const [first = '', ...later] = releases.split(' ');
    return later.map((release, index) => `${later[index - 1] ?? first} < ${release}\n`);
  });
  return pairs.join('');
}

function read(file: string): string {
  return readFileSync(join(__dirname, file), 'utf8');
}

/**
 * For each ecosystem: an order of two versions that differs from the fixture's is a false alarm, a missing one is not
 * found.
 */
export function measureVersions(): CorpusResult[] {
  return FIXTURES.map(([ecosystem, name, text]) => {
    const result = emptyResult(name);
    for (const line of text.split('\n')) {
      const [, first, sign, second] = /^(\S+) ([<=>]) (\S+)$/.exec(line.trim()) ?? [];
      if (first === undefined || second === undefined) continue;
      const order = compareVersions(ecosystem, first, second);
      const ours = order === undefined ? '?' : order < 0 ? '<' : order > 0 ? '>' : '=';
      count(result, { isRight: ours === sign, isAlarm: ours !== '?', name: line });
    }
    return result;
  });
}

interface RangeCase {
  test: string;
  affected: object[];
  /** Versions, and whether the advisory affects them. */
  versions: Record<string, boolean>;
}

/** Advisories: versions that are affected are to be found, and others are false alarms. */
export function measureRanges(): CorpusResult {
  const result = emptyResult('advisory ranges');
  const cases = JSON.parse(read('ranges.json')) as RangeCase[];
  for (const { test, affected, versions } of cases) {
    const record = readOsvRecord({ id: 'OSV-TEST-1', modified: '2026-01-01T00:00:00Z', affected });
    for (const [version, isExpected] of Object.entries(versions)) {
      const advisories = record?.advisories ?? [];
      const isFound = advisories.some((one) => isAffected(one.ecosystem, version, one.affected));
      result.cases += 1;
      result.toFind += Number(isExpected);
      result.found += Number(isExpected && isFound);
      result.falseAlarms += Number(!isExpected && isFound);
      if (isFound !== isExpected) result.wrong.push(`${test} ${version}`);
    }
  }
  return result;
}

function emptyResult(corpus: string): CorpusResult {
  return { corpus, cases: 0, found: 0, toFind: 0, falseAlarms: 0, wrong: [] };
}

function count(
  result: CorpusResult,
  { isRight, isAlarm, name }: { isRight: boolean; isAlarm: boolean; name: string },
) {
  result.cases += 1;
  result.toFind += 1;
  result.found += Number(isRight);
  result.falseAlarms += Number(!isRight && isAlarm);
  if (!isRight) result.wrong.push(name);
}
