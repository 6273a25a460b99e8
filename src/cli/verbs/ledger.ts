import type { Command } from 'commander';
import { Pool } from 'pg';
import { digestTerms } from '../../domain/ledger/ledger-digest';
import { unitsToCredits } from '../../domain/ledger/money';
import { type Cipher, createCipher } from '../../kit/crypto/cipher';
import { checkLedger, formatReport } from '../../services/ledger/ledger-check';
import { type DigestRow, listDigests } from '../../stores/ledger/ledger-digests';
import { verb, withDatabase } from '../command-line';
import { databaseUrl } from '../database-url';
import { usageFailure } from '../failure';
import { masterKeys, minimumKeyVersion } from '../master-keys';
import { tableText } from '../terminal/terminal-text';

/** `market ledger …`. */
export function ledgerVerbs(program: Command): void {
  const ledger = program.command('ledger').description('Verifies the ledger and lists its daily digests');

  ledger
    .command('check')
    .description('verifies the ledger from its entries and daily digests, while calls run')
    .option('--full', 'reads all of the ledger, and not only what came after the last proven day')
    .addHelpText(
      'after',
      `
Reads what came after the last sealed day that a check has proven, and the balances at its end; all of the ledger when
no day was proven, or with --full. When all holds, the last sealed day counts as proven. Money on its way is listed
with its age.

Exit 0: the ledger is consistent; 1: a check failed; 2: the check could not run. With MASTER_KEYS, the check also
verifies that the digests were sealed with the keys of this service.

Examples:
  market ledger check
  market ledger check --full
  DATABASE_URL=postgres://… MASTER_KEYS=main:1=… market ledger check --json`,
    )
    .action(
      verb(async ({ full }: { full?: boolean }) => {
        // no statement timeout: the checks read the whole ledger
        const pool = new Pool({ connectionString: databaseUrl(), max: 1, connectionTimeoutMillis: 5_000 });
        pool.on('error', () => undefined);
        try {
          const report = await checkLedger(pool, { cipher: ownCipher(), incremental: !full, prove: true });
          return { text: formatReport(report), json: report, exitCode: report.ok ? 0 : 1 };
        } finally {
          await pool.end();
        }
      }, 2),
    );

  ledger
    .command('digests')
    .description('lists the daily digests, newest first')
    .option('--limit <days>', 'number of days', '30')
    .addHelpText(
      'after',
      `
Store the output apart from the database. Entries that are changed later cannot give the same digests.

Examples:
  market ledger digests
  market ledger digests --limit 1 --json`,
    )
    .action(
      verb(async ({ limit }: { limit: string }) => {
        if (!/^[1-9][0-9]{0,5}$/.test(limit))
          throw usageFailure(`--limit must be a number of days from 1 to 999999, not ${limit}`);
        const { rows, total } = await withDatabase('ledger digests', (pool) =>
          listDigests(pool, { limit: Number(limit) }),
        );
        return { text: tableText([HEAD, ...rows.map(toRow)]), json: { digests: rows.map(toJson), total } };
      }),
    );
}

/** Undefined when the master keys are not given: the check then trusts the table of signing keys. */
function ownCipher(): Cipher | undefined {
  const isKnown = process.env['MASTER_KEYS'] || !process.env['DATABASE_URL'];
  return isKnown ? createCipher(masterKeys(), minimumKeyVersion()) : undefined;
}

const HEAD = ['day', 'transactions', 'entries', 'credits moved', 'digest', 'sealed at'];

function toRow(digest: DigestRow): string[] {
  return [
    digest.day,
    String(digest.transactions),
    String(digest.entries),
    unitsToCredits(digest.creditsUnits).toFixed(2),
    digest.digestSha256,
    digest.sealedAt.toISOString(),
  ];
}

function toJson(digest: DigestRow) {
  return {
    ...digestTerms(digest),
    digest_sha256: digest.digestSha256,
    seal: digest.seal,
    sealed_at: digest.sealedAt.toISOString(),
  };
}
