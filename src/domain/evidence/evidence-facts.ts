/**
 * Evidence that the bundle scanners collect. It contains facts only; the rubric turns them into findings and
 * points. Evidence is stored with the run, so it contains no secret, no source line and no endpoint. It is
 * deterministic: the same bundle and the same advisories give the same JSON bytes. Every list is sorted and
 * cut at its limit, and `total` holds the full count (specification, "Trust report": static analysis and
 * supply chain).
 */

/** Why part of a check was impossible. A gap is never a finding, because it may not be the agent's fault. */
export type GapCode =
  | 'no_bundle'
  | 'no_manifest_schemas'
  | 'no_source'
  | 'no_lockfile'
  | 'unreadable_lockfile'
  | 'unsupported_lockfile'
  | 'unreadable_manifest'
  | 'unreadable_packages'
  | 'too_many_packages'
  | 'no_advisories'
  | 'unknown_versions'
  | 'unknown_licences'
  | 'unknown_scripts'
  | 'unsupported_ecosystem'
  | 'too_large'
  | 'generated_files'
  | 'binary_files'
  | 'too_slow'
  | 'reader_ended'
  // Gaps of endpoint probes.
  | 'no_input_schema'
  | 'no_inputs'
  | 'refused_inputs'
  | 'no_text_input'
  | 'not_answered'
  | 'ownership_unproven'
  // Gaps of the tools of an MCP agent.
  | 'tools_not_called'
  | 'tools_without_input';

export interface Gap {
  code: GapCode;
  /** Number of affected files, packages or lockfiles. */
  count: number;
}

/**
 * Coverage of one check: the items it should inspect (`wanted`) and did inspect (`looked`). A check with
 * `looked` 0 earns no points.
 */
export interface CheckCoverage {
  wanted: number;
  looked: number;
  gaps: Gap[];
}

/** A list cut at `FACT_LIMIT`. `total` includes the items that were cut. */
export interface FactList<T> {
  total: number;
  items: T[];
}

export const FACT_LIMIT = 200;

/** A position in the bundle: `path` is relative to its root, `line` starts at 1. */
export interface SourcePlace {
  path: string;
  line: number;
}

export type FactSeverity = 'critical' | 'high' | 'medium' | 'low';

/** A secret found in a file. Only its kind and position are kept, never its value. */
export interface SecretFact extends SourcePlace {
  rule: string;
  description: string;
  /**
   * True when the match is heuristic: a suggestive name with a random-looking value, not a documented key
   * format.
   */
  isGeneric: boolean;
  /** True in files for tests or examples that the entry point does not reach, where fake values are common. */
  isTestFile: boolean;
  /** What the match weighs. Absent in evidence of former runs, where `isGeneric` decides. */
  weight?: SecretWeight;
  /** Why it weighs less than a leaked key; part of a sentence. */
  reason?: string;
  /** The first 8 hexadecimal digits of the value's SHA-256, so that a waiver does not cover another value. */
  digest?: string;
  /** How the value was hidden in the file. */
  encoding?: 'base64' | 'hex' | 'escapes' | 'joined';
}

/**
 * What a match weighs. `certain`: a value that is recognizable as a key. `named`: a random value beside the name of
 * its issuer, or a token that may be public. `guessed`: a random value beside a name such as `password`. `public`: a
 * value that is no secret, such as a test key. `allowed`: the developer says in the file that it is none.
 */
export type SecretWeight = 'certain' | 'named' | 'guessed' | 'public' | 'allowed';

export type Ecosystem = 'npm' | 'PyPI';

/** Until when the advisories of an ecosystem reach (RFC 3339). */
export interface AdvisoryDate {
  ecosystem: Ecosystem;
  date: string;
}

export interface PackageFact {
  ecosystem: Ecosystem;
  name: string;
  version: string;
  /** True for a direct dependency: one that a manifest of the bundle names. */
  isDirect: boolean;
}

export interface AdvisoryFact extends PackageFact {
  /** OSV id, such as `GHSA-…` or `MAL-…`. */
  advisoryId: string;
  /** Severity of the advisory; `medium` when the record has none. */
  severity: FactSeverity;
  summary: string;
  /** The lowest later version that is not affected; null when the record names none. */
  fixedIn: string | null;
}

/** A call that evaluates code, starts programs, or disables a protection. */
export interface DangerousCallFact extends SourcePlace {
  rule: string;
  description: string;
  severity: FactSeverity;
  isTestFile: boolean;
  /** A style of malware; `description` says in one sentence why. */
  isMalware?: boolean;
  /** The first 8 hexadecimal digits of the SHA-256 of the text that matched. */
  digest?: string;
}

