/** Determines the packages that a bundle needs, from its manifests and lockfiles. */
import type { GapCode } from '../../domain/evidence/evidence-facts';
import { exactVersion, satisfies } from '../../kit/packages/package-versions';
import type { BundleFiles } from '../bundles/bundle-files';
import type { SourceFile } from '../bundles/source-file';
import { groupBy } from '../scoring/observations';
import { markDevelopment, need } from './lock-graph';
import { readNpmLock } from './lockfiles-npm';
import { readBunLock, readPnpmLock } from './lockfiles-pnpm';
import { readPipfileLock, readTomlLock } from './lockfiles-python';
import { readYarnLock } from './lockfiles-yarn';
import { pinnedReading, readAllRequirements, type RequirementsReading } from './requirements';
import { knownPackages, type KnownPackages, MOST_PACKAGES } from './known-packages';
import { vendoredPackages } from './vendored-packages';
import {
  baseOf,
  type Dependency,
  type DirectDependency,
  directoryOf,
  isName,
  type KnownPackage,
  type Lockfile,
  type LockfileReading,
  type PackageManifest,
} from './package-facts';
import {
  readInlineScript,
  readPackageJson,
  readPipfile,
  readPyproject,
  readSetupCfg,
  readSetupPy,
} from './package-manifests';

export interface DependencyFacts {
  /** All package manifests; those at the root first. */
  own: PackageManifest[];
  /** Manifests with runtime dependencies. */
  manifests: { manifest: PackageManifest; lock: Lockfile | undefined; gap: GapCode | undefined }[];
  direct: DirectDependency[];
  packages: KnownPackage[];
  skipped: Skipped;
  /** Package indexes that requirements files name. */
  indexes: (RequirementsReading['indexes'][number] & { path: string })[];
  /** Number of manifests of ecosystems that cannot be read. */
  unsupported: number;
}

/** What was found and cannot be examined. */
export interface Skipped extends Omit<KnownPackages, 'packages'> {
  /** Manifests that cannot be read, and lockfiles that cannot be read and that no manifest uses. */
  manifests: number;
  lockfiles: number;
}

type Reader = (path: string, text: string) => LockfileReading;

const READERS: Record<string, Reader> = {
  'package-lock.json': readNpmLock,
  'npm-shrinkwrap.json': readNpmLock,
  'yarn.lock': readYarnLock,
  'pnpm-lock.yaml': readPnpmLock,
  'bun.lock': readBunLock,
  'poetry.lock': (path, text) => readTomlLock(path, text, 'poetry'),
  'uv.lock': (path, text) => readTomlLock(path, text, 'uv'),
  'pdm.lock': (path, text) => readTomlLock(path, text, 'pdm'),
  'pylock.toml': (path, text) => readTomlLock(path, text, 'pylock'),
  'Pipfile.lock': readPipfileLock,
  'bun.lockb': () => 'unsupported',
  'deno.lock': () => 'unsupported',
};
const PYTHON_LOCKS = ['poetry.lock', 'uv.lock', 'pdm.lock', 'pylock.toml', 'Pipfile.lock'];
const NODE_LOCKS = Object.keys(READERS).filter((name) => !PYTHON_LOCKS.includes(name));
const NAMED_PYLOCK = /^pylock\.[^/.]+\.toml$/;
/** Manifests of ecosystems whose packages cannot be read. */
const UNSUPPORTED =
  /^(?:go\.mod|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|Package\.swift|pubspec\.yaml|[^/]+\.csproj|deno\.jsonc?|environment\.ya?ml)$/;

/** What the files of a bundle say before it is joined. */
interface Readings {
  locks: Map<string, LockfileReading>;
  manifests: PackageManifest[];
  indexes: DependencyFacts['indexes'];
  unreadable: number;
  tooMany: number;
}

