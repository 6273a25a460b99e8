import type { Command } from 'commander';
import { digestTerms } from '../../domain/ledger/ledger-digest';
import { unitsToCredits } from '../../domain/ledger/money';
import { type Cipher, createCipher } from '../../kit/crypto/cipher';
import { checkArchive, writeArchive } from '../../services/ledger/ledger-archive';
import { checkLedger, formatReport } from '../../services/ledger/ledger-check';
import { type DigestRow, listDigests } from '../../stores/ledger/ledger-digests';
import { groupOf, verb } from '../command-line';
import { databaseUrl, withDatabase, withUnlimited } from '../database';
import { usageFailure } from '../failure';
import { masterKeys, minimumKeyVersion } from '../master-keys';
import { tableText } from '../terminal/terminal-text';
import { addCredits } from './ledger-credits';
import { addDetach } from './ledger-detach';

/** The verbs of `market ledger` that work on the database. */
export function ledgerDatabaseVerbs(program: Command): void {
  const ledger = groupOf(program, 'ledger');

  ledger
    .command('check')
    .description('verifies the ledger from its entries and daily digests, while calls run')
    .option('--full', 'reads all of the ledger, and not only what came after the last proven day')
    .option(
      '--archive <file>',
      'verifies the archive of a month instead, against the digests of the database',
    )
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
  market ledger check --archive ledger-2026-08.gz
  DATABASE_URL=postgres://… MASTER_KEYS=main:1=… market ledger check --json`,
    )
    .action(
      verb(async ({ full, archive }: { full?: boolean; archive?: string }) => {
        if (archive !== undefined) return checkArchiveFile(archive);
        const report = await withUnlimited(databaseUrl(), (pool) =>
          checkLedger(pool, { cipher: ownCipher(), incremental: !full, prove: true }),
        );
        return { text: formatReport(report), json: report, exitCode: report.ok ? 0 : 1 };
      }, 2),
    );

  addCredits(ledger);
  addArchive(ledger);
  addDetach(ledger);

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
        const text = rows.length === 0 ? NO_DIGESTS : tableText([HEAD, ...rows.map(toRow)]);
        return { text, json: { digests: rows.map(toJson), total } };
      }),
    );
}

function addArchive(ledger: Command): void {
  ledger
    .command('archive')
    .description('writes a month that is over into a compressed file, with its digests and seals')
    .argument('<month>', 'YYYY-MM')
    .requiredOption('--out <file>', 'the new file')
    .addHelpText(
      'after',
      `
The file has the transactions and entries of the month as its digests hash them, and its calls, holds and lots. The database
is only read. Keep the SHA-256 that the command prints apart from the file.

Examples:
  market ledger archive 2026-08 --out ledger-2026-08.gz
  market ledger check --archive ledger-2026-08.gz`,
    )
    .action(
      verb(async (month: string, { out }: { out: string }) => {
        if (!/^20[0-9]{2}-(0[1-9]|1[0-2])$/.test(month))
          throw usageFailure(`the month must be like 2026-08, not ${month}`);
        const written = await withUnlimited(databaseUrl(), (pool) => writeArchive(pool, month, out));
        const { days, transactions, rows, bytes, sha256 } = written;
        const text = `${out}: ${days} days, ${transactions} transactions, ${rows} other rows, ${bytes} bytes, SHA-256 ${sha256}`;
        return { text, json: written };
      }),
    );
}

async function checkArchiveFile(path: string) {
  const report = await withUnlimited(databaseUrl(), (pool) => checkArchive(pool, path));
  const lines = report.findings.map(({ subject, problem }) => `FAIL  ${subject}: ${problem}`);
  const read = `${report.days} days with ${report.transactions} transactions of ${report.month ?? 'no month'}`;
  const verdict = report.ok
    ? `The archive is that of the sealed days: ${read}.`
    : `The archive is wrong: ${read}.`;
  return { text: [...lines, verdict].join('\n'), json: report, exitCode: report.ok ? 0 : 1 };
}

/** Undefined when the master keys are not given: the check then trusts the table of signing keys. */
function ownCipher(): Cipher | undefined {
  const isKnown = process.env['MASTER_KEYS'] || !process.env['DATABASE_URL'];
  return isKnown ? createCipher(masterKeys(), minimumKeyVersion()) : undefined;
}

const NO_DIGESTS = 'No digests yet: a worker seals each day (UTC) after its end.';
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
