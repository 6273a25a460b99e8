import { unitsToCredits } from '../../domain/ledger/money';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Db, DbPool } from '../../stores/db';
import type { LedgerProof } from '../../stores/ledger/ledger-proof';
import {
  INVOCATION_PROOFS,
  LEDGER_PROOFS,
  planForWholeTables,
  runProof,
  type Finding,
} from '../../stores/ledger/ledger-checks';
import {
  noteCheck,
  proveDay,
  readProvenDays,
  readWaiting,
  type Waiting,
} from '../../stores/ledger/ledger-openings';
import type { LedgerWindow } from '../../stores/ledger/ledger-window';
import { brokenSeals } from './ledger-seals';

export interface CheckedProof {
  name: string;
  promise: string;
  /** The first problems. The subject of each is an account, transaction, hold or lot. */
  findings: Finding[];
  /** Total number of problems. */
  total: number;
  durationMs: number;
}

export interface LedgerReport {
  ok: boolean;
  /** The first day that was read (UTC, `YYYY-MM-DD`); null: all of the ledger. */
  since: string | null;
  /** Proofs that only a full check makes, and that this one left out. */
  leftToFull: string[];
  /** Clearing accounts, open payouts and the holds of jobs, with the age of the oldest. */
  waiting: Waiting[];
  proofs: CheckedProof[];
}

const MOST_FINDINGS = 20;

export interface CheckOptions {
  /** Skips the comparison with invocations. */
  ledgerOnly?: boolean;
  /** Also verifies that the keys that sealed the digests belong to this service. */
  cipher?: Cipher | undefined;
  /** Reads only what came after the last proven day, if there is one. */
  incremental?: boolean;
  /** Records the check, and the last sealed day as proven if all proofs hold. Otherwise the check only reads. */
  prove?: boolean;
}

/**
 * Runs the proofs of the ledger (docs/ledger.md#invariants) in one snapshot, also while calls run. It may take long on
 * a large ledger: pass a pool without statement timeouts.
 */
export async function checkLedger(pool: DbPool, options: CheckOptions = {}): Promise<LedgerReport> {
  const all = options.ledgerOnly ? LEDGER_PROOFS : [...LEDGER_PROOFS, ...INVOCATION_PROOFS];
  const client = await pool.connect();
  const checked: CheckedProof[] = [];
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const days = await readProvenDays(client);
    const window = options.incremental && days.next ? { firstDay: days.next } : undefined;
    if (!window) await planForWholeTables(client);
    const proofs = all.filter((proof) => !window || proof.window);
    for (const proof of proofs) {
      const startedAt = performance.now();
      const { findings, total } = await runProof(client, proof, MOST_FINDINGS, window);
      const durationMs = Math.round(performance.now() - startedAt);
      checked.push({ name: proof.name, promise: proof.promise, findings, total, durationMs });
    }
    checked.push(await checkSeals(client, options.cipher));
    const waiting = await readWaiting(client);
    await client.query('COMMIT');
    const ok = checked.every((proof) => proof.total === 0);
    if (ok && options.prove && days.sealed) await proveDay(client, days.sealed, !window);
    if (options.prove) await noteCheck(client, !window, failedOf(checked));
    client.release();
    return { ok, since: sinceOf(window), leftToFull: namesOf(all, proofs), waiting, proofs: checked };
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}

const failedOf = (proofs: readonly CheckedProof[]) =>
  proofs.filter(({ total }) => total > 0).map(({ name }) => name);
const sinceOf = (window: LedgerWindow | undefined) => window?.firstDay ?? null;
const namesOf = (all: readonly LedgerProof[], made: readonly LedgerProof[]) =>
  all.filter((proof) => !made.includes(proof)).map(({ name }) => name);

async function checkSeals(db: Db, cipher: Cipher | undefined): Promise<CheckedProof> {
  const startedAt = performance.now();
  const findings = await brokenSeals(db, cipher);
  const whose = cipher
    ? 'a key that our master keys decrypt'
    : 'a key of the table of signing keys (set MASTER_KEYS to verify the key, too)';
  return {
    name: 'seals',
    promise: `each digest is sealed by ${whose}`,
    findings: findings.slice(0, MOST_FINDINGS),
    total: findings.length,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

/** Formats the report as a table, with problems below their proof. */
export function formatReport(report: LedgerReport): string {
  const width = Math.max(...report.proofs.map(({ name }) => name.length));
  const lines = report.proofs.flatMap((proof) => [
    `${proof.total === 0 ? 'ok  ' : 'FAIL'}  ${proof.name.padEnd(width)}  ${proof.promise} (${proof.durationMs} ms)`,
    ...proof.findings.map(({ subject, problem }) => `      ${subject}: ${problem}`),
    ...(proof.total > proof.findings.length
      ? [`      … and ${proof.total - proof.findings.length} more`]
      : []),
  ]);
  const failed = report.proofs.filter(({ total }) => total > 0).length;
  const waits = report.waiting
    .filter(({ units }) => units !== 0)
    .map(
      ({ subject, count, units, since, reason }) =>
        `wait  ${subject}: ${count > 1 ? `${count} over ` : ''}${unitsToCredits(units).toFixed(2)} credits, since ${ageOf(since)}` +
        (reason === null ? '' : `; ${reason}`),
    );
  const scope = report.since
    ? [
        `Read from ${report.since} on; earlier days were proven before. Left to --full: ${report.leftToFull.join(', ')}.`,
      ]
    : [];
  const verdict =
    failed === 0 ? 'The ledger is consistent.' : `${failed} of ${report.proofs.length} proofs fail.`;
  return [...lines, ...waits, '', ...scope, verdict].join('\n');
}

function ageOf(since: Date | null): string {
  if (!since) return 'an unknown time';
  const hours = Math.floor((Date.now() - since.getTime()) / 3_600_000);
  return `${since.toISOString()} (${Math.floor(hours / 24)} d ${hours % 24} h)`;
}