/** Reads all manifests and lockfiles and joins them. */
export function readDependencies({ texts }: BundleFiles): DependencyFacts {
  // Manifests in directories of tests and examples do not describe what runs.
  const own = texts.filter((file) => !file.isForeign && !(file.isTest && directoryOf(file.path) !== ''));
  const { locks, manifests, indexes, unreadable, tooMany } = readFiles(own);
  const lockOf = createLockLookup(locks);
  const withLocks = manifests
    .filter(({ dependencies }) => dependencies.some(({ isDev }) => !isDev))
    .map((manifest) => ({ manifest, ...lockOf(manifest) }));
  separateDevelopment(manifests, locks, lockOf);
  const named = withLocks.flatMap(({ manifest, lock }) =>
    manifest.dependencies.map((dependency) => ({ dependency, manifest, lock })),
  );
  const readable = named.filter(
    ({ dependency: { name, realName } }) => isName(name) && isName(realName ?? name),
  );
  const direct = readable.slice(0, MOST_PACKAGES).map(({ dependency, manifest, lock }) => ({
    ...dependency,
    manifest,
    lock,
    version: versionOf(dependency, manifest, lock),
  }));
  const depth = ({ path }: PackageManifest) => path.split('/').length;
  const sorted = [...manifests].sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
  const known = knownPackages(locks, direct, vendoredPackages(texts));
  const isUsed = withLocks.some(({ gap }) => gap === 'unreadable_lockfile');
  return {
    own: sorted,
    manifests: withLocks,
    direct,
    packages: known.packages,
    skipped: {
      unreadable: known.unreadable + named.length - readable.length,
      tooMany: known.tooMany + tooMany + readable.length - direct.length,
      manifests: unreadable,
      lockfiles: isUsed ? 0 : [...locks.values()].filter((lock) => lock === 'unreadable').length,
    },
    indexes,
    unsupported: own.filter(({ path }) => UNSUPPORTED.test(baseOf(path))).length,
  };
}

function readFiles(own: readonly SourceFile[]): Readings {
  const readings: Readings = { locks: new Map(), manifests: [], indexes: [], unreadable: 0, tooMany: 0 };
  const { locks, manifests } = readings;
  for (const file of own) readFile(file, readings);
  // npm ignores package-lock.json beside npm-shrinkwrap.json.
  for (const path of [...locks.keys()])
    if (baseOf(path) === 'npm-shrinkwrap.json') locks.delete(path.replace('npm-shrinkwrap', 'package-lock'));
  const texts = new Map(own.map(({ path, text }) => [path, text]));
  for (const { manifest, lock, indexes, tooMany } of readAllRequirements(texts, MOST_PACKAGES)) {
    readings.tooMany += tooMany;
    manifests.push(manifest);
    locks.set(manifest.path, lock);
    for (const index of indexes) readings.indexes.push({ ...index, path: manifest.path });
  }
  return readings;
}

const MANIFESTS: Record<string, (path: string, text: string) => PackageManifest | undefined> = {
  'package.json': readPackageJson,
  'pyproject.toml': readPyproject,
  Pipfile: readPipfile,
};

function readFile({ path, text }: SourceFile, readings: Readings): void {
  const { locks, manifests } = readings;
  const base = baseOf(path);
  const reader = READERS[NAMED_PYLOCK.test(base) ? 'pylock.toml' : base];
  if (reader) locks.set(path, reader(path, text));
  const manifest = MANIFESTS[base]?.(path, text);
  if (manifest) manifests.push(manifest);
  else if (MANIFESTS[base]) readings.unreadable += 1;
  if (base === 'setup.cfg') addIfNeeded(manifests, readSetupCfg(path, text));
  if (base === 'setup.py') addIfNeeded(manifests, readSetupPy(path, text));
  const script = path.endsWith('.py') ? readInlineScript(path, text) : undefined;
  if (script === 'unreadable') readings.unreadable += 1;
  else if (script) {
    manifests.push(script);
    locks.set(path, pinnedReading(path, script.dependencies).lock);
  }
}

function addIfNeeded(manifests: PackageManifest[], manifest: PackageManifest): void {
  if (manifest.dependencies.length > 0) manifests.push(manifest);
}

type LockLookup = (manifest: PackageManifest) => { lock: Lockfile | undefined; gap: GapCode | undefined };

/** Marks the packages of each lockfile that only development needs, by the manifests that use the lockfile. */
function separateDevelopment(
  manifests: readonly PackageManifest[],
  locks: ReadonlyMap<string, LockfileReading>,
  lockOf: LockLookup,
): void {
  const usersOf = new Map(groupBy(manifests, (manifest) => lockOf(manifest).lock));
  for (const lock of locks.values()) {
    if (typeof lock !== 'object') continue;
    const users = usersOf.get(lock) ?? [];
    const extras = new Set(users.flatMap((manifest) => manifest.extras ?? []));
    for (const entry of lock.packages)
      if (entry.isDev && entry.groups?.some((group) => extras.has(group))) entry.isDev = false;
    if (!lock.graph) continue;
    const wanted = users.flatMap(({ dependencies, ecosystem }) =>
      dependencies.filter(({ isDev }) => !isDev).map((one) => wantedBy(one, ecosystem)),
    );
    // poetry.lock up to 1.4 and from 2.0 marks groups itself.
    if (lock.kind === 'poetry' && (users.length === 0 || lock.packages.some(({ isDev }) => isDev))) continue;
    markDevelopment(lock.packages, lock.graph, lock.graph.roots ?? (users.length > 0 ? wanted : undefined));
  }
}

