/** Package versions and ranges by the rules of their ecosystem: semver for npm, PEP 440 and PEP 503 for PyPI. */
import * as pep440 from '@renovatebot/pep440';
import * as semver from 'semver';
import { compareLegacyPython, compareLikeSemver } from './loose-versions';

type Kind = 'npm' | 'PyPI';

const MAX_LENGTH = 256;

/** Most versions of PyPI; the library takes a hundred times as long for them. */
const PLAIN = /^[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}$/;

/** True for a valid version. */
export function isVersion(ecosystem: Kind, version: string): boolean {
  if (version.length > MAX_LENGTH) return false;
  if (ecosystem === 'PyPI' && PLAIN.test(version)) return true;
  return ecosystem === 'npm' ? semver.valid(version) !== null : pep440.valid(version) !== null;
}

/**
 * Compares two versions: negative, 0 or positive. Returns undefined when one of them is not a version. Advisories also
 * name versions that their ecosystem does not accept any more: `2` and `0.0.0.1` of npm, and versions of PyPI from
 * before PEP 440, which precede all others.
 */
export function compareVersions(ecosystem: Kind, first: string, second: string): number | undefined {
  if (Math.max(first.length, second.length) > MAX_LENGTH) return undefined;
  const areValid = [isVersion(ecosystem, first), isVersion(ecosystem, second)];
  if (ecosystem === 'npm') {
    return areValid.every(Boolean) ? semver.compare(first, second) : compareLikeSemver(first, second);
  }
  if (areValid.every(Boolean)) return attempt(() => pep440.compare(first, second));
  return Number(areValid[0]) - Number(areValid[1]) || compareLegacyPython(first, second);
}

/** The version without its local part: `1.0+cu118` is a build of `1.0` (PEP 440). */
export function publicVersion(ecosystem: Kind, version: string): string {
  return ecosystem === 'PyPI' ? version.replace(/\+.*$/, '') : version;
}

/**
 * True when the version is in the range. Returns undefined when the range is not a version range, such as a URL, a
 * tag or a path.
 */
export function satisfies(ecosystem: Kind, version: string, range: string): boolean | undefined {
  if (range.length > MAX_LENGTH || !isVersion(ecosystem, version)) return undefined;
  if (ecosystem === 'npm') {
    if (semver.validRange(range) === null) return undefined;
    return semver.satisfies(version, range, { includePrerelease: true });
  }
  const specifiers = range.replaceAll(/\s+/g, '');
  if (specifiers === '') return true;
  return pep440.validRange(specifiers)
    ? attempt(() => pep440.satisfies(version, specifiers, { prereleases: true }))
    : undefined;
}

/**
 * The library throws for numbers beyond the exact integers beside a local version, and for others that it calls valid.
 */
function attempt<T>(compare: () => T): T | undefined {
  try {
    return compare();
  } catch {
    return undefined;
  }
}

/** The version that a range pins exactly, or null. */
export function exactVersion(ecosystem: Kind, range: string): string | null {
  const text = range.trim();
  if (ecosystem === 'npm') return text.length <= MAX_LENGTH ? semver.valid(text.replace(/^=/, '')) : null;
  const version = /^={2,3}\s*([^\s,*]+)$/.exec(text)?.[1];
  return version !== undefined && isVersion('PyPI', version) ? version : null;
}

/** Normalizes a package name: PyPI ignores case and treats `-`, `_` and `.` as equal. */
export function normalName(ecosystem: Kind, name: string): string {
  return ecosystem === 'npm' ? name : name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}
