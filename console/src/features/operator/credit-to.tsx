import { useState } from 'react';
import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import { AccountField } from './account-field';

/** Credits a payment that names no top-up to the account that an operator chooses. */
export function CreditTo({ paymentId, amount }: { paymentId: string; amount: string }) {
  const [userId, setUserId] = useState<string | null>(null);
  return (
    <Ask
      action="Credit"
      confirm={`Credit ${amount}`}
      question="The account that you choose gets the credits."
      reason="Reason"
      done="The payment is credited."
      fields={<AccountField label="Account" value={userId} onChange={setUserId} />}
      ready={userId !== null}
      run={(reason) =>
        send('post', '/v1/operator/payments/{payment_id}/resolve', {
          path: { payment_id: paymentId },
          body: { decision: 'credit', reason, user_id: userId ?? '' },
        })
      }
    />
  );
}
