/** Pieces of the answers of jobs, and milestones (`migrations/0077_milestones.sql`, ADR 0319). */
import type { Milestone } from '../../domain/catalogue/capabilities';
import { MOST_BYTES_OF_PIECES, MOST_PIECES } from '../../domain/jobs/job-pieces';
import { type Db, onlyRow } from '../db';
import { placeOfIds } from '../months';

export interface NewPiece {
  webhookId: string;
  /** The milestone that it proves, with its part of the price. */
  milestone: Milestone | null;
  /** Sealed JSON; the context is `jobContext(invocationId)`. */
  sealedBody: Buffer;
  /** SHA-256 of the JSON, in hex. */
  sha256: string;
  bytes: number;
  /** When what a milestone earns matures: the terms of `earning_matures_ms`. */
  terms: Record<string, number> | null;
}

/**
 * `repeated`: the message was added before. `reached`: the milestone was reached before. `full`: the job has as many
 * pieces as it may. `early`: the call is not a job yet.
 */
export type PieceAdded = 'added' | 'repeated' | 'reached' | 'full' | 'early' | 'over' | 'unknown';

/** Keeps a piece that the agent of a job has called back, with what its milestone earns. */
export async function addPiece(db: Db, invocationId: string, piece: NewPiece): Promise<PieceAdded> {
  const result = await db.query<{ outcome: PieceAdded }>({
    name: 'job-piece-add',
    text: 'SELECT job_piece_add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS outcome',
    values: [
      invocationId,
      piece.webhookId,
      piece.milestone?.name ?? null,
      piece.milestone?.percent ?? 0,
      piece.sealedBody,
      piece.sha256,
      piece.bytes,
      MOST_PIECES,
      MOST_BYTES_OF_PIECES,
      piece.terms && JSON.stringify(piece.terms),
    ],
  });
  return onlyRow(result).outcome;
}

export interface CallTerms {
  buyerUserId: string;
  /** Those that the version of the call declares. */
  milestones: Milestone[];
}

/** Reads what the milestones of a call are; undefined if there is no such call. */
export async function readMilestones(db: Db, invocationId: string): Promise<CallTerms | undefined> {
  const all = placeOfIds([invocationId]);
  const { rows } = await db.query<{ buyer: string; milestones: Milestone[] | null }>({
    name: `job-milestones${all}`,
    text: `SELECT i.buyer_user_id AS buyer, manifest_json(v.manifest) #> '{capabilities,jobs,milestones}' AS milestones
             FROM ${all}invocations i JOIN agent_versions v USING (version_id) WHERE i.invocation_id = $1`,
    values: [invocationId],
  });
  const [row] = rows;
  return row && { buyerUserId: row.buyer, milestones: row.milestones ?? [] };
}

export interface PieceRow {
  number: number;
  milestone: string | null;
  /** Sealed; null if it is no longer stored. */
  sealedBody: Buffer | null;
  sha256: string;
  at: Date;
}

/** Reads up to `limit` pieces of a job behind a number, in their order, and how many there are. */
export async function listPieces(
  db: Db,
  invocationId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ rows: PieceRow[]; total: number }> {
  const { rows } = await db.query<PieceRow>({
    name: 'job-pieces',
    text: `SELECT number, milestone, body AS "sealedBody", sha256, at FROM job_pieces
            WHERE invocation_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
    values: [invocationId, after, limit],
  });
  const counted = await db.query<{ total: number }>({
    name: 'job-piece-count',
    text: 'SELECT coalesce((SELECT piece_count FROM jobs WHERE invocation_id = $1), 0) AS total',
    values: [invocationId],
  });
  return { rows, total: onlyRow(counted).total };
}

/** The milestones of a job that were reached, in their order. */
export async function readReached(db: Db, invocationId: string): Promise<{ name: string; at: Date }[]> {
  const { rows } = await db.query<{ name: string; at: Date }>({
    name: 'job-milestones-reached',
    text: `SELECT milestone AS name, at FROM job_pieces
            WHERE invocation_id = $1 AND milestone IS NOT NULL ORDER BY number`,
    values: [invocationId],
  });
  return rows;
}
