import { MAX_COST_CREDITS } from '../domain/calls/cost-ceiling';
import { Type, type TLiteral } from '@sinclair/typebox';
import { OFFER_STATUSES } from '../domain/disputes/dispute-state';
import { Credits, named, Nullable, strictObject, Timestamp } from './common';

/** A part of the charge of a call, in a request. The service checks the decimals and what is left of the charge. */
export const Part = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_COST_CREDITS,
  description: 'A part of the charge in credits, at most 2 decimals, and at most what is left of the charge',
});

/** What the developer of a dispute offers to return. */
export const Offer = named(
  'DisputeOffer',
  strictObject(
    {
      offer_id: Type.String(),
      refund_credits: Credits,
      status: Type.Union(
        OFFER_STATUSES.map((status) => Type.Literal(status)) as unknown as [
          TLiteral<(typeof OFFER_STATUSES)[number]>,
        ],
        { description: 'replaced: by a newer offer; ended: with the dispute' },
      ),
      statement: Nullable(Type.String({ description: "The developer's words to it" })),
      offered_at: Timestamp,
      answered_at: Nullable(Timestamp),
    },
    { description: 'The newest part of the charge that the developer offered to return' },
  ),
);

export const offerExample = {
  offer_id: 'dof_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  refund_credits: 2,
  status: 'open',
  statement: 'One of five columns was wrong.',
  offered_at: '2026-11-03T12:00:00.000Z',
  answered_at: null,
};
