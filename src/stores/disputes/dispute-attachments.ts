import { onlyRow, type Db } from '../db';

export type AttachmentPart = 'input' | 'output';

/** A sealed attachment of a dispute. */
export interface NewAttachment {
  attachmentId: string;
  part: AttachmentPart;
  sealed: Buffer;
}

export async function insertAttachments(
  db: Db,
  disputeId: string,
  attachments: readonly NewAttachment[],
): Promise<void> {
  for (const { attachmentId, part, sealed } of attachments) {
    await db.query(
      'INSERT INTO dispute_attachments (attachment_id, dispute_id, part, sealed) VALUES ($1, $2, $3, $4)',
      [attachmentId, disputeId, part, sealed],
    );
  }
}

/** Lists what is attached to a dispute: at most one row for each part. */
export async function listAttachments(db: Db, disputeId: string): Promise<NewAttachment[]> {
  const { rows } = await db.query<{ attachment_id: string; part: AttachmentPart; sealed: Buffer }>(
    'SELECT attachment_id, part, sealed FROM dispute_attachments WHERE dispute_id = $1 ORDER BY part',
    [disputeId],
  );
  return rows.map((row) => ({ attachmentId: row.attachment_id, part: row.part, sealed: row.sealed }));
}

/** Deletes up to `most` attachments of disputes that were decided 90 days ago. Returns how many. */
export async function purgeAttachments(db: Db, most: number): Promise<number> {
  const result = await db.query<{ purged: number }>('SELECT dispute_attachments_purge($1) AS purged', [most]);
  return onlyRow(result).purged;
}
