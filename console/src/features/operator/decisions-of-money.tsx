import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { formatCode } from '../../ui/format';
import { Money } from '../../ui/money';
import { account } from './decisions-of-cases';
import type { Decision } from './decision';

export function ofPayment(one: ItemOf<'/v1/operator/payments'>): Decision {
  const decide = (decision: 'credit' | 'return') => (reason: string) =>
    send('post', '/v1/operator/payments/{payment_id}/resolve', {
      path: { payment_id: one.payment_id },
      body: { decision, reason },
    });
  return {
    id: one.payment_id,
    kind: 'Payment',
    title: <Money minor={one.amount_minor} currency={one.currency} />,
    since: one.received_at,
    evidence: [
      ['Problem', formatCode(one.quarantine_reason ?? 'unknown')],
      ['Expected', <Money key="e" minor={one.expected_minor} currency={one.currency} />],
    ],
    links: one.user_id === null ? [] : [account(one.user_id, 'Payer')],
    actions: [
      {
        action: 'Credit',
        question: 'The payer gets the credits.',
        done: 'The payment is credited.',
        run: decide('credit'),
      },
      {
        action: 'Return',
        question: 'The money goes back to the payer.',
        done: 'The payment is returned.',
        run: decide('return'),
      },
    ],
  };
}

export function ofPayout(one: ItemOf<'/v1/operator/payouts'>): Decision {
  return {
    id: one.payout_id,
    kind: 'Failed payout',
    title: <Money minor={one.amount_minor} currency={one.currency} />,
    since: one.completed_at ?? one.initiated_at,
    evidence: [['Reason', formatCode(one.reason ?? 'unknown')]],
    links: [account(one.developer_user_id, 'Developer')],
    workflow: { filter: `WorkflowId STARTS_WITH "payout/${one.developer_user_id}/"` },
    actions: [
      {
        action: 'Try again',
        question: 'Another attempt pays the same lots.',
        done: 'Another attempt has begun.',
        run: (reason) =>
          send('post', '/v1/operator/payouts/{payout_id}/retry', {
            path: { payout_id: one.payout_id },
            body: { reason },
          }),
      },
    ],
  };
}
