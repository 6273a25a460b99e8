/** Determines the packages that a bundle needs, from its manifests and lockfiles. */
import type { GapCode } from '../../domain/evidence/evidence-facts';
import { exactVersion, satisfies } from '../../kit/packages/package-versions';
import type { BundleFiles } from '../bundles/bundle-files';
import type { SourceFile } from '../bundles/source-file';
import { markDevelopment, need } from './lock-graph';
import { readNpmLock } from './lockfiles-npm';
import { readBunLock, readPnpmLock } from './lockfiles-pnpm';
import { readPipfileLock, readTomlLock } from './lockfiles-python';
import { readYarnLock } from './lockfiles-yarn';
import { readAllRequirements, type RequirementsReading } from './requirements';
import { vendoredPackages } from './vendored-packages';
import {
  baseOf,
  type Dependency,
  directoryOf,
  type KnownPackage,
  type Lockfile,
  type LockfileReading,
  type PackageManifest,
} from './package-facts';
import { readPackageJson, readPipfile, readPyproject, readSetupCfg, readSetupPy } from './package-manifests';

/** A direct dependency with its resolved version; null when it floats. */
export interface DirectDependency extends Dependency {
  manifest: PackageManifest;
  lock: Lockfile | undefined;
  version: string | null;
}

export interface DependencyFacts {
  /** All package manifests; those at the root first. */
  own: PackageManifest[];
  /** Manifests with runtime dependencies. */
  manifests: { manifest: PackageManifest; lock: Lockfile | undefined; gap: GapCode | undefined }[];
  direct: DirectDependency[];
  packages: KnownPackage[];
  /** Package indexes that requirements files name. */
  indexes: (RequirementsReading['indexes'][number] & { path: string })[];
  /** Number of manifests of ecosystems that cannot be read. */
  unsupported: number;
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
const PYTHON_LOCKS = new Set(['poetry.lock', 'uv.lock', 'pdm.lock', 'pylock.toml', 'Pipfile.lock']);
const NAMED_PYLOCK = /^pylock\.[^/.]+\.toml$/;
/** Manifests of ecosystems whose packages cannot be read. */
const UNSUPPORTED =
  /^(?:go\.mod|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|Package\.swift|pubspec\.yaml|[^/]+\.csproj|deno\.jsonc?|environment\.ya?ml)$/;

/** Reads all manifests and lockfiles and joins them. */
export function readDependencies({ texts }: BundleFiles): DependencyFacts {
  const locks = new Map<string, LockfileReading>();
  const manifests: PackageManifest[] = [];
  // Manifests in directories of tests and examples do not describe what runs.
  const own = texts.filter((file) => !file.isForeign && !(file.isTest && directoryOf(file.path) !== ''));
  for (const file of own) readFile(file, locks, manifests);
  // npm ignores package-lock.json beside npm-shrinkwrap.json.
  for (const path of [...locks.keys()])
    if (baseOf(path) === 'npm-shrinkwrap.json') locks.delete(path.replace('npm-shrinkwrap', 'package-lock'));
  const requirements = readAllRequirements(new Map(own.map(({ path, text }) => [path, text])));
  for (const { manifest, lock } of requirements) {
    manifests.push(manifest);
    locks.set(manifest.path, lock);
  }
  const withLocks = manifests
    .filter(({ dependencies }) => dependencies.some(({ isDev }) => !isDev))
    .map((manifest) => ({ manifest, ...lockOf(manifest, locks) }));
  separateDevelopment(manifests, locks);
  const direct = withLocks.flatMap(({ manifest, lock }) =>
    manifest.dependencies.map((dependency) => ({
      ...dependency,
      manifest,
      lock,
      version: versionOf(dependency, manifest, lock),
    })),
  );
  const depth = ({ path }: PackageManifest) => path.split('/').length;
  const sorted = [...manifests].sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
  return {
    own: sorted,
    manifests: withLocks,
    direct,
    packages: packagesOf(locks, direct, vendoredPackages(texts)),
    indexes: requirements.flatMap(({ manifest, indexes }) =>
      indexes.map((index) => ({ ...index, path: manifest.path })),
    ),
    unsupported: own.filter(({ path }) => UNSUPPORTED.test(baseOf(path))).length,
  };
}

function readFile(file: SourceFile, locks: Map<string, LockfileReading>, manifests: PackageManifest[]): void {
  const { path, text } = file;
  const base = baseOf(path);
  const reader = READERS[NAMED_PYLOCK.test(base) ? 'pylock.toml' : base];
  if (reader) locks.set(path, reader(path, text));
  if (base === 'package.json') add(manifests, readPackageJson(path, text));
  if (base === 'pyproject.toml') add(manifests, readPyproject(path, text));
  if (base === 'Pipfile') add(manifests, readPipfile(path, text));
  if (base === 'setup.cfg') addIfNeeded(manifests, readSetupCfg(path, text));
  if (base === 'setup.py') addIfNeeded(manifests, readSetupPy(path, text));
}

function addIfNeeded(manifests: PackageManifest[], manifest: PackageManifest): void {
  if (manifest.dependencies.length > 0) manifests.push(manifest);
}

/** Marks the packages of each lockfile that only development needs, by the manifests that use the lockfile. */
function separateDevelopment(
  manifests: readonly PackageManifest[],
  locks: ReadonlyMap<string, LockfileReading>,
): void {
  for (const lock of locks.values()) {
    if (typeof lock !== 'object') continue;
    const users = manifests.filter((manifest) => lockOf(manifest, locks).lock === lock);
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

function add(manifests: PackageManifest[], manifest: PackageManifest | undefined): void {
  if (manifest) manifests.push(manifest);
}

/** Finds the lockfile in the manifest's directory or the nearest one above, because workspaces share a lockfile. */
function lockOf(
  manifest: PackageManifest,
  locks: ReadonlyMap<string, LockfileReading>,
): { lock: Lockfile | undefined; gap: GapCode | undefined } {
  const gaps: GapCode[] = [];
  for (const directory of directoriesUp(directoryOf(manifest.path))) {
    for (const name of Object.keys(READERS)) {
      if (PYTHON_LOCKS.has(name) !== (manifest.ecosystem === 'PyPI')) continue;
      const reading = locks.get(directory === '' ? name : `${directory}/${name}`);
      if (reading === 'unreadable') gaps.push('unreadable_lockfile');
      else if (reading === 'unsupported') gaps.push('unsupported_lockfile');
      else if (reading) return { lock: reading, gap: undefined };
    }
  }
  const pinned = pinnedRequirements(manifest, locks);
  if (pinned) return { lock: pinned, gap: undefined };
  return { lock: undefined, gap: gaps[0] ?? 'no_lockfile' };
}

/**
 * A requirements file counts as a lockfile when it pins every dependency of the manifest: its own, or those of the
 * pyproject.toml beside it.
 */
function pinnedRequirements(
  manifest: PackageManifest,
  locks: ReadonlyMap<string, LockfileReading>,
): Lockfile | undefined {
  if (manifest.ecosystem !== 'PyPI') return undefined;
  const directory = directoryOf(manifest.path);
  const candidates = [...locks.values()].filter(
    (lock) =>
      typeof lock === 'object' && lock.kind === 'requirements' && directoryOf(lock.path) === directory,
  ) as Lockfile[];
  const needed = manifest.dependencies.filter(({ isDev }) => !isDev);
  return candidates
    .sort((a, b) => Number(b.path === manifest.path) - Number(a.path === manifest.path))
    .find(({ resolved }) => needed.every(({ name }) => resolved.has(name)));
}

function directoriesUp(directory: string): string[] {
  return directory === '' ? [''] : [directory, ...directoriesUp(directoryOf(directory))];
}

function versionOf(
  { name, range }: Dependency,
  { ecosystem }: PackageManifest,
  lock: Lockfile | undefined,
): string | null {
  const locked = lock?.resolved.get(name) ?? [];
  const fitting = locked.find((version) => satisfies(ecosystem, version, range) !== false);
  return fitting ?? locked[0] ?? exactVersion(ecosystem, range);
}

function packagesOf(
  locks: ReadonlyMap<string, LockfileReading>,
  direct: readonly DirectDependency[],
  vendored: readonly KnownPackage[],
): KnownPackage[] {
  const known = new Map<string, KnownPackage>();
  const keyOf = (one: { ecosystem: string; name: string; version: string }) =>
    `${one.ecosystem} ${one.name} ${one.version}`;
  for (const [path, lock] of locks) {
    if (typeof lock !== 'object') continue;
    for (const entry of lock.packages) {
      const before = known.get(keyOf(entry));
      if (before) before.isDev &&= entry.isDev;
      else known.set(keyOf(entry), { ...entry, isDirect: false, path });
    }
  }
  for (const one of vendored) if (!known.has(keyOf(one))) known.set(keyOf(one), one);
  for (const { name, realName, version, isDev, manifest } of direct) {
    if (version === null) continue;
    const found = {
      ecosystem: manifest.ecosystem,
      name: realName ?? name,
      version,
      isDev,
      isDirect: true,
      path: manifest.path,
    };
    const before = known.get(keyOf(found));
    if (before) before.isDirect = true;
    else known.set(keyOf(found), found);
  }
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}
