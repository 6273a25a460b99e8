import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { formatCode, formatMinor } from '../../ui/format';
import { Money } from '../../ui/money';
import { nextMonday } from '../payouts/next-payout';
import { moneyText } from './list-files';
import { account } from './decisions-of-cases';
import { CreditTo } from './credit-to';
import type { Decision } from './decision';

const PROBLEMS: Readonly<Record<string, string>> = {
  amount_mismatch: 'Not the amount of its top-up',
  currency_mismatch: 'Not the currency of its top-up',
  unknown_topup: 'No top-up has its reference',
  topup_closed: 'Its top-up had been closed',
  paid_twice: 'Its top-up had been paid',
};

/** Why a payment is in quarantine; a dash for one that is not. */
export const problemText = (reason: string | null): string =>
  reason === null ? '–' : (PROBLEMS[reason] ?? formatCode(reason));

export function ofPayment(one: ItemOf<'/v1/operator/payments'>): Decision {
  const decide = (decision: 'credit' | 'return') => (reason: string) =>
    send('post', '/v1/operator/payments/{payment_id}/resolve', {
      path: { payment_id: one.payment_id },
      body: { decision, reason },
    });
  const amount = formatMinor(one.amount_minor, one.currency);
  return {
    id: one.payment_id,
    kind: 'Payment',
    money: { minor: one.amount_minor, currency: one.currency },
    alike: `${one.quarantine_reason} ${one.topup_id === null}`,
    title: <Money minor={one.amount_minor} currency={one.currency} />,
    since: one.received_at,
    evidence: [
      ['Problem', problemText(one.quarantine_reason)],
      ...(one.topup_id === null
        ? [['To credit it', 'Credit asks for the account, because no top-up names it.'] as const]
        : [['Expected', <Money key="e" minor={one.expected_minor} currency={one.currency} />] as const]),
    ],
    links: one.user_id === null ? [] : [account(one.user_id, 'Payer')],
    actions: [
      ...(one.topup_id === null
        ? [
            {
              action: 'Credit',
              question: '',
              done: '',
              run: () => Promise.resolve(),
              single: true,
              button: () => <CreditTo paymentId={one.payment_id} amount={amount} />,
            },
          ]
        : [
            {
              action: 'Credit',
              question: 'The payer gets the credits.',
              confirm: `Credit ${amount}`,
              done: 'The payment is credited.',
              run: decide('credit'),
            },
          ]),
      {
        action: 'Return',
        question: 'The money goes back to the payer.',
        confirm: `Return ${amount}`,
        done: 'The payment is returned.',
        run: decide('return'),
      },
    ],
  };
}

export function ofPayout(one: ItemOf<'/v1/operator/payouts'>): Decision {
  const { amount_minor: minor, currency } = one;
  const amount = moneyText(one);
  return {
    id: one.payout_id,
    kind: 'Failed payout',
    ...(minor === null || currency === null ? {} : { money: { minor, currency } }),
    alike: one.reason ?? 'unknown',
    title: <Money minor={one.amount_minor} currency={one.currency} />,
    since: one.completed_at ?? one.initiated_at,
    deadline: nextMonday(),
    evidence: [
      ['Reason', formatCode(one.reason ?? 'unknown')],
      ['Without a decision', 'The next Monday pays the amount with everything else.'],
    ],
    links: [account(one.developer_user_id, 'Developer')],
    workflow: { filter: `WorkflowId STARTS_WITH "payout/${one.developer_user_id}/"` },
    actions: [
      {
        action: 'Try again',
        question: 'Another attempt pays the same earnings.',
        confirm: amount === undefined ? undefined : `Pay ${amount} again`,
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

export function ofTaxForm(one: ItemOf<'/v1/operator/tax-forms'>): Decision {
  const decide = (decision: 'accepted' | 'rejected') => (reason: string) =>
    send('post', '/v1/operator/tax-forms/{user_id}/review', {
      path: { user_id: one.developer_user_id },
      body: { decision, reason },
    });
  return {
    id: one.form_id,
    kind: 'Tax form',
    title: one.kind.toUpperCase(),
    since: one.submitted_at,
    evidence: Object.entries(one.details).map(([name, value]) => [formatCode(name), value] as const),
    links: [account(one.developer_user_id, 'Developer')],
    actions: [
      {
        action: 'Accept',
        question: 'Payouts of a calendar year may exceed the threshold.',
        done: 'The form is accepted.',
        run: decide('accepted'),
      },
      {
        action: 'Reject',
        question: 'The developer reads the reason and sends another form.',
        done: 'The form is rejected.',
        run: decide('rejected'),
      },
    ],
  };
}