export interface QualityFacts {
  coverage: CheckCoverage;
  files: number;
  sourceFiles: number;
  sourceBytes: number;
  sourceLines: number;
  testFiles: number;
  longestFileLines: number;
  minifiedFiles: number;
  hasReadme: boolean;
  hasLicence: boolean;
  dangerousCalls: FactList<DangerousCallFact>;
}

/** A host in the source code that the manifest does not declare as a subprocessor. */
export interface UndeclaredHostFact extends SourcePlace {
  host: string;
}

export interface CompletenessFacts {
  coverage: CheckCoverage;
  descriptionLength: number;
  hasHomepage: boolean;
  tags: number;
  inputProperties: number;
  describedInputProperties: number;
  outputProperties: number;
  describedOutputProperties: number;
  inputExamples: number;
  declaredSubprocessors: number;
  hosts: CheckCoverage;
  undeclaredHosts: FactList<UndeclaredHostFact>;
}

/** Evidence of the static analysis stage. */
export interface StaticEvidence {
  secrets: { coverage: CheckCoverage; found: FactList<SecretFact> };
  /** Advisories on pinned versions, except those for malicious packages. */
  vulnerabilities: {
    coverage: CheckCoverage;
    found: FactList<AdvisoryFact>;
    /** The date of the advisories of each ecosystem that the bundle uses; absent in evidence of former runs. */
    asOf?: AdvisoryDate[];
  };
  quality: QualityFacts;
  completeness: CompletenessFacts;
}

export type LockfileKind =
  'npm' | 'yarn' | 'pnpm' | 'bun' | 'requirements' | 'poetry' | 'uv' | 'pdm' | 'pipfile' | 'pylock';

/** A direct dependency that the lockfile does not pin, or pins outside the manifest's range. */
export interface DisagreementFact {
  ecosystem: Ecosystem;
  manifest: string;
  name: string;
  range: string;
  /** Locked version; null when the lockfile has none. */
  locked: string | null;
}

export interface LockfileFact {
  path: string;
  kind: LockfileKind;
  packages: number;
}

/** A direct dependency that no lockfile pins. */
export interface FloatingFact {
  ecosystem: Ecosystem;
  manifest: string;
  name: string;
  range: string;
}

/** An install script of a package, or of the bundle itself (`version` is null). */
export interface InstallScriptFact {
  ecosystem: Ecosystem;
  name: string;
  version: string | null;
  path: string;
}

export type LicenceVerdict = 'compatible' | 'incompatible' | 'review';

export interface LicenceFact extends PackageFact {
  /** SPDX expression from the lockfile. */
  licence: string;
  verdict: Exclude<LicenceVerdict, 'compatible'>;
}

/** A direct dependency whose name imitates that of a popular package. */
export interface ImitatedFact {
  ecosystem: Ecosystem;
  name: string;
  manifest: string;
  popular: string;
  /** In what the names differ. */
  difference: string;
}

/**
 * A package, or an index of packages, on another host than the public registry, or a package in place of another.
 * `host` is the host, or what is installed for what.
 */
export interface ForeignSourceFact extends SourcePlace {
  host: string;
  kind:
    | 'package'
    | 'index'
    | 'extra_index'
    | 'other_package'
    | 'alias'
    | 'override'
    | 'address'
    | 'unencrypted'
    | 'scope';
}

/** An install script that reaches the network; `what` is its verb and object. */
export interface NetworkedScriptFact extends SourcePlace {
  name: string;
  what: string;
}

/** Evidence of the supply chain stage. */
export interface SupplyChainEvidence {
  /**
   * Package manifests (package.json, requirements.txt, pyproject.toml), and how many of them have a lockfile.
   */
  lockfiles: {
    coverage: CheckCoverage;
    found: LockfileFact[];
    disagreements: FactList<DisagreementFact>;
  };
  /** Direct dependencies; `floating` lists those that are not pinned. */
  pinning: { coverage: CheckCoverage; pinned: number; floating: FactList<FloatingFact> };
  dependencies: { coverage: CheckCoverage; direct: number; transitive: number };
  malicious: { coverage: CheckCoverage; found: FactList<AdvisoryFact> };
  /** `own` is the bundle's own licence according to its manifest. */
  licences: {
    coverage: CheckCoverage;
    own: string | null;
    compatible: number;
    found: FactList<LicenceFact>;
  };
  installScripts: { coverage: CheckCoverage; found: FactList<InstallScriptFact> };
  /** Absent in evidence of former runs. */
  imitated?: FactList<ImitatedFact>;
  foreignSources?: FactList<ForeignSourceFact>;
  networkedScripts?: FactList<NetworkedScriptFact>;
}

export interface BundleEvidence {
  static: StaticEvidence;
  supplyChain: SupplyChainEvidence;
}
