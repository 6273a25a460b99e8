import type { BundleEvidence } from '../../domain/evidence/evidence-facts';
import { noteSeen, readScanned, storePackages } from '../../stores/verification/advisories';
import { type DbPool, withTransaction } from '../../stores/db';
import { insertEndedReading, readEndedReading } from '../../stores/verification/ended-readings';
import type { BundleScanner, EndedReading, EndedReadings } from '../../verification/bundles/bundle-scan';
import type { ScannedManifest } from '../../verification/bundles/completeness';
import type { Advisories } from './advisories';

export interface BundleScansDeps {
  pool: DbPool;
  scanner: BundleScanner;
  advisories: Pick<Advisories, 'source'>;
}

/** The stages static analysis and supply chain for stored versions (specification, "Trust report"). */
export function createBundleScans({ pool, scanner, advisories }: BundleScansDeps) {
  return {
    /**
     * Gathers the evidence of both stages. A version without a bundle gives little evidence. Stores the pinned packages
     * before it reads advisories, so that concurrent imports are not missed. Throws only internal faults.
     */
    async scan(versionId: string, signal: AbortSignal): Promise<BundleEvidence> {
      const version = await readScanned(pool, versionId);
      if (!version) throw new Error(`no version ${versionId}`);
      const manifest = JSON.parse(version.document) as ScannedManifest;
      const evidence = await scanner.scan(
        {
          bundle: version.bundle,
          manifest,
          advisories: advisories.source,
          developer: version.developerUserId,
          ended: endedReadings(pool),
        },
        signal,
        (packages) => withTransaction(pool, (tx) => storePackages(tx, versionId, packages)),
      );
      const { vulnerabilities } = evidence.static;
      await noteSeen(pool, versionId, [
        ...vulnerabilities.found.items,
        ...evidence.supplyChain.malicious.found.items,
      ]);
      return evidence;
    },
  };
}

function endedReadings(pool: DbPool): EndedReadings {
  return {
    async find(sha256) {
      const row = await readEndedReading(pool, sha256);
      return row && { gap: row.gap, parts: JSON.parse(row.parts) as EndedReading['parts'] };
    },
    keep: (sha256, { gap, parts }) => insertEndedReading(pool, sha256, { gap, parts: JSON.stringify(parts) }),
  };
}

export type BundleScans = ReturnType<typeof createBundleScans>;
