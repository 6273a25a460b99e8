/** What manifests and lockfiles of packages say, in one shape for all ecosystems. */
import type { Ecosystem, LockfileKind } from '../../domain/evidence/evidence-facts';

export interface Dependency {
  name: string;
  range: string;
  isDev: boolean;
}

/** package.json, pyproject.toml or requirements.txt. */
export interface PackageManifest {
  path: string;
  ecosystem: Ecosystem;
  dependencies: Dependency[];
  /** Its licence as it is written, or null. */
  licence: string | null;
  installScripts: string[];
}

export interface LockedPackage {
  ecosystem: Ecosystem;
  name: string;
  version: string;
  isDev: boolean;
  /** As the lockfile says; undefined when lockfiles of this kind do not tell. */
  licence?: string | null;
  hasInstallScript?: boolean;
}

export interface Lockfile {
  path: string;
  kind: LockfileKind;
  ecosystem: Ecosystem;
  packages: LockedPackage[];
  /** The versions that direct dependencies resolve to, by name; a name may have several. */
  resolved: Map<string, string[]>;
}

/** Undefined: the file is not of its format. `unsupported`: a version of the format that is not read. */
export type LockfileReading = Lockfile | 'unreadable' | 'unsupported';

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Names and versions are a stranger's: longer ones are nobody's. */
const MAX_NAME = 214;
const MAX_VERSION = 256;

export function isPackage(name: string | undefined, version: string | undefined): boolean {
  return Boolean(name && version && name.length <= MAX_NAME && version.length <= MAX_VERSION);
}

export function resolvedOf(packages: readonly LockedPackage[]): Map<string, string[]> {
  const resolved = new Map<string, string[]>();
  for (const { name, version } of packages) {
    const versions = resolved.get(name);
    if (!versions) resolved.set(name, [version]);
    else if (!versions.includes(version)) versions.push(version);
  }
  return resolved;
}

export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
