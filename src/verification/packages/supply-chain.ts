/** Facts of the supply chain stage, except advisories (specification, "Trust report"). */
import {
  type CheckCoverage,
  type DisagreementFact,
  FACT_LIMIT,
  type FactList,
  type FloatingFact,
  type Gap,
  type GapCode,
  type ImitatedFact,
  type InstallScriptFact,
  type LicenceFact,
  type LicenceVerdict,
  type SupplyChainEvidence,
} from '../../domain/evidence/evidence-facts';
import { satisfies } from '../../kit/packages/package-versions';
import type { DependencyFacts, Skipped } from './dependencies';
import type { DirectDependency, KnownPackage } from './package-facts';
import type { BundleFiles } from '../bundles/bundle-files';
import { foreignSources, networkedScripts } from './foreign-sources';
import { imitated } from './imitated-names';
import { judgeLicence } from './licences';
import { baseOf, fromOthers } from './package-facts';

/** A URL with a commit hash is pinned. */
const PINNED_ADDRESS = /#[0-9a-f]{40}$/i;

export function supplyChainFacts(
  given: DependencyFacts,
  files: BundleFiles,
): Omit<SupplyChainEvidence, 'malicious'> {
  const facts = { ...given, packages: fromOthers(given.packages) };
  const production = facts.packages.filter(({ isDev }) => !isDev);
  const direct = production.filter(({ isDirect }) => isDirect).length;
  const { manifests, lockfiles } = facts.skipped;
  const locked = nothingToDo(facts) ?? {
    wanted: facts.manifests.length + manifests + lockfiles,
    looked: facts.manifests.filter(({ lock }) => lock).length,
    gaps: lockfileGaps(facts),
  };
  return {
    lockfiles: {
      coverage: locked,
      found: lockfilesOf(facts),
      disagreements: cut(facts.direct.flatMap(disagreementOf)),
    },
    pinning: { ...pinningOf(facts), ...coveredFully(facts) },
    dependencies: {
      coverage: locked,
      direct,
      transitive: production.length - direct,
    },
    licences: { ...licencesOf(facts, production), ...(production.length === 0 ? coveredFully(facts) : {}) },
    installScripts: {
      ...installScriptsOf(facts),
      ...(usesNpm(facts, production) ? {} : coveredFully(facts, skippedCount(facts.skipped) === 0)),
    },
    imitated: cut(imitatedOf(facts)),
    foreignSources: cut(foreignSources(files, facts)),
    networkedScripts: cut(networkedScripts(files)),
  };
}

/**
 * Coverage of a bundle without dependencies: complete, because there is nothing that could be wrong; none if it has
 * manifests of ecosystems that cannot be read. Undefined for a bundle with dependencies.
 */
export function nothingToDo(
  { manifests, packages, unsupported, skipped }: DependencyFacts,
  isEmpty = manifests.length === 0 &&
    skippedCount(skipped) === 0 &&
    fromOthers(packages).every(({ isDev }) => isDev),
): CheckCoverage | undefined {
  if (!isEmpty) return undefined;
  if (unsupported === 0) return { wanted: 1, looked: 1, gaps: [] };
  return { wanted: unsupported, looked: 0, gaps: gapsOf({ unsupported_ecosystem: unsupported }) };
}

/** True when production has packages of npm; other ecosystems have no install scripts that can be read. */
function usesNpm({ manifests }: DependencyFacts, production: readonly KnownPackage[]): boolean {
  return [...manifests.map(({ manifest }) => manifest), ...production].some(
    ({ ecosystem }) => ecosystem === 'npm',
  );
}

function coveredFully(facts: DependencyFacts, isEmpty?: boolean): { coverage?: CheckCoverage } {
  const coverage = nothingToDo(facts, isEmpty);
  return coverage === undefined ? {} : { coverage };
}

function imitatedOf({ direct }: DependencyFacts): ImitatedFact[] {
  const found = direct.flatMap(({ name, realName, manifest }): ImitatedFact[] => {
    const real = realName ?? name;
    const hit = imitated(manifest.ecosystem, real);
    return hit ? [{ ecosystem: manifest.ecosystem, name: real, manifest: manifest.path, ...hit }] : [];
  });
  return found.sort((a, b) => (`${a.manifest} ${a.name}` < `${b.manifest} ${b.name}` ? -1 : 1));
}

/** Cuts a sorted list at the limit and keeps its total. */
export function cut<T>(items: T[]): FactList<T> {
  return { total: items.length, items: items.slice(0, FACT_LIMIT) };
}

/** Converts counts to gaps; counts of 0 are dropped. */
export function gapsOf(counts: Partial<Record<GapCode, number>>): Gap[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([code, count]) => ({ code: code as GapCode, count }));
}

/** What was found and could not be examined, as counts of gaps. */
export function skippedGaps(skipped: Skipped): Partial<Record<GapCode, number>> {
  return {
    unreadable_lockfile: skipped.lockfiles,
    unreadable_manifest: skipped.manifests,
    unreadable_packages: skipped.unreadable,
    too_many_packages: skipped.tooMany,
  };
}

export function skippedCount({ lockfiles, manifests, unreadable, tooMany }: Skipped): number {
  return lockfiles + manifests + unreadable + tooMany;
}

