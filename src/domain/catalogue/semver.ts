/** Versions MAJOR.MINOR.PATCH of manifests (specification, "Versioning"): no pre-release, no build part. */
export interface Version {
  major: number;
  minor: number;
  patch: number;
}

/** At most 9 digits a part, so that each fits a Postgres integer. */
export const VERSION_PATTERN = '^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$';
const VERSION = new RegExp(VERSION_PATTERN);

export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = VERSION.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Negative when `a` is lower, positive when it is higher, 0 when equal. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
