/** Measures the comparison of versions, and the evaluation of advisories, against the fixtures of OSV's own scanner. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../../../src/kit/packages/package-versions';
import { isAffected, readOsvRecord } from '../../../src/verification/packages/osv';
import type { CorpusResult } from '../measure';

const FIXTURES = [
  ['npm', 'semver-versions'],
  ['PyPI', 'pypi-versions'],
  ['PyPI', 'pypi-versions-generated'],
] as const;

/** For each ecosystem: an order of two versions that differs from the fixture's is a false alarm, a missing one is not found. */
export function measureVersions(): CorpusResult[] {
  return FIXTURES.map(([ecosystem, name]) => {
    const result = emptyResult(name);
    for (const line of readFileSync(join(__dirname, `${name}.txt`), 'utf8').split('\n')) {
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
  const cases = JSON.parse(readFileSync(join(__dirname, 'ranges.json'), 'utf8')) as RangeCase[];
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
