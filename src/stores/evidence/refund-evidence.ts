/** Signed receipts of what disputes returned (`migrations/0135_refund_receipts.sql`). */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

export async function readRefundSignature(db: Db, invocationId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ signature: string }>({
    name: 'refund-signature',
    text: 'SELECT signature FROM refund_evidence WHERE invocation_id = $1',
    values: [invocationId],
  });
  return rows[0]?.signature;
}

/** Stores a signature. If the call already has one, the first one is kept. */
export async function insertRefundSignature(
  db: Db,
  row: { invocationId: string; kid: string; signature: string },
): Promise<void> {
  await db.query(
    'INSERT INTO refund_evidence (invocation_id, kid, signature) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [row.invocationId, row.kid, row.signature],
  );
}

export interface RefundFacts {
  disputeId: string;
  resolution: string;
  chargedUnits: number;
  refundedUnits: number;
  refundedAt: Date;
  transactionId: string;
}

/** Reads what a dispute returned of the charge of a call; undefined for nothing. */
export async function readRefundFacts(db: Db, invocationId: string): Promise<RefundFacts | undefined> {
  const { rows } = await db.query<{
    dispute_id: string;
    resolution: string;
    charged_units: string;
    refunded_units: string;
    resolved_at: Date;
    transaction_id: string;
  }>({
    name: 'refund-facts',
    text: `SELECT d.dispute_id, d.resolution, d.refunded_units, d.resolved_at, r.transaction_id,
                  (SELECT h.captured_units FROM all_holds h WHERE h.invocation_id = $1) AS charged_units
             FROM disputes d JOIN transaction_references r ON r.reference = 'invocation/' || d.invocation_id || '/clawback'
            WHERE d.invocation_id = $1 AND d.refunded_units > 0 AND d.resolved_at IS NOT NULL`,
    values: [invocationId],
  });
  const row = rows[0];
  return (
    row && {
      disputeId: row.dispute_id,
      resolution: row.resolution,
      chargedUnits: unitsFromDatabase(row.charged_units),
      refundedUnits: unitsFromDatabase(row.refunded_units),
      refundedAt: row.resolved_at,
      transactionId: row.transaction_id,
    }
  );
}
