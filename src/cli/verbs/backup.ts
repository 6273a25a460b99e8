import type { Command } from 'commander';
import type { Client } from 'pg';
import { createCipher } from '../../kit/crypto/cipher';
import { withClient } from '../../runtime/postgres/database';
import { describeMigrated, migrate } from '../../runtime/postgres/migrate';
import { checkBackup, readBackup, writeBackup } from '../../services/operations/backup';
import { checkLedger, formatReport } from '../../services/ledger/ledger-check';
import { verb } from '../command-line';
import { ownerUrl, withUnlimited } from '../database';
import { masterKeys, minimumKeyVersion } from '../master-keys';

/** `market backup` and `market restore`. */
export function backupVerbs(program: Command): void {
  program
    .command('backup')
    .description('writes all rows of the database into a new file, while the service runs')
    .argument('<file>', 'the new file, such as market-2026-11-23.backup')
    .addHelpText(
      'after',
      `
Works on the database of MIGRATE_DATABASE_URL (the role that owns the tables), or on that of the local stack. The rows
are those of one moment. MASTER_KEYS and SESSION_SECRET are not in the file: keep them apart.

Example:
  market backup market-2026-11-23.backup`,
    )
    .action(
      verb(async (file: string) => {
        const written = await withOwner((client) => writeBackup(client, file));
        const { takenAt, tables, bytes, sha256 } = written;
        return {
          text: `${file}: ${tables} tables as of ${takenAt}, ${bytes} bytes, SHA-256 ${sha256}`,
          json: written,
        };
      }),
    );

  program
    .command('restore')
    .description('makes the tables in an empty database, reads a backup into them, and checks the ledger')
    .argument('<file>', 'a file of market backup')
    .addHelpText(
      'after',
      `
Works on the database of MIGRATE_DATABASE_URL, which must have no accounts. No process of the service may use it yet.
Exit 0: restored, and the ledger is consistent; 1: nothing was restored, or a check of the ledger failed.

Example:
  MIGRATE_DATABASE_URL=postgres://market_owner:…@host/market market restore market-2026-11-23.backup`,
    )
    .action(
      verb(async (file: string) => {
        await checkBackup(file);
        const migrated = await migrate(ownerUrl());
        const restored = await withOwner((client) => readBackup(client, file));
        const report = await checkAll();
        const lines = [
          `schema: ${describeMigrated(migrated)}`,
          `${restored.tables} tables restored, as of ${restored.takenAt}`,
          formatReport(report),
        ];
        return {
          text: lines.join('\n'),
          json: { ...restored, ledger: report },
          exitCode: report.ok ? 0 : 1,
        };
      }),
    );
}

function withOwner<T>(work: (client: Client) => Promise<T>): Promise<T> {
  return withClient(ownerUrl(), work, { connectionTimeoutMillis: 5_000 });
}

function checkAll() {
  const cipher = process.env['MASTER_KEYS'] ? createCipher(masterKeys(), minimumKeyVersion()) : undefined;
  return withUnlimited(ownerUrl(), (pool) => checkLedger(pool, { cipher }));
}
