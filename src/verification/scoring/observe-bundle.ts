import type {
  AdvisoryFact,
  CompletenessFacts,
  DangerousCallFact,
  FactSeverity,
  LicenceFact,
  QualityFacts,
  SecretFact,
  SecretWeight,
  SourcePlace,
  StaticEvidence,
  SupplyChainEvidence,
} from '../../domain/evidence/evidence-facts';
import type { Rubric, Rule } from '../../domain/verification/rubric';
import { worstFirst } from '../../domain/verification/trust';
import { SOURCE_KINDS } from './source-kinds';
import { clip, groupBy, listed, type Observation } from './observations';

/**
 * Observes that a file ended the process that read it: one finding, whichever checks are missing for it. A bundle that
 * took too long has lost the points of what was not read, and is no finding.
 */
export function observeReading(code: StaticEvidence, supplyChain: SupplyChainEvidence): Observation[] {
  const read = [
    code.secrets,
    code.quality,
    code.vulnerabilities,
    supplyChain.lockfiles,
    supplyChain.malicious,
  ];
  const ended = read.some(({ coverage }) => coverage.gaps.some((gap) => gap.code === 'reader_ended'));
  return ended ? [{ rule: 'unreadable_bundle', subject: 'bundle', details: {} }] : [];
}

/** Observations of static analysis (specification, "Stage content"). */
export function observeStatic(facts: StaticEvidence, limits: Rubric['limits']): Observation[] {
  return [
    ...facts.secrets.found.items.map(secret),
    ...vulnerable(facts.vulnerabilities.found.items),
    ...quality(facts.quality, limits),
    ...completeness(facts.completeness, limits),
  ];
}

const HOW: Record<NonNullable<SecretFact['encoding']>, string> = {
  base64: ', encoded in base64',
  hex: ', encoded in hexadecimal',
  escapes: ', written with escapes',
  joined: ', divided into parts',
};

const BY_WEIGHT: Record<SecretWeight, Rule> = {
  certain: 'secret_exposure',
  named: 'secret_named',
  guessed: 'secret_guessed',
  public: 'secret_public',
  allowed: 'secret_allowed',
};

function secret(fact: SecretFact): Observation {
  const { rule: kind, description, path, line, isTestFile, isGeneric, reason = '', encoding } = fact;
  const weight = fact.weight ?? (isGeneric ? 'guessed' : 'certain');
  const isReal = weight === 'certain' || weight === 'named' || weight === 'guessed';
  return {
    rule: isTestFile && isReal ? 'secret_in_tests' : BY_WEIGHT[weight],
    subject: `${kind}:${path}`,
    details: {
      kind: clip(description.replace(/\.$/, '')),
      path: clip(path),
      line,
      how: encoding === undefined ? '' : HOW[encoding],
      reason: clip(reason),
    },
    place: { path, line },
    marks: fact.digest === undefined ? [] : [fact.digest],
  };
}

/** One finding per package and version, with the severity of its worst advisory. */
function vulnerable(found: readonly AdvisoryFact[]): Observation[] {
  return packages(found).map(([subject, advisories]) => {
    const worst = advisories.map(({ severity }) => severity).sort(worstFirst)[0] ?? 'medium';
    return { rule: `vulnerable_${worst}`, subject, details: advised(advisories), marks: idsOf(advisories) };
  });
}

function packages(found: readonly AdvisoryFact[]) {
  return groupBy(found, ({ ecosystem, name, version }) => `${ecosystem}:${name}@${version}`);
}

function idsOf(advisories: readonly AdvisoryFact[]): string[] {
  return advisories.map(({ advisoryId }) => advisoryId);
}

