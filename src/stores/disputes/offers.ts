/** Offers of parts of charges (`migrations/0134_partial_refunds.sql`). The SQL functions also move the money. */
import type { BuyerDecision, DisputeOffer } from '../../domain/disputes/dispute-case';
import type { DisputeStatus, OfferStatus } from '../../domain/disputes/dispute-state';
import { type Db, onlyRow } from '../db';

export interface OfferRow {
  offerId: string;
  units: number;
  status: OfferStatus;
  /** The developer's words to it; null without any. */
  statement: string | null;
  offeredAt: Date;
  answeredAt: Date | null;
}

/** An offer as JSON of Postgres. */
export interface RawOffer {
  offer_id: string;
  units: number;
  status: OfferStatus;
  statement: string | null;
  offered_at: string;
  answered_at: string | null;
}

/** The newest offer of a dispute `d`, as JSON; null without any. */
export const NEWEST_OFFER = `(SELECT jsonb_build_object('offer_id', o.offer_id, 'units', o.units, 'status', o.status,
      'statement', t.body, 'offered_at', o.offered_at, 'answered_at', o.answered_at)
    FROM dispute_offers o LEFT JOIN dispute_texts t USING (text_id) WHERE o.dispute_id = d.dispute_id
    ORDER BY o.offer_id DESC LIMIT 1)`;

export function toOffer(row: RawOffer): OfferRow {
  return {
    offerId: row.offer_id,
    units: row.units,
    status: row.status,
    statement: row.statement,
    offeredAt: new Date(row.offered_at),
    answeredAt: row.answered_at === null ? null : new Date(row.answered_at),
  };
}

/** `status`: that of the dispute afterwards. */
interface OfferResult<Outcome extends string> {
  outcome: Outcome;
  status: DisputeStatus;
}

/** Records an offer, in place of an open one. */
export async function offerPart(
  db: Db,
  disputeId: string,
  offer: DisputeOffer & { asOf: Date },
): Promise<OfferResult<'offered' | 'not_contested' | 'too_many'>> {
  return onlyRow(
    await db.query({
      name: 'dispute-offer',
      text: 'SELECT outcome, status FROM dispute_offer($1, $2, $3, $4, $5)',
      values: [disputeId, offer.offerId, offer.units, offer.textId, offer.asOf],
    }),
  );
}

/** Records the buyer's answer to an offer. An accepted one ends the dispute. */
export async function answerOffer(
  db: Db,
  disputeId: string,
  answer: { offerId: string; decision: BuyerDecision; asOf: Date },
): Promise<OfferResult<'accepted' | 'declined' | 'no_offer'>> {
  return onlyRow(
    await db.query({
      name: 'dispute-offer-answer',
      text: 'SELECT outcome, status FROM dispute_offer_answer($1, $2, $3, $4)',
      values: [disputeId, answer.offerId, answer.decision, answer.asOf],
    }),
  );
}

/** Counts the offers of a dispute. */
export async function countOffers(db: Db, disputeId: string): Promise<number> {
  const result = await db.query<{ offers: string }>(
    'SELECT count(*) AS offers FROM dispute_offers WHERE dispute_id = $1',
    [disputeId],
  );
  return Number(onlyRow(result).offers);
}

/** Reads what is left of the charge of a call, in units: less what disputes and slashes have returned. */
export async function readChargeLeft(db: Db, invocationId: string): Promise<number> {
  const result = await db.query<{ left: string }>(
    `SELECT coalesce((SELECT CASE WHEN e.clawed_back_at IS NULL THEN e.gross_units - coalesce(e.returned_units, 0) ELSE 0 END
         FROM all_earnings e WHERE e.invocation_id = $1), 0)
       - coalesce((SELECT sum(c.refund_units) FROM slash_calls c WHERE c.invocation_id = $1 AND c.refund_units > 0), 0) AS left`,
    [invocationId],
  );
  return Math.max(0, Number(onlyRow(result).left));
}
