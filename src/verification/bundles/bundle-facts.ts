/** Collects the facts of a bundle; runs in the scan's process. Never executes or installs anything. */
import type {
  CheckCoverage,
  GapCode,
  QualityFacts,
  StaticEvidence,
  SupplyChainEvidence,
} from '../../domain/evidence/evidence-facts';
import { toStorable } from '../../domain/json-value';
import { unpackBundle } from '../../kit/archives/bundle';
import { type BundleFiles, sortFiles } from './bundle-files';
import { completenessFacts, type ScannedManifest } from './completeness';
import { readDependencies } from '../packages/dependencies';
import { fromOthers, type KnownPackage } from '../packages/package-facts';
import { createQualityScan } from './quality';
import { secretRules } from '../secrets/secret-rules';
import { createSecretScan } from '../secrets/secret-scan';
import { nothingToDo, skippedGaps, supplyChainFacts } from '../packages/supply-chain';

/** Evidence without advisories, and the packages for which to look them up. */
export interface BundleFacts {
  static: Omit<StaticEvidence, 'vulnerabilities'>;
  supplyChain: Omit<SupplyChainEvidence, 'malicious'>;
  packages: KnownPackage[];
  floating: number;
  /** What was found and cannot be examined. */
  skipped?: Partial<Record<GapCode, number>>;
  /** Coverage of the advisories when production needs no packages, or when the packages could not be read. */
  nothingToDo?: CheckCoverage | undefined;
}

/** What each reader of a bundle finds. */
export interface BundleParts {
  completeness: StaticEvidence['completeness'];
  secrets: StaticEvidence['secrets'];
  quality: QualityFacts;
  dependencies: Pick<BundleFacts, 'supplyChain' | 'packages' | 'floating' | 'skipped' | 'nothingToDo'>;
}

/**
 * Reads a bundle. Each reader's part is handed over at once, so that it is not lost when a later reader ends the
 * process. A reader that throws has no part, and coverage says so: a file was the cause, so that is a result and no
 * fault of the service.
 */
export type BundleReader = (
  bundle: Buffer,
  manifest: ScannedManifest,
  onPart?: (part: Partial<BundleParts>) => Promise<void>,
) => Promise<BundleFacts>;

/** Creates a bundle reader. `ruleFile` is the text of additional secret rules in the format of gitleaks. */
export function createBundleReader(ruleFile?: string): BundleReader {
  const secrets = createSecretScan(secretRules(ruleFile));
  const quality = createQualityScan();
  const readersOf = (files: BundleFiles, manifest: ScannedManifest): (() => Partial<BundleParts>)[] => [
    () => ({ completeness: completenessFacts(manifest, files) }),
    () => ({ secrets: secrets(files) }),
    () => ({ quality: quality(files) }),
    () => ({ dependencies: dependenciesOf(files) }),
  ];
  return async (bundle, manifest, onPart = () => Promise.resolve()) => {
    const parts: Partial<BundleParts> = {};
    const files = valueOf(() => filesOf(bundle));
    for (const read of files ? readersOf(files, manifest) : []) {
      const part = valueOf(() => storable(read()));
      if (part) await onPart(part);
      Object.assign(parts, part);
    }
    return factsOf(parts, manifest, 'reader_ended');
  };
}

function valueOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function filesOf(bundle: Buffer): BundleFiles {
  const unpacked = unpackBundle(bundle);
  if (!unpacked.ok) throw new Error(`a stored bundle ${unpacked.msg}`);
  return sortFiles(unpacked.files);
}

function dependenciesOf(files: BundleFiles): BundleParts['dependencies'] {
  const dependencies = readDependencies(files);
  const supplyChain = supplyChainFacts(dependencies, files);
  return {
    supplyChain,
    packages: fromOthers(dependencies.packages),
    floating: supplyChain.pinning.floating.total,
    skipped: skippedGaps(dependencies.skipped),
    nothingToDo: nothingToDo(dependencies),
  };
}

/** Names, licences and paths of a bundle are any text; facts are stored, so they contain only text that can be. */
function storable<T>(facts: T): T {
  if (typeof facts === 'string') return toStorable(facts) as T;
  if (Array.isArray(facts)) return facts.map((one: unknown) => storable(one)) as T;
  if (typeof facts !== 'object' || facts === null) return facts;
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, storable(value)])) as T;
}

/** Facts of a version without a bundle: only its manifest can be inspected. */
export function factsWithoutBundle(manifest: ScannedManifest): BundleFacts {
  return factsOf({}, manifest, 'no_bundle');
}

/** Joins what the readers found. `missing`: why parts are missing. */
export function factsOf(
  parts: Partial<BundleParts>,
  manifest: ScannedManifest,
  missing: GapCode,
): BundleFacts {
  const none = (): CheckCoverage => ({ wanted: 1, looked: 0, gaps: [{ code: missing, count: 1 }] });
  return {
    static: {
      secrets: parts.secrets ?? { coverage: none(), found: empty() },
      quality: parts.quality ?? { coverage: none(), ...NO_SOURCE, dangerousCalls: empty() },
      completeness: parts.completeness ?? { ...completenessFacts(manifest, undefined), hosts: none() },
    },
    ...(parts.dependencies ?? noDependencies(none)),
  };
}

const empty = () => ({ total: 0, items: [] });

function noDependencies(none: () => CheckCoverage): BundleParts['dependencies'] {
  return {
    supplyChain: {
      lockfiles: { coverage: none(), found: [], disagreements: empty() },
      pinning: { coverage: none(), pinned: 0, floating: empty() },
      dependencies: { coverage: none(), direct: 0, transitive: 0 },
      licences: { coverage: none(), own: null, compatible: 0, found: empty() },
      installScripts: { coverage: none(), found: empty() },
    },
    packages: [],
    floating: 0,
    nothingToDo: none(),
  };
}

const NO_SOURCE: Omit<QualityFacts, 'coverage' | 'dangerousCalls'> = {
  files: 0,
  sourceFiles: 0,
  sourceBytes: 0,
  sourceLines: 0,
  testFiles: 0,
  longestFileLines: 0,
  minifiedFiles: 0,
  hasReadme: false,
  hasLicence: false,
};
