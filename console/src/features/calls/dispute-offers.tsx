import { Group, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { Ask } from '../../ui/ask';
import { creditsText } from '../../ui/format';
import { Credits } from '../../ui/money';
import { useOwnerWords } from '../../ui/owner';
import { Said } from '../../ui/said';

type Dispute = Answer<'/v1/billing/disputes/{dispute_id}', 'get'>;
type Offer = NonNullable<Dispute['offer']>;

/** A field for a part of the charge. */
export function PartField({
  value,
  most,
  onChange,
}: {
  value: number;
  most: number;
  onChange: (credits: number) => void;
}) {
  return (
    <NumberInput
      label="Credits to return"
      description={`Less than the ${creditsText(most)} of the charge`}
      value={value}
      onChange={(next) => onChange(Number(next))}
      min={0.01}
      max={most}
      decimalScale={2}
      required
      data-autofocus
    />
  );
}

/** The buttons of a contested dispute: the developer offers a part of the charge, the buyer answers. */
export function OfferButtons({ dispute }: { dispute: Dispute }) {
  const { offer, role, status } = dispute;
  if (status !== 'contested') return null;
  if (role === 'developer') return dispute.call.credits_charged > 0 ? <OfferPart dispute={dispute} /> : null;
  return offer?.status === 'open' ? <AnswerOffer disputeId={dispute.dispute_id} offer={offer} /> : null;
}

function OfferPart({ dispute: { dispute_id: id, call } }: { dispute: Dispute }) {
  const most = call.credits_charged;
  const { of } = useOwnerWords();
  const [credits, setCredits] = useState(most / 2);
  return (
    <Ask
      action="Offer a part"
      question="The buyer may accept or decline it. Without an answer, an operator decides."
      confirm={`Offer ${creditsText(credits)}${of}`}
      fields={<PartField value={credits} most={most} onChange={setCredits} />}
      ready={credits > 0 && credits < most}
      reason="Why this part"
      done="The buyer is asked."
      run={(statement) =>
        send('post', '/v1/billing/disputes/{dispute_id}/offer', {
          path: { dispute_id: id },
          body: { refund_credits: credits, statement },
        })
      }
    />
  );
}

function AnswerOffer({ disputeId, offer }: { disputeId: string; offer: Offer }) {
  const { toWallet } = useOwnerWords();
  const answer = (decision: 'accept' | 'decline') => () =>
    send('post', '/v1/billing/disputes/{dispute_id}/offer/answer', {
      path: { dispute_id: disputeId },
      body: { offer_id: offer.offer_id, decision },
    });
  return (
    <Group gap="xs">
      <Ask
        action="Accept the offer"
        question={`You get ${creditsText(offer.refund_credits)} back, and the dispute ends.`}
        confirm={`Take ${creditsText(offer.refund_credits)}${toWallet}`}
        done="The dispute is settled."
        run={answer('accept')}
      />
      <Ask
        action="Decline the offer"
        question="The dispute stays as it is, and an operator decides."
        done="The offer is declined."
        run={answer('decline')}
      />
    </Group>
  );
}

const STATES: Record<Offer['status'], string> = {
  open: 'It waits for an answer.',
  accepted: 'It was accepted.',
  declined: 'It was declined.',
  replaced: 'It was replaced.',
  ended: 'It ended with the dispute.',
};

/** What the developer offers, or offered last. */
export function OfferShown({ offer, role }: { offer: Offer; role: Dispute['role'] }) {
  const who = role === 'developer' ? 'You offer' : 'The developer offers';
  const text = [
    `${creditsText(offer.refund_credits)} of the charge. ${STATES[offer.status]}`,
    offer.statement,
  ];
  return <Said title={who} text={text.filter((part) => part !== null).join('\n')} />;
}

/**
 * What was refunded, of what the call cost. A slash of the bond may have returned the rest, or some of it, before.
 */
export function Refunded({ dispute: { status, refunded_credits: refunded, call } }: { dispute: Dispute }) {
  const isWon = status === 'won' || status === 'accepted';
  return (
    <span>
      <Credits value={refunded} />
      {isWon &&
        refunded < call.credits_charged &&
        ' by this dispute. The page of the call says what was returned in all.'}
    </span>
  );
}
