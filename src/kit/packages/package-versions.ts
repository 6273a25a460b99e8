/** Versions and ranges of packages by the rules of their ecosystem: npm by semver, PyPI by PEP 440 and PEP 503. */
import * as pep440 from '@renovatebot/pep440';
import * as semver from 'semver';

type Kind = 'npm' | 'PyPI';

const MAX_LENGTH = 256;

export function isVersion(ecosystem: Kind, version: string): boolean {
  if (version.length > MAX_LENGTH) return false;
  return ecosystem === 'npm' ? semver.valid(version) !== null : pep440.valid(version) !== null;
}

/** Below 0, 0 or above 0; undefined when one of them is no version. */
export function compareVersions(ecosystem: Kind, a: string, b: string): number | undefined {
  if (!isVersion(ecosystem, a) || !isVersion(ecosystem, b)) return undefined;
  return ecosystem === 'npm' ? semver.compare(a, b) : pep440.compare(a, b);
}

/** Undefined when the range is not of versions: an address, a tag, a path. */
export function satisfies(ecosystem: Kind, version: string, range: string): boolean | undefined {
  if (range.length > MAX_LENGTH || !isVersion(ecosystem, version)) return undefined;
  if (ecosystem === 'npm') {
    if (semver.validRange(range) === null) return undefined;
    return semver.satisfies(version, range, { includePrerelease: true });
  }
  const specifiers = range.replaceAll(/\s+/g, '');
  if (specifiers === '') return true;
  return pep440.validRange(specifiers)
    ? pep440.satisfies(version, specifiers, { prereleases: true })
    : undefined;
}

/** The version that a range allows as the only one, or null. */
export function exactVersion(ecosystem: Kind, range: string): string | null {
  const text = range.trim();
  if (ecosystem === 'npm') return text.length <= MAX_LENGTH ? semver.valid(text.replace(/^=/, '')) : null;
  const version = /^={2,3}\s*([^\s,*]+)$/.exec(text)?.[1];
  return version !== undefined && isVersion('PyPI', version) ? version : null;
}

/** How an ecosystem writes a package's name: PyPI does not tell case, `-`, `_` and `.` apart. */
export function normalName(ecosystem: Kind, name: string): string {
  return ecosystem === 'npm' ? name : name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}
