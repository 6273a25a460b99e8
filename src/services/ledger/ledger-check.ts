import type { Cipher } from '../../kit/crypto/cipher';
import type { Db, DbPool } from '../../stores/db';
import { INVOCATION_PROOFS, LEDGER_PROOFS, runProof, type Finding } from '../../stores/ledger/ledger-checks';
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
  proofs: CheckedProof[];
}

const MOST_FINDINGS = 20;

/**
 * Runs the proofs of the ledger (engine.md §1) in one snapshot, also while calls run. It only reads, and may take long
 * on a large ledger: pass a pool without statement timeouts. `ledgerOnly` skips the comparison with invocations. With
 * `cipher`, it also verifies that the keys that sealed the digests belong to this service.
 */
export async function checkLedger(
  pool: DbPool,
  options: { ledgerOnly?: boolean; cipher?: Cipher | undefined } = {},
): Promise<LedgerReport> {
  const proofs = options.ledgerOnly ? LEDGER_PROOFS : [...LEDGER_PROOFS, ...INVOCATION_PROOFS];
  const client = await pool.connect();
  const checked: CheckedProof[] = [];
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    for (const proof of proofs) {
      const startedAt = performance.now();
      const { findings, total } = await runProof(client, proof, MOST_FINDINGS);
      const durationMs = Math.round(performance.now() - startedAt);
      checked.push({ name: proof.name, promise: proof.promise, findings, total, durationMs });
    }
    checked.push(await checkSeals(client, options.cipher));
    await client.query('COMMIT');
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
  client.release();
  return { ok: checked.every((proof) => proof.total === 0), proofs: checked };
}

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
  const verdict =
    failed === 0 ? 'The ledger is consistent.' : `${failed} of ${report.proofs.length} proofs fail.`;
  return [...lines, '', verdict].join('\n');
}