function advised(advisories: readonly AdvisoryFact[]): Record<string, string> {
  const [first] = advisories;
  if (!first) throw new Error('a group has members');
  const ids = idsOf(advisories);
  const fixes = advisories.map(({ fixedIn }) => fixedIn).filter((fix) => fix !== null);
  const isFixed = fixes.length === advisories.length;
  const fix = `Upgrade to ${listed([...new Set(fixes)].map((version) => `${first.name} ${version}`))} or later.`;
  return {
    package: clip(first.name),
    version: clip(first.version, 40),
    ecosystem: first.ecosystem,
    reach: first.isDirect ? 'direct' : 'transitive',
    advisories: listed([...new Set(ids)]),
    fix: isFixed
      ? fix
      : 'No fixed version is known: replace the package, or show that the affected code is not reached.',
  };
}

const GRAVE: ReadonlySet<FactSeverity> = new Set(['critical', 'high']);

/** One finding per kind of call, and one for each file with a style of malware. */
function calls(found: readonly DangerousCallFact[]): Observation[] {
  const own = found.filter(({ isTestFile }) => !isTestFile);
  const malware = groupBy(
    own.filter(({ isMalware }) => isMalware === true),
    ({ rule, path }) => `${rule}:${path}`,
  );
  const others = groupBy(
    own.filter(({ isMalware }) => isMalware !== true),
    ({ rule }) => rule,
  );
  return [...malware, ...others].map(([subject, places]) => ({
    rule: ruleOfCall(places),
    subject,
    details: {
      what: clip((places[0]?.description ?? subject).replace(/\.$/, ''), 200),
      count: places.length,
      places: placesOf(places),
      path: clip(places[0]?.path ?? ''),
      line: places[0]?.line ?? 0,
    },
    ...placed(places[0]),
    marks: places.flatMap(({ digest }) => digest ?? []),
  }));
}

function ruleOfCall(places: readonly DangerousCallFact[]): Rule {
  const isGrave = places.some(({ severity }) => GRAVE.has(severity));
  if (places[0]?.isMalware) return isGrave ? 'malicious_code' : 'suspicious_code';
  return isGrave ? 'dangerous_call' : 'risky_call';
}

function placed(at: SourcePlace | undefined): Pick<Observation, 'place'> {
  return at === undefined ? {} : { place: { path: at.path, line: at.line } };
}

function placesOf(places: readonly SourcePlace[]): string {
  return listed(places.map(({ path, line }) => `${clip(path, 50)}:${line}`));
}

function quality(facts: QualityFacts, limits: Rubric['limits']): Observation[] {
  // Files of tools and programs are examined without any source, too.
  if (facts.sourceFiles === 0) return calls(facts.dangerousCalls.items);
  const lacks = (rule: Rule, isLacking: boolean): Observation[] =>
    isLacking ? [{ rule, subject: '', details: {} }] : [];
  const observations = calls(facts.dangerousCalls.items);
  if (facts.minifiedFiles > 0)
    observations.push({ rule: 'minified_code', subject: '', details: { count: facts.minifiedFiles } });
  if (facts.longestFileLines > limits.longest_file_lines)
    observations.push({ rule: 'long_file', subject: '', details: { lines: facts.longestFileLines } });
  return [
    ...observations,
    ...lacks('no_tests', facts.testFiles === 0),
    ...lacks('no_licence', !facts.hasLicence),
    ...lacks('no_readme', !facts.hasReadme),
  ];
}

function completeness(facts: CompletenessFacts, limits: Rubric['limits']): Observation[] {
  const observations: Observation[] = [];
  const properties = facts.inputProperties + facts.outputProperties;
  const described = facts.describedInputProperties + facts.describedOutputProperties;
  const isLooked = facts.coverage.looked > 0;
  if (isLooked && described * 100 < properties * limits.described_properties_percent)
    observations.push({ rule: 'undescribed_schema', subject: '', details: { described, properties } });
  if (isLooked && facts.inputExamples === 0 && facts.inputProperties > 0)
    observations.push({ rule: 'no_examples', subject: '', details: {} });
  const hosts = groupBy(facts.undeclaredHosts.items, ({ host }) => host);
  for (const [host, places] of hosts)
    observations.push({
      rule: 'undeclared_host',
      subject: host,
      details: { host: clip(host), places: placesOf(places) },
      ...placed(places[0]),
    });
  return observations;
}

