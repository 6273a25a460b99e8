import { Group } from '@mantine/core';
import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { moneyText } from './list-files';

type Payout = ItemOf<'/v1/operator/payouts'>;

/** What the state of a payout allows: the outcome at the bank, another attempt, or giving it back. */
export function PayoutMoves({ payout }: { payout: Payout }) {
  const path = { payout_id: payout.payout_id };
  const amount = moneyText(payout) ?? 'it';
  const settle = (result: 'paid' | 'returned') => (reason: string) =>
    send('post', '/v1/operator/payouts/{payout_id}/settle', { path, body: { result, reason } });
  return (
    <Group gap={6} justify="flex-end">
      {payout.retriable === true && (
        <Ask
          action="Try again"
          confirm={`Pay ${amount} again`}
          question="Another attempt pays the same earnings."
          reason="Reason"
          done="Another attempt has begun."
          run={(reason) => send('post', '/v1/operator/payouts/{payout_id}/retry', { path, body: { reason } })}
        />
      )}
      {payout.status === 'processing' && payout.file_id !== null && (
        <Ask
          action="Paid"
          confirm={`Mark ${amount} as paid`}
          question="The bank has paid it. This is final unless the bank sends the money back."
          reason="Reason, such as the reference of the bank"
          done="The payout is paid."
          run={settle('paid')}
        />
      )}
      {(payout.status === 'processing' || payout.status === 'paid') && payout.file_id !== null && (
        <Ask
          action="Returned"
          danger
          confirm={`Mark ${amount} as returned`}
          question="The bank sent the money back. The next payout pays the amount, once the developer has set the method again."
          reason="Reason that the bank gives"
          done="The payout is returned."
          run={settle('returned')}
        />
      )}
      {payout.status === 'pending' && payout.file_id === null && (
        <Ask
          action="Give back"
          confirm={`Give ${amount} back`}
          question="The payout fails with the reason, and the next one pays its amount."
          reason="Reason"
          done="The amount is with the developer again."
          run={(reason) =>
            send('post', '/v1/operator/payouts/{payout_id}/return', { path, body: { reason } })
          }
        />
      )}
    </Group>
  );
}
