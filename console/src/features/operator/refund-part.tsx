import { useState } from 'react';
import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import { creditsText } from '../../ui/format';
import { PartField } from '../calls/dispute-offers';

/** Decides a contested dispute for the buyer, with a part of the charge. */
export function RefundPart({ disputeId, charged }: { disputeId: string; charged: number }) {
  const [credits, setCredits] = useState(charged / 2);
  return (
    <Ask
      action="Refund a part"
      question="The buyer gets this part of the charge back, and the developer keeps the rest."
      confirm={`Refund ${creditsText(credits)}`}
      fields={<PartField value={credits} most={charged} onChange={setCredits} />}
      ready={credits > 0 && credits < charged}
      reason="Reason"
      done="The buyer won a part."
      run={(reason) =>
        send('post', '/v1/operator/disputes/{dispute_id}/resolve', {
          path: { dispute_id: disputeId },
          body: { decision: 'buyer', reason, refund_credits: credits },
        })
      }
    />
  );
}
