/**
 * What the scanners saw in a bundle: facts, never judgements; the rubric turns them into findings and points. Stored as
 * evidence of a run, so they hold no secret, no line of source and no endpoint, and the same bundle with the same
 * advisories gives the same JSON, byte for byte: every list is sorted, and cut at its limit with the true `total`
 * beside it (specification, "Trust report": static analysis and supply chain).
 */

/** Why something could not be looked at. Never the agent's fault by itself, and never a finding. */
export type GapCode =
  | 'no_bundle'
  | 'no_manifest_schemas'
  | 'no_source'
  | 'no_lockfile'
  | 'unreadable_lockfile'
  | 'unsupported_lockfile'
  | 'no_advisories'
  | 'unknown_versions'
  | 'unknown_licences'
  | 'unknown_scripts'
  | 'too_large'
  | 'generated_files'
  | 'binary_files'
  // Of probes of the live endpoint.
  | 'no_input_schema'
  | 'no_inputs'
  | 'no_text_input'
  | 'not_answered';

export interface Gap {
  code: GapCode;
  /** How many things it concerns: files, packages, lockfiles. */
  count: number;
}

/** What one check could look at, of what it wanted. `looked` is 0 when there was nothing to look at: no points. */
export interface CheckCoverage {
  wanted: number;
  looked: number;
  gaps: Gap[];
}

/** A list cut at `FACT_LIMIT`; `total` counts what was cut too. */
export interface FactList<T> {
  total: number;
  items: T[];
}

export const FACT_LIMIT = 200;

/** A place in the bundle; `path` is relative, `line` begins with 1. */
export interface SourcePlace {
  path: string;
  line: number;
}

export type FactSeverity = 'critical' | 'high' | 'medium' | 'low';

/** A secret in a file. What it is stays in the bundle: only its kind and place are kept. */
export interface SecretFact extends SourcePlace {
  rule: string;
  description: string;
  /** Guessed from a name and a value that looks random, not by the form that an issuer of keys documents. */
  isGeneric: boolean;
  /** In a file for tests or examples, where made-up values are common. */
  isTestFile: boolean;
}

export type Ecosystem = 'npm' | 'PyPI';

export interface PackageFact {
  ecosystem: Ecosystem;
  name: string;
  version: string;
  /** Named by a manifest of the bundle, not only by another package. */
  isDirect: boolean;
}

export interface AdvisoryFact extends PackageFact {
  /** OSV id, such as `GHSA-…` or `MAL-…`. */
  advisoryId: string;
  /** Of its rating; `medium` where the record has none. */
  severity: FactSeverity;
  summary: string;
  /** The lowest later version that is not affected, as far as the record says. */
  fixedIn: string | null;
}

/** A call that runs text as code, starts programs, or turns a protection off. */
export interface DangerousCallFact extends SourcePlace {
  rule: string;
  description: string;
  severity: FactSeverity;
  isTestFile: boolean;
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

/** A host that the code names and the manifest does not declare as a subprocessor. */
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

/** Evidence of the stage static analysis. */
export interface StaticEvidence {
  secrets: { coverage: CheckCoverage; found: FactList<SecretFact> };
  /** Advisories that are no malicious packages; the lists of every pinned version that one affects. */
  vulnerabilities: { coverage: CheckCoverage; found: FactList<AdvisoryFact> };
  quality: QualityFacts;
  completeness: CompletenessFacts;
}

export type LockfileKind = 'npm' | 'yarn' | 'pnpm' | 'requirements' | 'poetry' | 'uv';

/** A direct dependency for which the lockfile has no version, or one outside of what the manifest allows. */
export interface DisagreementFact {
  ecosystem: Ecosystem;
  manifest: string;
  name: string;
  range: string;
  /** Null: not in the lockfile. */
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

/** A script that runs when somebody installs: of a package, or of the bundle itself (`version` null). */
export interface InstallScriptFact {
  ecosystem: Ecosystem;
  name: string;
  version: string | null;
  path: string;
}

export type LicenceVerdict = 'compatible' | 'incompatible' | 'review';

export interface LicenceFact extends PackageFact {
  /** An SPDX expression, as the lockfile says. */
  licence: string;
  verdict: Exclude<LicenceVerdict, 'compatible'>;
}

/** Evidence of the stage supply chain. */
export interface SupplyChainEvidence {
  /** Manifests of packages (package.json, requirements.txt, pyproject.toml) that have a lockfile, of those there are. */
  lockfiles: {
    coverage: CheckCoverage;
    found: LockfileFact[];
    disagreements: FactList<DisagreementFact>;
  };
  /** Direct dependencies that were looked at; `floating` are not pinned. */
  pinning: { coverage: CheckCoverage; pinned: number; floating: FactList<FloatingFact> };
  dependencies: { coverage: CheckCoverage; direct: number; transitive: number };
  malicious: { coverage: CheckCoverage; found: FactList<AdvisoryFact> };
  /** `own` is the bundle's own licence, by its manifest. */
  licences: {
    coverage: CheckCoverage;
    own: string | null;
    compatible: number;
    found: FactList<LicenceFact>;
  };
  installScripts: { coverage: CheckCoverage; found: FactList<InstallScriptFact> };
}

export interface BundleEvidence {
  static: StaticEvidence;
  supplyChain: SupplyChainEvidence;
}
