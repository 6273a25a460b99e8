/** Package versions and ranges by the rules of their ecosystem: semver for npm, PEP 440 and PEP 503 for PyPI. */
import * as pep440 from '@renovatebot/pep440';
import * as semver from 'semver';

type Kind = 'npm' | 'PyPI';

const MAX_LENGTH = 256;

/** True for a valid version. */
export function isVersion(ecosystem: Kind, version: string): boolean {
  if (version.length > MAX_LENGTH) return false;
  return ecosystem === 'npm' ? semver.valid(version) !== null : pep440.valid(version) !== null;
}

/**
 * Compares two versions: negative, 0 or positive. Returns undefined when one of them is not a version. Advisories of
 * npm also name versions such as `2` and `2.0`, which mean `2.0.0`.
 */
export function compareVersions(ecosystem: Kind, first: string, second: string): number | undefined {
  const [a, b] = ecosystem === 'npm' ? [filled(first), filled(second)] : [first, second];
  if (!isVersion(ecosystem, a) || !isVersion(ecosystem, b)) return undefined;
  return ecosystem === 'npm' ? semver.compare(a, b) : pep440.compare(a, b);
}

/** `2` and `2.0` as `2.0.0`; a prerelease stays: `2.0-beta` is `2.0.0-beta`. */
function filled(version: string): string {
  const [, numbers, rest = ''] = /^v?(\d{1,16}(?:\.\d{1,16})?)([-+].*)?$/.exec(version) ?? [];
  if (numbers === undefined) return version;
  return `${numbers}${numbers.includes('.') ? '.0' : '.0.0'}${rest}`;
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
    ? pep440.satisfies(version, specifiers, { prereleases: true })
    : undefined;
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
