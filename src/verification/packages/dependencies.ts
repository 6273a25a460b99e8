/** Determines the packages that a bundle needs, from its manifests and lockfiles. */
import type { GapCode } from '../../domain/evidence/evidence-facts';
import { exactVersion, satisfies } from '../../kit/packages/package-versions';
import type { BundleFiles } from '../bundles/bundle-files';
import type { SourceFile } from '../bundles/source-file';
import { readNpmLock, readPnpmLock, readYarnLock } from './lockfiles-npm';
import { readRequirements, readTomlLock } from './lockfiles-python';
import {
  baseOf,
  type Dependency,
  directoryOf,
  type LockedPackage,
  type Lockfile,
  type LockfileReading,
  type PackageManifest,
} from './package-facts';
import { readPackageJson, readPyproject } from './package-manifests';

export interface KnownPackage extends LockedPackage {
  isDirect: boolean;
  /** The lockfile, or the manifest that pins this version. */
  path: string;
}

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
}

const READERS: Record<string, (path: string, text: string) => LockfileReading> = {
  'package-lock.json': readNpmLock,
  'npm-shrinkwrap.json': readNpmLock,
  'yarn.lock': readYarnLock,
  'pnpm-lock.yaml': readPnpmLock,
  'poetry.lock': (path, text) => readTomlLock(path, text, 'poetry'),
  'uv.lock': (path, text) => readTomlLock(path, text, 'uv'),
  'bun.lock': () => 'unsupported',
  'deno.lock': () => 'unsupported',
  'Pipfile.lock': () => 'unsupported',
};
const PYTHON_LOCKS = new Set(['poetry.lock', 'uv.lock', 'Pipfile.lock']);
const REQUIREMENTS = /^requirements[^/]*\.(?:txt|in)$/i;

/** Reads all manifests and lockfiles and joins them. */
export function readDependencies({ texts }: BundleFiles): DependencyFacts {
  const locks = new Map<string, LockfileReading>();
  const manifests: PackageManifest[] = [];
  for (const file of texts) readFile(file, locks, manifests);
  const withLocks = manifests
    .filter(({ dependencies }) => dependencies.some(({ isDev }) => !isDev))
    .map((manifest) => ({ manifest, ...lockOf(manifest, locks) }));
  const direct = withLocks.flatMap(({ manifest, lock }) =>
    manifest.dependencies.map((dependency) => ({
      ...dependency,
      manifest,
      lock,
      version: versionOf(dependency, manifest, lock),
    })),
  );
  const depth = ({ path }: PackageManifest) => path.split('/').length;
  const own = [...manifests].sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1));
  return { own, manifests: withLocks, direct, packages: packagesOf(locks, direct) };
}

function readFile(file: SourceFile, locks: Map<string, LockfileReading>, manifests: PackageManifest[]): void {
  const { path, text } = file;
  const base = baseOf(path);
  // Manifests in directories of tests and examples do not describe what runs.
  if (file.isTest && directoryOf(path) !== '') return;
  const reader = READERS[base];
  if (reader) locks.set(path, reader(path, text));
  if (base === 'package.json') add(manifests, readPackageJson(path, text));
  if (base === 'pyproject.toml') add(manifests, readPyproject(path, text));
  if (REQUIREMENTS.test(base)) {
    const { manifest, lock } = readRequirements(path, text);
    manifests.push(manifest);
    locks.set(path, lock);
  }
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
  for (const { name, version, isDev, manifest } of direct) {
    if (version === null) continue;
    const found = {
      ecosystem: manifest.ecosystem,
      name,
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