/** The coverage of a check that should have examined what was skipped, too. */
function withSkipped({ wanted, looked, gaps }: CheckCoverage, skipped: Skipped): CheckCoverage {
  return { wanted: wanted + skippedCount(skipped), looked, gaps: [...gaps, ...gapsOf(skippedGaps(skipped))] };
}

function lockfileGaps({ manifests, skipped }: DependencyFacts): Gap[] {
  const count = (code: GapCode) => manifests.filter(({ gap }) => gap === code).length;
  return gapsOf({
    no_lockfile: count('no_lockfile'),
    unreadable_lockfile: count('unreadable_lockfile') + skipped.lockfiles,
    unsupported_lockfile: count('unsupported_lockfile'),
    unreadable_manifest: skipped.manifests,
  });
}

function lockfilesOf({ manifests }: DependencyFacts) {
  const locks = new Map(manifests.flatMap(({ lock }) => (lock ? [[lock.path, lock]] : [])));
  return [...locks.values()]
    .map(({ path, kind, packages }) => ({ path, kind, packages: packages.length }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, FACT_LIMIT);
}

function disagreementOf(dependency: DirectDependency): DisagreementFact[] {
  const { lock, manifest, name, range, isDev, version } = dependency;
  if (!lock || (isDev && lock.kind === 'requirements')) return [];
  const locked = lock.resolved.get(name) ?? new Set<string>();
  // The version is the one that fits, if one does.
  const fits = version !== null && locked.has(version);
  if (fits && (range === `==${version}` || satisfies(manifest.ecosystem, version, range) !== false))
    return [];
  // A URL in the manifest has no version to compare.
  if (locked.size === 0 && /[:/]/.test(range)) return [];
  const { ecosystem, path } = manifest;
  const [first] = locked;
  return [{ ecosystem, manifest: path, name, range: range.slice(0, 100), locked: first ?? null }];
}

function pinningOf({ direct, skipped }: DependencyFacts): SupplyChainEvidence['pinning'] {
  const production = direct.filter(({ isDev }) => !isDev);
  const floating = production
    .filter(({ version, range }) => version === null && !PINNED_ADDRESS.test(range))
    .map(({ manifest, name, range }): FloatingFact => ({
      ecosystem: manifest.ecosystem,
      manifest: manifest.path,
      name,
      range: shownRange(range),
    }));
  return {
    coverage: withSkipped({ wanted: production.length, looked: production.length, gaps: [] }, skipped),
    pinned: production.length - floating.length,
    floating: cut(floating),
  };
}

/** Hides URLs, which may contain a token. */
function shownRange(range: string): string {
  return /[:/@]/.test(range) ? 'a URL' : range.slice(0, 100);
}

/** Different licences of one bundle that are read. Real lockfiles have a few dozen. */
const MOST_LICENCES = 300;

function licencesOf(
  facts: DependencyFacts,
  production: readonly KnownPackage[],
): SupplyChainEvidence['licences'] {
  const own = facts.own.find(({ licence }) => licence !== null)?.licence ?? null;
  const verdicts = new Map<string, LicenceVerdict>();
  const named = production.flatMap((one) =>
    typeof one.licence === 'string' ? [{ ...one, licence: one.licence }] : [],
  );
  for (const { licence } of named)
    if (verdicts.size < MOST_LICENCES && !verdicts.has(licence))
      verdicts.set(licence, judgeLicence(own, licence));
  const known = named.filter(({ licence }) => verdicts.has(licence));
  const found = known.flatMap(({ ecosystem, name, version, isDirect, licence }): LicenceFact[] => {
    const verdict = verdicts.get(licence) ?? 'review';
    if (verdict === 'compatible') return [];
    return [{ ecosystem, name, version, isDirect, licence: licence.slice(0, 100), verdict }];
  });
  const gaps = gapsOf({ unknown_licences: production.length - known.length });
  return {
    coverage: withSkipped({ wanted: production.length, looked: known.length, gaps }, facts.skipped),
    own: own?.slice(0, 100) ?? null,
    compatible: known.length - found.length,
    found: cut(found),
  };
}

function installScriptsOf({
  packages,
  own: manifests,
  skipped,
}: DependencyFacts): SupplyChainEvidence['installScripts'] {
  const npm = packages.filter(({ ecosystem, isDev }) => ecosystem === 'npm' && !isDev);
  const known = npm.filter(({ hasInstallScript }) => hasInstallScript !== undefined);
  const own = manifests.flatMap(({ path, ecosystem, installScripts }): InstallScriptFact[] =>
    installScripts.length > 0 && baseOf(path) === 'package.json'
      ? [{ ecosystem, name: installScripts.join(', '), version: null, path }]
      : [],
  );
  const others = known
    .filter(({ hasInstallScript }) => hasInstallScript)
    .map(({ ecosystem, name, version, path }): InstallScriptFact => ({ ecosystem, name, version, path }));
  const gaps = gapsOf({ unknown_scripts: npm.length - known.length });
  const coverage = withSkipped({ wanted: npm.length, looked: known.length, gaps }, skipped);
  return { coverage, found: cut([...own, ...others]) };
}
