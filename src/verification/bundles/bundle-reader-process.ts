/** The process that reads one bundle. It is started for the bundle and ends with it (bundle-scan.ts). */
import { serveLimited } from '../../kit/concurrency/limited-process';
import { type BundleParts, createBundleReader } from './bundle-facts';
import type { ScannedManifest } from './completeness';

export interface BundleWork {
  bundle: Uint8Array;
  manifest: ScannedManifest;
  /** Text of additional secret rules. */
  ruleFile: string | undefined;
}

serveLimited<BundleWork, Partial<BundleParts>>(async ({ bundle, manifest, ruleFile }, send) => {
  await createBundleReader(ruleFile)(Buffer.from(bundle), manifest, send);
});
