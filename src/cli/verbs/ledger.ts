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
  const ledger = program.command('ledger').description('The books of the marketplace');

  ledger
    .command('check')
    .description('proves the ledger from its entries and the digests of its days, while calls run')
    .addHelpText(
      'after',
      `
Exit 0: whole; 1: something does not add up; 2: the check could not run. With MASTER_KEYS it also proves that the keys
that sealed the digests are the service's own.

Examples:
  market ledger check
  DATABASE_URL=postgres://… MASTER_KEYS=main:1=… market ledger check --json`,
    )
    .action(
      verb(async () => {
        // no limits of time: the proofs read everything
        const pool = new Pool({ connectionString: databaseUrl(), max: 1, connectionTimeoutMillis: 5_000 });
        pool.on('error', () => undefined);
        try {
          const report = await checkLedger(pool, { cipher: ownCipher() });
          return { text: formatReport(report), json: report, exitCode: report.ok ? 0 : 1 };
        } finally {
          await pool.end();
        }
      }, 2),
    );

  ledger
    .command('digests')
    .description('lists the digests of the days, newest first')
    .option('--limit <days>', 'how many', '30')
    .addHelpText(
      'after',
      `
Keep what it prints apart from the database: nobody who writes there can make the same digests of other entries.

Examples:
  market ledger digests
  market ledger digests --limit 1 --json`,
    )
    .action(
      verb(async ({ limit }: { limit: string }) => {
        if (!/^[1-9][0-9]{0,5}$/.test(limit)) throw usageFailure(`${limit} is no number of days`);
        const { rows, total } = await withDatabase('ledger digests', (pool) =>
          listDigests(pool, { limit: Number(limit) }),
        );
        return { text: tableText([HEAD, ...rows.map(toRow)]), json: { digests: rows.map(toJson), total } };
      }),
    );
}

/** Undefined where nobody gives the master keys: the check then believes the table of keys. */
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
