/**
 * Pieces of the answer of a job, and its milestones (ADR 0319). A milestone that is reached earns its part of the
 * price, also if the job fails or is cancelled later; the database pays it with the end of the call
 * (`invocation_refund`).
 */
import { createHash } from 'node:crypto';
import type { Milestone } from '../../domain/catalogue/capabilities';
import { MarketError } from '../../domain/errors';
import { timeOfId } from '../../domain/instant';
import { newPairTerms } from '../../domain/payouts/new-pair';
import type { Cipher } from '../../kit/crypto/cipher';

import { readInvocation } from '../../stores/calls/invocation-reads';
import type { DbPool } from '../../stores/db';
import {
  addPiece,
  listPieces,
  type PieceAdded,
  type PieceRow,
  readMilestones,
} from '../../stores/jobs/job-pieces';
import { addProbePiece, readProbeMilestones } from '../../stores/jobs/probe-jobs';
import { jobContext } from '../calls/agent/job-acceptance';

export interface JobPiecesDeps {
  pool: DbPool;
  cipher: Cipher;
  /** As for the earnings of a success (`InvocationStepsDeps`), in ms. */
  disputeWindowMs: number;
  reserveMs: number;
}

/** A piece that an agent has called back; with the name of a milestone if it proves one. */
export interface GivenPiece {
  webhookId: string;
  milestone: string | null;
  /** JSON text. */
  piece: Buffer;
}

export interface JobPiece extends Omit<PieceRow, 'sealedBody'> {
  /** JSON text; null if it is no longer stored. */
  piece: Buffer | null;
}

/** The agent repeats a callback that came before its 202 was read. */
const EARLY_RETRY_SECONDS = 1;

export function createJobPieces(deps: JobPiecesDeps) {
  const { pool, cipher } = deps;

  async function milestoneOf(invocationId: string, name: string) {
    const call = await readMilestones(pool, invocationId);
    if (!call) throw new MarketError('not_found');
    const milestone = milestoneIn(call.milestones, name);
    const since = timeOfId(call.buyerUserId);
    const terms = {
      matures_after_ms: deps.disputeWindowMs,
      ...newPairTerms({ since, now: Date.now() }, deps),
    };
    return { milestone, terms };
  }

  return {
    /** Keeps a piece, encrypted. Throws `validation_failed`, `invalid_state`, `rate_limited` and `not_found`. */
    async add(invocationId: string, { webhookId, milestone: name, piece }: GivenPiece): Promise<void> {
      const earned = name === null ? { milestone: null, terms: null } : await milestoneOf(invocationId, name);
      const outcome = await addPiece(pool, invocationId, {
        ...earned,
        webhookId,
        sealedBody: await cipher.seal(piece, jobContext(invocationId)),
        sha256: createHash('sha256').update(piece).digest('hex'),
        bytes: piece.length,
      });
      if (outcome !== 'added' && outcome !== 'repeated') throw refusalOf(outcome);
    },

    /** Notes a piece of the answer to a probe, which is not kept. Throws as `add` does. */
    async addToProbe(
      invocationId: string,
      { webhookId, milestone }: Omit<GivenPiece, 'piece'>,
    ): Promise<void> {
      const milestones = await readProbeMilestones(pool, invocationId);
      if (!milestones) throw new MarketError('not_found');
      if (milestone !== null) milestoneIn(milestones, milestone);
      const outcome = await addProbePiece(pool, invocationId, { webhookId, milestone });
      if (outcome !== 'added' && outcome !== 'repeated') throw refusalOf(outcome);
    },

    /** The pieces of a buyer's job, in their order. Throws `not_found` for the calls of others. */
    async list(buyerUserId: string, invocationId: string, page: { after: number; limit: number }) {
      const call = await readInvocation(pool, invocationId);
      if (call?.buyerUserId !== buyerUserId) throw new MarketError('not_found');
      const { rows, total } = await listPieces(pool, invocationId, page);
      const opened = rows.map(async ({ sealedBody, ...row }): Promise<JobPiece> => {
        return { ...row, piece: sealedBody && (await cipher.unseal(sealedBody, jobContext(invocationId))) };
      });
      return { rows: await Promise.all(opened), total };
    },
  };
}

export type JobPieces = ReturnType<typeof createJobPieces>;

/** The milestone of that name. Throws `validation_failed` if there is none. */
function milestoneIn(milestones: readonly Milestone[], name: string): Milestone {
  const milestone = milestones.find((one) => one.name === name);
  if (!milestone) throw unknownMilestone(milestones);
  return milestone;
}

function unknownMilestone(milestones: readonly Milestone[]): MarketError {
  const names = milestones.map(({ name }) => JSON.stringify(name)).join(', ');
  const msg = names
    ? `must be one of ${names}`
    : 'is not a milestone: the version that was called declares none';
  return new MarketError('validation_failed', { detail: [{ loc: ['body', 'name'], msg, type: 'enum' }] });
}

function refusalOf(outcome: Exclude<PieceAdded, 'added' | 'repeated'>): MarketError {
  switch (outcome) {
    case 'unknown':
      return new MarketError('not_found');
    case 'early':
      return new MarketError('rate_limited', {
        message: 'Your 202 for this call has not been read yet. Repeat the callback.',
        retryAfterSeconds: EARLY_RETRY_SECONDS,
      });
    case 'reached':
      return new MarketError('invalid_state', {
        message: 'This milestone was reached before. Nothing was changed.',
      });
    case 'full':
      return new MarketError('invalid_state', {
        message: 'A job has at most 1,000 pieces and 10 MiB of them. Nothing was changed.',
      });
    case 'over':
      return new MarketError('invalid_state', {
        message: 'This call is over, or its answer or failure was called back before. Nothing was changed.',
      });
  }
}
