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
  type SupplyChainEvidence,
} from '../../domain/evidence/evidence-facts';
import { satisfies } from '../../kit/packages/package-versions';
import type { DependencyFacts, DirectDependency } from './dependencies';
import type { KnownPackage } from './package-facts';
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
  const gaps = lockfileGaps(facts);
  const looked = facts.manifests.filter(({ lock }) => lock).length;
  return {
    lockfiles: {
      coverage: nothingToDo(facts) ?? { wanted: facts.manifests.length, looked, gaps },
      found: lockfilesOf(facts),
      disagreements: cut(facts.direct.flatMap(disagreementOf)),
    },
    pinning: { ...pinningOf(facts), ...coveredFully(facts) },
    dependencies: {
      coverage: nothingToDo(facts) ?? { wanted: facts.manifests.length, looked, gaps },
      direct,
      transitive: production.length - direct,
    },
    licences: { ...licencesOf(facts, production), ...(production.length === 0 ? coveredFully(facts) : {}) },
    installScripts: {
      ...installScriptsOf(facts),
      ...(usesNpm(facts, production) ? {} : coveredFully(facts, true)),
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
  { manifests, packages, unsupported }: DependencyFacts,
  isEmpty = manifests.length === 0 && fromOthers(packages).every(({ isDev }) => isDev),
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

function lockfileGaps({ manifests }: DependencyFacts): Gap[] {
  const count = (code: GapCode) => manifests.filter(({ gap }) => gap === code).length;
  return gapsOf({
    no_lockfile: count('no_lockfile'),
    unreadable_lockfile: count('unreadable_lockfile'),
    unsupported_lockfile: count('unsupported_lockfile'),
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
  const { lock, manifest, name, range, isDev } = dependency;
  if (!lock || (isDev && lock.kind === 'requirements')) return [];
  const locked = lock.resolved.get(name) ?? [];
  if (locked.some((version) => satisfies(manifest.ecosystem, version, range) !== false)) return [];
  // A URL in the manifest has no version to compare.
  if (locked.length === 0 && /[:/]/.test(range)) return [];
  const { ecosystem, path } = manifest;
  return [{ ecosystem, manifest: path, name, range: range.slice(0, 100), locked: locked[0] ?? null }];
}

function pinningOf({ direct }: DependencyFacts): SupplyChainEvidence['pinning'] {
  const production = direct.filter(({ isDev }) => !isDev);
  const floating = production
    .filter(({ version, range }) => version === null && !PINNED_ADDRESS.test(range))
    .map(({ manifest, name, range }): FloatingFact => ({
      ecosystem: manifest.ecosystem,
      manifest: manifest.path,
      name: name.slice(0, 214),
      range: shownRange(range),
    }));
  return {
    coverage: { wanted: production.length, looked: production.length, gaps: [] },
    pinned: production.length - floating.length,
    floating: cut(floating),
  };
}

/** Hides URLs, which may contain a token. */
function shownRange(range: string): string {
  return /[:/@]/.test(range) ? 'a URL' : range.slice(0, 100);
}

function licencesOf(
  facts: DependencyFacts,
  production: readonly KnownPackage[],
): SupplyChainEvidence['licences'] {
  const own = facts.own.find(({ licence }) => licence !== null)?.licence ?? null;
  const known = production.filter(({ licence }) => typeof licence === 'string');
  const found: LicenceFact[] = [];
  for (const { ecosystem, name, version, isDirect, licence } of known) {
    const verdict = judgeLicence(own, licence ?? '');
    if (verdict === 'compatible') continue;
    found.push({ ecosystem, name, version, isDirect, licence: (licence ?? '').slice(0, 100), verdict });
  }
  const gaps = gapsOf({ unknown_licences: production.length - known.length });
  return {
    coverage: { wanted: production.length, looked: known.length, gaps },
    own: own?.slice(0, 100) ?? null,
    compatible: known.length - found.length,
    found: cut(found),
  };
}

function installScriptsOf({
  packages,
  own: manifests,
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
  return { coverage: { wanted: npm.length, looked: known.length, gaps }, found: cut([...own, ...others]) };
}
