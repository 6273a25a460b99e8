/**
 * A manifest version MAJOR.MINOR.PATCH (specification, "Versioning"), without pre-release or build metadata.
 */
export interface Version {
  major: number;
  minor: number;
  patch: number;
}

/** Each part has at most 9 digits, so that it fits a Postgres integer. */
export const VERSION_PATTERN = '^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$';
const VERSION = new RegExp(VERSION_PATTERN);

/** Parses a version; returns undefined when the text is not one. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = VERSION.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Compares two versions: negative when `a` is lower, positive when `a` is higher, 0 when they are equal. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