/** Observations of the supply chain stage (specification, "Stage content"). */
export function observeSupplyChain(facts: SupplyChainEvidence, limits: Rubric['limits']): Observation[] {
  const { malicious, pinning, lockfiles, dependencies, licences, installScripts } = facts;
  const observations: Observation[] = [];
  for (const [subject, advisories] of packages(malicious.found.items))
    observations.push({
      rule: 'malicious_package',
      subject,
      details: advised(advisories),
      marks: idsOf(advisories),
    });
  observations.push(...fromElsewhere(facts));
  for (const [manifest, floating] of groupBy(pinning.floating.items, (fact) => fact.manifest))
    observations.push({
      rule: 'floating_dependency',
      subject: manifest,
      details: {
        manifest: clip(manifest),
        count: floating.length,
        names: listed(floating.map(({ name, range }) => `${name} ${range}`)),
      },
    });
  for (const [manifest, wrong] of groupBy(lockfiles.disagreements.items, (fact) => fact.manifest))
    observations.push({
      rule: 'lockfile_disagrees',
      subject: manifest,
      details: { manifest: clip(manifest), names: listed(wrong.map(({ name }) => name)) },
    });
  const count = dependencies.direct + dependencies.transitive;
  if (count > limits.dependencies)
    observations.push({ rule: 'many_dependencies', subject: '', details: { count } });
  observations.push(...licenceFindings(licences.found.items, licences.own));
  observations.push(...scripts(installScripts.found.items, installScripts.found.total));
  return observations;
}

/** Names that imitate popular packages, hosts besides the registries, and install scripts that reach the network. */
function fromElsewhere({ imitated, foreignSources, networkedScripts }: SupplyChainEvidence): Observation[] {
  return [
    ...(imitated?.items ?? []).map((fact): Observation => ({
      rule: 'imitated_package',
      subject: `${fact.ecosystem}:${fact.name}`,
      details: {
        package: clip(fact.name),
        ecosystem: fact.ecosystem,
        manifest: clip(fact.manifest),
        popular: fact.popular,
        difference: fact.difference,
      },
    })),
    ...(foreignSources?.items ?? []).map(({ path, line, host, kind }): Observation => ({
      rule: 'foreign_source',
      subject: `${path}:${host}`,
      details: { path: clip(path), line, what: `${SOURCE_KINDS[kind]} ${clip(host)}` },
      place: { path, line },
    })),
    ...(networkedScripts?.items ?? []).map(({ path, line, name, what }): Observation => ({
      rule: 'networked_install_script',
      subject: `${path}:${name}`,
      details: { path: clip(path), line, name, what },
      place: { path, line },
    })),
  ];
}

/** One finding per licence. */
function licenceFindings(found: readonly LicenceFact[], own: string | null): Observation[] {
  return groupBy(found, ({ verdict, licence }) => `${verdict}:${licence}`).flatMap(([, facts]) => {
    const [first] = facts;
    if (!first) return [];
    const rule: Rule = first.verdict === 'incompatible' ? 'licence_incompatible' : 'licence_unclear';
    const details = {
      names: listed(facts.map(({ name }) => name)),
      licence: clip(first.licence),
      own: own === null ? 'not declared' : clip(own),
    };
    return [{ rule, subject: first.licence, details }];
  });
}

function scripts(
  found: SupplyChainEvidence['installScripts']['found']['items'],
  total: number,
): Observation[] {
  const own = found.filter(({ version }) => version === null);
  const others = found.filter(({ version }) => version !== null);
  const observations = own.map(({ path }): Observation => ({
    rule: 'own_install_script',
    subject: path,
    details: { path: clip(path) },
  }));
  if (others.length === 0) return observations;
  const count = total - own.length;
  const names = listed(
    others.map(({ name }) => name),
    count,
  );
  return [...observations, { rule: 'install_script', subject: '', details: { count, names } }];
}
