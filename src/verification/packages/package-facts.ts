/** Common form of package manifests and lockfiles in all ecosystems. */
import type { Ecosystem, LockfileKind } from '../../domain/evidence/evidence-facts';

export interface Dependency {
  /** The name under which it is installed. */
  name: string;
  /** The name of the package when it is installed under another one (`npm:` aliases). */
  realName?: string;
  range: string;
  isDev: boolean;
}

/** package.json, pyproject.toml, setup.cfg, setup.py, Pipfile or requirements.txt. */
export interface PackageManifest {
  path: string;
  ecosystem: Ecosystem;
  dependencies: Dependency[];
  /** The licence as written in the manifest, or null. */
  licence: string | null;
  installScripts: string[];
  /** Names of optional groups (extras), which belong to production. */
  extras?: string[];
}

export interface LockedPackage {
  ecosystem: Ecosystem;
  name: string;
  /** Empty for a package from elsewhere whose lockfile names no version. */
  version: string;
  isDev: boolean;
  /** Where it comes from when that is no registry: a repository or an address, or a folder of the developer. */
  origin?: Elsewhere | undefined;
  /** The licence from the lockfile; undefined when this kind of lockfile has none. */
  licence?: string | null;
  hasInstallScript?: boolean;
  /** The address from which it is installed, when the lockfile names one. */
  source?: string | undefined;
  /** The groups of pdm.lock that need it. */
  groups?: string[];
}

export type Elsewhere = 'repository' | 'folder';

export interface KnownPackage extends LockedPackage {
  isDirect: boolean;
  /** The lockfile, or the manifest that pins this version. */
  path: string;
}

/** A node for each place or version of the lockfile. `needs` names its dependencies as the lockfile resolves them. */
export interface LockNode {
  name: string;
  version: string;
  needs: string[];
}

export interface LockGraph {
  nodes: ReadonlyMap<string, LockNode>;
  /** Finds the node of a dependency: by its name and range, seen from a node or (undefined) from a manifest. */
  find(need: string, from: string | undefined): string | undefined;
  /** Production dependencies, when the lockfile itself names them. */
  roots: string[] | undefined;
}

export interface Lockfile {
  path: string;
  kind: LockfileKind;
  ecosystem: Ecosystem;
  packages: LockedPackage[];
  /** Resolved versions of direct dependencies by name; a name can have several. */
  resolved: Map<string, string[]>;
  /** Which packages need which; undefined when the lockfile itself marks what is for development. */
  graph?: LockGraph;
}

/**
 * Result of reading a lockfile. `unreadable`: not valid in its format. `unsupported`: a version of the format that is
 * not supported.
 */
export type LockfileReading = Lockfile | 'unreadable' | 'unsupported';

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Longer names or versions never belong to a real package; they come from hostile lockfiles and are ignored. */
const MAX_NAME = 214;
const MAX_VERSION = 256;

export function isPackage(name: string | undefined, version: string | undefined): boolean {
  return Boolean(name && version && name.length <= MAX_NAME && version.length <= MAX_VERSION);
}

const FOLDER = /^(?:file|link|portal|workspace):/;
/** An address, `owner/repository`, or a commit. */
const REPOSITORY = /^(?:git|github|gitlab|bitbucket|gist|https?|ssh)[@:+]|^[^@:/\s]+\/[^/\s]+$|\.git(?:#|$)/;

/** Where a dependency comes from by the range or version that is written for it; undefined for a registry. */
export function originOf(written: string): Elsewhere | undefined {
  if (FOLDER.test(written)) return 'folder';
  return REPOSITORY.test(written) ? 'repository' : undefined;
}

/** True for a name with a version, or a package from elsewhere, which may have none. */
export function isListed(
  name: string | undefined,
  version: string,
  origin: Elsewhere | undefined,
): name is string {
  return isPackage(name, version) || (origin !== undefined && version === '' && isPackage(name, '0'));
}

/** The packages that are not from a folder of the developer. */
export function fromOthers<T extends LockedPackage>(packages: readonly T[]): T[] {
  return packages.filter(({ origin }) => origin !== 'folder');
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
