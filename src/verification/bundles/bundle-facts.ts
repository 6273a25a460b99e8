/** Collects the facts of a bundle; runs in the scan's worker thread. Never executes or installs anything. */
import type {
  CheckCoverage,
  QualityFacts,
  StaticEvidence,
  SupplyChainEvidence,
} from '../../domain/evidence/evidence-facts';
import { unpackBundle } from '../../kit/archives/bundle';
import { sortFiles } from './bundle-files';
import { completenessFacts, type ScannedManifest } from './completeness';
import { readDependencies } from '../packages/dependencies';
import { fromOthers, type KnownPackage } from '../packages/package-facts';
import { createQualityScan } from './quality';
import { secretRules } from '../secrets/secret-rules';
import { createSecretScan } from '../secrets/secret-scan';
import { nothingToDo, supplyChainFacts } from '../packages/supply-chain';

/** Evidence without advisories, and the packages for which to look them up. */
export interface BundleFacts {
  static: Omit<StaticEvidence, 'vulnerabilities'>;
  supplyChain: Omit<SupplyChainEvidence, 'malicious'>;
  packages: KnownPackage[];
  floating: number;
  /** Coverage of the advisories when production needs no packages. */
  nothingToDo?: CheckCoverage | undefined;
}

export type BundleReader = (bundle: Buffer, manifest: ScannedManifest) => Promise<BundleFacts>;

/**
 * Creates a bundle reader. `ruleFile` is the text of additional secret rules in the format of gitleaks. Throws
 * `Error` for a bundle that cannot be unpacked.
 */
export function createBundleReader(ruleFile?: string): BundleReader {
  const secrets = createSecretScan(secretRules(ruleFile));
  const quality = createQualityScan();
  return async (bundle, manifest) => {
    const unpacked = unpackBundle(bundle);
    if (!unpacked.ok) throw new Error(`a stored bundle ${unpacked.msg}`);
    const files = sortFiles(unpacked.files);
    const dependencies = readDependencies(files);
    const supplyChain = supplyChainFacts(dependencies, files);
    return {
      static: {
        secrets: secrets(files),
        quality: quality(files),
        completeness: completenessFacts(manifest, files),
      },
      supplyChain,
      packages: fromOthers(dependencies.packages),
      floating: supplyChain.pinning.floating.total,
      nothingToDo: nothingToDo(dependencies),
    };
  };
}

/** Facts of a version without a bundle: only its manifest can be inspected. */
export function factsWithoutBundle(manifest: ScannedManifest): BundleFacts {
  const none = (): CheckCoverage => ({ wanted: 1, looked: 0, gaps: [{ code: 'no_bundle', count: 1 }] });
  const empty = () => ({ total: 0, items: [] });
  return {
    static: {
      secrets: { coverage: none(), found: empty() },
      quality: { coverage: none(), ...NO_SOURCE, dangerousCalls: empty() },
      completeness: completenessFacts(manifest, undefined),
    },
    supplyChain: {
      lockfiles: { coverage: none(), found: [], disagreements: empty() },
      pinning: { coverage: none(), pinned: 0, floating: empty() },
      dependencies: { coverage: none(), direct: 0, transitive: 0 },
      licences: { coverage: none(), own: null, compatible: 0, found: empty() },
      installScripts: { coverage: none(), found: empty() },
    },
    packages: [],
    floating: 0,
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
