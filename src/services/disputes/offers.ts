/**
 * Offers in a contested dispute: the developer offers to return a part of the charge, and the buyer accepts or
 * declines it. An offer ends with its dispute, and the buyer's silence accepts nothing (ADR 0355).
 */
import type { BuyerDecision, DisputeOffer, OfferAnswer } from '../../domain/disputes/dispute-case';
import { type DisputeStatus, MOST_OFFERS } from '../../domain/disputes/dispute-state';
import { MarketError } from '../../domain/errors';
import { newId } from '../../kit/ids/ids';
import type { DbPool } from '../../stores/db';
import type { DisputeRow } from '../../stores/disputes/disputes';
import { answerOffer, countOffers, offerPart } from '../../stores/disputes/offers';
import { keepText, partOf, partRefused, type ReadDispute, requireSide } from './dispute-moves';

export interface OfferRequest {
  userId: string;
  disputeId: string;
  refundCredits: number;
  statement?: string | undefined;
}

export interface OfferAnswerRequest {
  userId: string;
  disputeId: string;
  offerId: string;
  decision: BuyerDecision;
}

/** What an activity of the case records. `asOf`: ISO 8601 time of the workflow's clock. */
export type OfferRecord = DisputeOffer & { disputeId: string; asOf: string };
export type OfferAnswerRecord = OfferAnswer & { disputeId: string; asOf: string };

export function createOffers(pool: DbPool, existing: ReadDispute) {
  return {
    /**
     * Checks that the developer may offer this part, and stores the words to it. `move` is undefined for an offer
     * that is open already, as for a request that is sent again. Throws `not_found`, `forbidden` for the buyer,
     * `invalid_state` if the case is not contested or has had ten offers, `validation_failed` for a part that is not
     * less than what is left of the charge.
     */
    async prepareOffer({ userId, disputeId, refundCredits, statement }: OfferRequest) {
      const dispute = requireContested(requireSide(await existing(disputeId), userId, 'developer'));
      const units = await partOf(pool, dispute, refundCredits);
      if (units === undefined) throw partRefused('must be less than what is left of the charge');
      const { offer } = dispute;
      if (offer?.status === 'open' && offer.units === units && offer.statement === (statement ?? null))
        return { dispute, move: undefined };
      if ((await countOffers(pool, disputeId)) >= MOST_OFFERS)
        throw new MarketError('invalid_state', { message: `A dispute has at most ${MOST_OFFERS} offers.` });
      const text = { disputeId, authorUserId: userId };
      const textId = statement === undefined ? null : await keepText(pool, { ...text, body: statement });
      return { dispute, move: { offerId: newId('dof'), units, textId } satisfies DisputeOffer };
    },

    /**
     * Checks that the buyer may answer this offer. Throws `not_found`, `forbidden` for the developer, `invalid_state`
     * for an offer that was replaced or has ended.
     */
    async prepareOfferAnswer({ userId, disputeId, offerId, decision }: OfferAnswerRequest) {
      const dispute = requireContested(requireSide(await existing(disputeId), userId, 'buyer'));
      if (dispute.offer?.offerId !== offerId)
        throw new MarketError('invalid_state', {
          message: 'The developer has made no such offer, or a newer one.',
        });
      if (dispute.offer.status !== 'open')
        throw new MarketError('invalid_state', { message: `The offer is ${dispute.offer.status}.` });
      return { dispute, move: { offerId, decision, units: dispute.offer.units } satisfies OfferAnswer };
    },

    /** Records an offer once. Returns the status of the dispute. */
    async recordOffer({ disputeId, asOf, ...offer }: OfferRecord): Promise<DisputeStatus> {
      return (await offerPart(pool, disputeId, { ...offer, asOf: new Date(asOf) })).status;
    },

    /** Records the buyer's answer to an offer once. Returns the status of the dispute. */
    async recordOfferAnswer({ disputeId, asOf, ...answer }: OfferAnswerRecord): Promise<DisputeStatus> {
      return (await answerOffer(pool, disputeId, { ...answer, asOf: new Date(asOf) })).status;
    },
  };
}

function requireContested(dispute: DisputeRow): DisputeRow {
  if (dispute.status === 'contested') return dispute;
  const message = `The dispute is ${dispute.status}: an offer needs a contested one.`;
  throw new MarketError('invalid_state', { message });
}
