/** The decisions on a case: each checks whether it is possible, and stores the text. */
import type { DisputeResponse, DisputeRuling } from '../../domain/disputes/dispute-case';
import { type DisputeStatus, mayDisputeMove } from '../../domain/disputes/dispute-state';
import { type FieldProblem, MarketError } from '../../domain/errors';
import { creditText, unitsOfCredits } from '../../domain/ledger/money';
import { newId } from '../../kit/ids/ids';
import type { Db, DbPool } from '../../stores/db';
import { type DisputeRow, insertDisputeText } from '../../stores/disputes/disputes';
import { readChargeLeft } from '../../stores/disputes/offers';

/** The caller's side of a case. */
export type DisputeSide = 'buyer' | 'developer';
export type ReadDispute = (disputeId: string) => Promise<DisputeRow>;

export interface PreparedResponse {
  userId: string;
  disputeId: string;
  decision: DisputeResponse['decision'];
  statement: string;
  /** The part of the charge that the developer would return; all of it when absent. */
  refundCredits?: number | undefined;
}

export interface PreparedRuling {
  operatorUserId: string;
  disputeId: string;
  decision: DisputeRuling['decision'];
  reason: string;
  /** For the buyer: the part of the charge that is returned; all of it when absent. */
  refundCredits?: number | undefined;
}

export function createDisputeMoves(pool: DbPool, existing: ReadDispute) {
  return {
    /**
     * Checks that the developer may answer and stores the statement. A developer cannot end a case with a part alone:
     * who accepts with less than what is left of the charge contests and offers that part (ADR 0355). Throws
     * `not_found` if the user is on neither side, `forbidden` for the buyer, `invalid_state` if the case is not open,
     * `validation_failed` for a part that is larger than what is left.
     */
    async prepareResponse({ userId, disputeId, statement, ...response }: PreparedResponse) {
      const dispute = requireSide(await existing(disputeId), userId, 'developer');
      requireMove(dispute, 'contested');
      const units = await partOf(pool, dispute, response.refundCredits);
      if (response.decision === 'contest' && response.refundCredits !== undefined && units === undefined)
        throw partRefused(
          'must be less than what is left of the charge: accept the dispute to return all of it',
        );
      const offer = units === undefined ? undefined : { offerId: newId('dof'), units };
      const decision: DisputeResponse['decision'] = offer ? 'contest' : response.decision;
      const textId = await keepText(pool, { disputeId, authorUserId: userId, body: statement });
      return { dispute, move: { decision, textId, ...(offer && { offer }) } satisfies DisputeResponse };
    },

    /**
     * Checks that an operator may decide and stores the reason. Throws `not_found`, `invalid_state`,
     * `validation_failed`.
     */
    async prepareRuling({ operatorUserId, disputeId, decision, reason, refundCredits }: PreparedRuling) {
      const dispute = await existing(disputeId);
      requireMove(dispute, 'won');
      if (decision === 'developer' && refundCredits !== undefined)
        throw partRefused('goes with `buyer`: a decision for the developer returns nothing');
      const partUnits = await partOf(pool, dispute, refundCredits);
      const textId = await keepText(pool, { disputeId, authorUserId: operatorUserId, body: reason });
      const part = partUnits === undefined ? {} : { partUnits };
      return { dispute, move: { decision, textId, operatorUserId, ...part } satisfies DisputeRuling };
    },
  };
}

/** Stores a text about a case. The workflow gets its id instead of the text. */
export async function keepText(
  db: Db,
  text: { disputeId: string; authorUserId: string; body: string },
): Promise<string> {
  const textId = newId('dst');
  await insertDisputeText(db, { textId, ...text });
  return textId;
}

/**
 * The part of a charge in units; undefined for all that is left of it. Throws `validation_failed` for more than that,
 * and for more than two decimals.
 */
export async function partOf(
  db: Db,
  { invocationId }: DisputeRow,
  credits: number | undefined,
): Promise<number | undefined> {
  if (credits === undefined) return undefined;
  const units = unitsOfCredits(credits);
  if (units === undefined) throw partRefused('must have at most two decimals');
  const left = await readChargeLeft(db, invocationId);
  if (left === 0) throw partRefused('cannot be given: nothing is left of the charge of this call');
  if (units > left) throw partRefused(`must be at most ${creditText(left)}, which are left of the charge`);
  return units === left ? undefined : units;
}

/** 422 about the field `refund_credits`. */
export function partRefused(msg: string): MarketError {
  const detail: FieldProblem[] = [{ loc: ['body', 'refund_credits'], msg, type: 'value' }];
  return new MarketError('validation_failed', { detail });
}

export function sideOf(dispute: DisputeRow, userId: string): DisputeSide | undefined {
  if (dispute.buyerUserId === userId) return 'buyer';
  return dispute.developerUserId === userId ? 'developer' : undefined;
}

/** Throws `not_found` if the user is on neither side, and `forbidden` on the other one. */
export function requireSide(dispute: DisputeRow, userId: string, side: DisputeSide): DisputeRow {
  if (!sideOf(dispute, userId)) throw new MarketError('not_found');
  const owner = side === 'buyer' ? dispute.buyerUserId : dispute.developerUserId;
  if (owner !== userId) throw new MarketError('forbidden');
  return dispute;
}

function requireMove(dispute: DisputeRow, to: DisputeStatus): void {
  if (mayDisputeMove(dispute.status, to)) return;
  throw new MarketError('invalid_state', { message: `The dispute is ${dispute.status}.` });
}
