/** Common form of package manifests and lockfiles in all ecosystems. */
import type { Ecosystem, LockfileKind } from '../../domain/evidence/evidence-facts';
import { isStorable } from '../../domain/json-value';

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
  /** Names of groups that belong to production: extras, and groups of poetry that are installed by default. */
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
  resolved: ResolvedVersions;
  /** Number of entries whose name or version cannot be read (`createPackageList`). */
  unreadable: number;
  /** Which packages need which; undefined when the lockfile itself marks what is for development. */
  graph?: LockGraph;
}

/** A direct dependency with its resolved version; null when it floats. */
export interface DirectDependency extends Dependency {
  manifest: PackageManifest;
  lock: Lockfile | undefined;
  version: string | null;
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

/** Longer names or versions never belong to a real package; they come from hostile files. */
const MAX_NAME = 214;
const MAX_VERSION = 256;
const MAX_LICENCE = 512;
/**
 * Characters that no name or version contains: blanks, control and invisible characters, and the replacement of
 * undecodable bytes.
 */
const UNREADABLE = /[\s\p{Cc}\p{Cf}\ufffd]/u;

/**
 * True for text that may be the name of a package. The database can store it, and no other name is stored as the same.
 */
export function isName(name: string | undefined): name is string {
  return isReadable(name, MAX_NAME);
}

function isReadable(text: string | undefined, most: number): text is string {
  return (
    text !== undefined && text !== '' && text.length <= most && isStorable(text) && !UNREADABLE.test(text)
  );
}

/** The licence that a file names; null when it names none, or one that is blank or cannot be read. */
export function licenceText(given: unknown): string | null {
  if (typeof given !== 'string' || given.length > MAX_LICENCE || !isStorable(given)) return null;
  return given.trim() === '' ? null : given.trim();
}

/** An entry of a lockfile before its name and version are known to be readable. */
export type LockEntry = Omit<LockedPackage, 'name' | 'version'> & {
  name: string | undefined;
  version: string | undefined;
};

/**
 * Collects the packages of a file. It is the only way to a `LockedPackage` list: an entry whose name or version cannot
 * be read is counted and left out, so it never becomes evidence and never reaches the database.
 */
export function createPackageList() {
  const packages: LockedPackage[] = [];
  let unreadable = 0;
  return {
    packages,
    get unreadable() {
      return unreadable;
    },
    /** Adds the package. Returns false when it cannot be read. A package from elsewhere may have no version. */
    add(entry: LockEntry): boolean {
      const { name, version = '', origin } = entry;
      const isVersion = isReadable(version, MAX_VERSION) || (origin !== undefined && version === '');
      if (isName(name) && isVersion) {
        packages.push({ ...entry, name, version });
        return true;
      }
      if (origin !== 'folder') unreadable += 1;
      return false;
    },
  };
}

/** Versions by name, each once and in the order in which they were noted. */
export type ResolvedVersions = ReadonlyMap<string, ReadonlySet<string>>;

/** Collects `ResolvedVersions` in time proportional to the number of versions. */
export function createResolved() {
  const versions = new Map<string, Set<string>>();
  return {
    versions,
    note(name: string, version: string): void {
      const known = versions.get(name);
      if (known) known.add(version);
      else versions.set(name, new Set([version]));
    },
  };
}

const FOLDER = /^(?:file|link|portal|workspace):/;
/** An address, `owner/repository`, or a commit. */
const REPOSITORY = /^(?:git|github|gitlab|bitbucket|gist|https?|ssh)[@:+]|^[^@:/\s]+\/[^/\s]+$|\.git(?:#|$)/;

/** Where a dependency comes from by the range or version that is written for it; undefined for a registry. */
export function originOf(written: string): Elsewhere | undefined {
  if (FOLDER.test(written)) return 'folder';
  return REPOSITORY.test(written) ? 'repository' : undefined;
}

/** The packages that are not from a folder of the developer. */
export function fromOthers<T extends LockedPackage>(packages: readonly T[]): T[] {
  return packages.filter(({ origin }) => origin !== 'folder');
}

export function resolvedOf(packages: readonly LockedPackage[]): ResolvedVersions {
  const resolved = createResolved();
  for (const { name, version } of packages) resolved.note(name, version);
  return resolved.versions;
}

const DEVELOPMENT =
  /(?:^|[/._-])(?:dev|develop|development|tests?|testing|lint|linting|linters?|docs?|documentation|ci|typing|types|style|format|formatting|coverage|benchmarks?)(?=$|[._-])/i;

/**
 * True for the name of a group or file of dependencies that only development installs, such as `dev` or `unit-tests`.
 */
export function isDevelopmentName(name: string): boolean {
  return DEVELOPMENT.test(name);
}

export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
