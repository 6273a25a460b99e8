/** Matches the packages of a bundle against known vulnerabilities and malicious packages. */
import type {
  AdvisoryFact,
  CheckCoverage,
  Ecosystem,
  FactList,
  GapCode,
  StaticEvidence,
} from '../../domain/evidence/evidence-facts';
import { isVersion } from '../../kit/packages/package-versions';
import type { KnownPackage } from './package-facts';
import { groupBy } from '../scoring/observations';
import { type Advisory, fixedIn, isAffected, isMalicious } from './osv';
import { cut, gapsOf } from './supply-chain';

/** Storage of advisory records; a scan reads only those of its packages. */
export interface AdvisorySource {
  /** The ecosystems of which all records were imported, with the date of the newest (RFC 3339). */
  covered(): Promise<ReadonlyMap<Ecosystem, string>>;
  lookup(packages: readonly { ecosystem: Ecosystem; name: string }[]): Promise<Advisory[]>;
}

export interface AdvisoryEvidence {
  vulnerabilities: StaticEvidence['vulnerabilities'];
  malicious: { coverage: CheckCoverage; found: FactList<AdvisoryFact> };
}

/**
 * Looks up advisories for packages. Development-only packages are checked for malicious packages but not for
 * vulnerabilities, because they do not run in production. `floating` is the number of dependencies with an unknown
 * version, `skipped` counts what was found and cannot be examined.
 */
export async function matchAdvisories(
  packages: readonly KnownPackage[],
  floating: number,
  source: AdvisorySource,
  skipped: Partial<Record<GapCode, number>> = {},
): Promise<AdvisoryEvidence> {
  const [covered, records] = await Promise.all([source.covered(), source.lookup(packages)]);
  const byPackage = new Map(groupBy(records, ({ ecosystem, name }) => `${ecosystem} ${name}`));
  const hits = packages
    .filter(({ version }) => version !== '')
    .flatMap((one) =>
      (byPackage.get(`${one.ecosystem} ${one.name}`) ?? [])
        .filter((advisory) => affects(advisory, one))
        // A repository may have the name of a malicious package, but it is not that package.
        .filter(({ advisoryId }) => one.origin === undefined || !isMalicious(advisoryId))
        .map((advisory) => ({ isDev: one.isDev, fact: toFact(one, advisory) })),
    );
  const production = packages.filter(({ isDev }) => !isDev);
  return {
    vulnerabilities: {
      coverage: coverageOf(production, floating, covered, skipped),
      found: found(hits.filter(({ isDev, fact }) => !isDev && !isMalicious(fact.advisoryId))),
      asOf: datesOf(packages, covered),
    },
    malicious: {
      coverage: coverageOf(packages, floating, covered, skipped),
      found: found(hits.filter(({ fact }) => isMalicious(fact.advisoryId))),
    },
  };
}

/** False for a version that cannot be compared: it is the text of a lockfile. */
function affects({ affected }: Advisory, { ecosystem, version }: KnownPackage): boolean {
  try {
    return isAffected(ecosystem, version, affected);
  } catch {
    return false;
  }
}

function toFact({ ecosystem, name, version, isDirect }: KnownPackage, advisory: Advisory): AdvisoryFact {
  const { advisoryId, severity, summary, affected } = advisory;
  const fix = fixedIn(ecosystem, version, affected);
  return { ecosystem, name, version, isDirect, advisoryId, severity, summary, fixedIn: fix };
}

function found(hits: readonly { fact: AdvisoryFact }[]): FactList<AdvisoryFact> {
  const key = ({ ecosystem, name, version, advisoryId }: AdvisoryFact) =>
    `${ecosystem} ${name} ${version} ${advisoryId}`;
  return cut(hits.map(({ fact }) => fact).sort((a, b) => (key(a) < key(b) ? -1 : 1)));
}

/** The dates of the data for the ecosystems of the packages, sorted. */
function datesOf(packages: readonly KnownPackage[], covered: ReadonlyMap<Ecosystem, string>) {
  const used = new Set(packages.map(({ ecosystem }) => ecosystem));
  return [...covered]
    .filter(([ecosystem]) => used.has(ecosystem))
    .map(([ecosystem, date]) => ({ ecosystem, date }))
    .sort((a, b) => (a.ecosystem < b.ecosystem ? -1 : 1));
}

function coverageOf(
  packages: readonly KnownPackage[],
  floating: number,
  covered: ReadonlyMap<Ecosystem, string>,
  skipped: Partial<Record<GapCode, number>>,
): CheckCoverage {
  const known = packages.filter(({ ecosystem }) => covered.has(ecosystem));
  const readable = known.filter(({ ecosystem, version }) => isVersion(ecosystem, version));
  return {
    wanted: packages.length + floating + Object.values(skipped).reduce((sum, count) => sum + count, 0),
    looked: readable.length,
    gaps: gapsOf({
      no_advisories: packages.length - known.length,
      unknown_versions: known.length - readable.length + floating,
      ...skipped,
    }),
  };
}
