import type { Config } from '../../config';
import type { Cipher } from '../../kit/crypto/cipher';
import type { DbPool } from '../../stores/db';
import { createDeletions } from './deletions';
import { createExports, type ExportsDeps } from './exports';
import { createRetainedRecords } from './retained-records';

/** Services of exports and deletions of accounts. */
export function createLeavingParts({
  pool,
  bulk,
  cipher,
  config,
}: {
  pool: DbPool;
  bulk: ExportsDeps['bulk'];
  cipher: Cipher;
  config: Config;
}) {
  const retained = createRetainedRecords({ pool, cipher, days: config.LEGAL_RETENTION_DAYS });
  return {
    retained,
    exports: createExports({ pool, bulk, cipher, origin: config.PUBLIC_ORIGIN }),
    deletions: createDeletions({
      pool,
      bulk,
      retained,
      windowMs: config.DELETION_WINDOW_MS,
      backupDays: config.BACKUP_RETENTION_DAYS,
    }),
  };
}
