/**
 * Joins the packages of all files of a bundle. It is the last gate before they become evidence: a bundle has a limited
 * number of packages, and of versions of one package, so that no upload makes more rows or comparisons than a large
 * project.
 */
import {
  createPackageList,
  type DirectDependency,
  type KnownPackage,
  type LockedPackage,
  type LockfileReading,
} from './package-facts';

/** Packages of one version that are examined and stored (docs/verification-bundles.md). */
export const MOST_PACKAGES = 25_000;
/** Versions of one package. Real lockfiles hold a dozen at most. */
export const MOST_VERSIONS = 50;

export interface KnownPackages {
  packages: KnownPackage[];
  /** Entries whose name or version cannot be read. */
  unreadable: number;
  /** Packages above the limits. */
  tooMany: number;
}

/** Direct dependencies are taken first, so that the limits do not leave them out. */
export function knownPackages(
  locks: ReadonlyMap<string, LockfileReading>,
  direct: readonly DirectDependency[],
  vendored: { packages: readonly KnownPackage[]; unreadable: number },
): KnownPackages {
  const named = namedDirectly(direct);
  const isNamed = new Set(named.packages.map(keyOf));
  const locked = [...locks].flatMap(([path, lock]) =>
    typeof lock === 'object' ? lock.packages.map((entry) => ({ ...entry, isDirect: false, path })) : [],
  );
  const known = createCollection();
  for (const one of locked)
    if (isNamed.has(keyOf(one))) known.add(one, (before) => (before.isDev &&= one.isDev));
  for (const one of named.packages) known.add(one, (before) => (before.isDirect = true));
  for (const one of locked)
    if (!isNamed.has(keyOf(one))) known.add(one, (before) => (before.isDev &&= one.isDev));
  for (const one of vendored.packages) known.add(one, () => undefined);
  const unreadable = [...locks.values()].reduce(
    (sum, lock) => sum + (typeof lock === 'object' ? lock.unreadable : 0),
    named.unreadable + vendored.unreadable,
  );
  return { ...known.result(), unreadable };
}

/** Direct dependencies with a version; their names are checked like those of lockfiles. */
function namedDirectly(direct: readonly DirectDependency[]): {
  packages: KnownPackage[];
  unreadable: number;
} {
  const packages: KnownPackage[] = [];
  let unreadable = 0;
  for (const { name, realName, version, isDev, manifest } of direct) {
    if (version === null) continue;
    const list = createPackageList();
    list.add({ ecosystem: manifest.ecosystem, name: realName ?? name, version, isDev });
    unreadable += list.unreadable;
    for (const one of list.packages) packages.push({ ...one, isDirect: true, path: manifest.path });
  }
  return { packages, unreadable };
}

function keyOf({ ecosystem, name, version }: LockedPackage): string {
  return `${ecosystem} ${name} ${version}`;
}

function createCollection() {
  const known = new Map<string, KnownPackage>();
  const versions = new Map<string, number>();
  let tooMany = 0;
  return {
    add(entry: KnownPackage, join: (before: KnownPackage) => void): void {
      const before = known.get(keyOf(entry));
      if (before) return join(before);
      const name = `${entry.ecosystem} ${entry.name}`;
      const count = (versions.get(name) ?? 0) + 1;
      if (count > MOST_VERSIONS || known.size >= MOST_PACKAGES) tooMany += 1;
      else {
        versions.set(name, count);
        known.set(keyOf(entry), { ...entry });
      }
    },
    result: () => ({
      packages: [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry),
      tooMany,
    }),
  };
}