function wantedBy({ name, realName, range }: Dependency, ecosystem: PackageManifest['ecosystem']): string {
  if (ecosystem === 'PyPI') return name;
  return realName === undefined ? need(name, range) : `${name}@npm:${realName}@${range}`;
}

/** Finds the lockfile in the manifest's directory or the nearest one above, because workspaces share a lockfile. */
function createLockLookup(locks: ReadonlyMap<string, LockfileReading>): LockLookup {
  const known = new Map<PackageManifest, ReturnType<LockLookup>>();
  const pinned = pinnedByDirectory(locks);
  const find: LockLookup = (manifest) => {
    const gaps: GapCode[] = locks.get(manifest.path) === 'unreadable' ? ['unreadable_lockfile'] : [];
    for (const directory of directoriesUp(directoryOf(manifest.path))) {
      for (const name of manifest.ecosystem === 'PyPI' ? PYTHON_LOCKS : NODE_LOCKS) {
        const reading = locks.get(directory === '' ? name : `${directory}/${name}`);
        if (reading === 'unreadable') gaps.push('unreadable_lockfile');
        else if (reading === 'unsupported') gaps.push('unsupported_lockfile');
        else if (reading) return { lock: reading, gap: undefined };
      }
    }
    const lock = pinnedRequirements(manifest, pinned.get(directoryOf(manifest.path)) ?? []);
    return lock ? { lock, gap: undefined } : { lock: undefined, gap: gaps[0] ?? 'no_lockfile' };
  };
  return (manifest) => {
    const found = known.get(manifest) ?? find(manifest);
    known.set(manifest, found);
    return found;
  };
}

function pinnedByDirectory(locks: ReadonlyMap<string, LockfileReading>): Map<string, Lockfile[]> {
  const requirements = [...locks.values()].filter(
    (lock): lock is Lockfile => typeof lock === 'object' && lock.kind === 'requirements',
  );
  return new Map(groupBy(requirements, ({ path }) => directoryOf(path)));
}

/** Requirements files of one directory that are compared with each manifest in it. */
const MOST_CANDIDATES = 20;

/**
 * A requirements file counts as a lockfile when it pins every dependency of the manifest: its own, or those of the
 * pyproject.toml beside it.
 */
function pinnedRequirements(manifest: PackageManifest, beside: readonly Lockfile[]): Lockfile | undefined {
  if (manifest.ecosystem !== 'PyPI') return undefined;
  const own = beside.filter(({ path }) => path === manifest.path);
  const others = beside.filter(({ path }) => path !== manifest.path).slice(0, MOST_CANDIDATES);
  const needed = manifest.dependencies.filter(({ isDev }) => !isDev);
  return [...own, ...others].find(({ resolved }) => needed.every(({ name }) => resolved.has(name)));
}

function directoriesUp(directory: string): string[] {
  return directory === '' ? [''] : [directory, ...directoriesUp(directoryOf(directory))];
}

/**
 * The locked version that fits the range. A name with more versions than any real lockfile holds is not searched whole.
 */
function versionOf(
  { name, range }: Dependency,
  { ecosystem }: PackageManifest,
  lock: Lockfile | undefined,
): string | null {
  const exact = exactVersion(ecosystem, range);
  const locked = lock?.resolved.get(name);
  if (!locked) return exact;
  if (exact !== null && locked.has(exact)) return exact;
  const [first] = locked;
  return fittingVersion(ecosystem, locked, range) ?? first ?? exact;
}

/** Versions that are compared with the range of one dependency. */
const MOST_TRIED = 5;

/** The first of the versions that is not outside the range. */
function fittingVersion(
  ecosystem: PackageManifest['ecosystem'],
  versions: ReadonlySet<string>,
  range: string,
): string | undefined {
  let count = 0;
  for (const version of versions) {
    if ((count += 1) > MOST_TRIED) return undefined;
    if (satisfies(ecosystem, version, range) !== false) return version;
  }
  return undefined;
}
