import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { Json } from '../../ui/code-block';
import { creditsText } from '../../ui/format';
import { SlashCredits } from '../bonds/slashes';
import { reasonText } from '../calls/dispute-reasons';
import { RefundPart } from './refund-part';
import type { Decision } from './decision';
import { DisputeEvidence } from './evidence';

export const account = (id: string, label: string) => ({ to: `/operator/accounts/${id}`, label });
export const agent = (id: string) => ({ to: `/operator/agents/${id}`, label: id });

export function ofDispute(one: ItemOf<'/v1/operator/disputes'>): Decision {
  const decide = (decision: 'buyer' | 'developer') => (reason: string) =>
    send('post', '/v1/operator/disputes/{dispute_id}/resolve', {
      path: { dispute_id: one.dispute_id },
      body: { decision, reason },
    });
  return {
    id: one.dispute_id,
    kind: 'Dispute',
    title: reasonText(one.reason),
    since: one.responded_at ?? one.opened_at,
    evidence: [
      ['The buyer', one.description],
      ['The developer', one.statement ?? 'No statement'],
      ...(one.offer?.status === 'open'
        ? ([['The developer offers', creditsText(one.offer.refund_credits)]] as const)
        : []),
    ],
    links: [
      { to: `/operator/calls/${one.invocation_id}`, label: 'The call and its money' },
      agent(one.agent_id),
      account(one.buyer_user_id, 'Buyer'),
      account(one.developer_user_id, 'Developer'),
    ],
    details: <DisputeEvidence disputeId={one.dispute_id} />,
    workflow: { id: `dispute/${one.dispute_id}` },
    actions: [
      {
        action: 'Refund',
        question: 'The buyer gets the full charge back.',
        confirm: one.charged_credits === null ? undefined : `Refund ${creditsText(one.charged_credits)}`,
        done: 'The buyer won.',
        run: decide('buyer'),
      },
      ...(one.charged_credits !== null && one.charged_credits > 0
        ? [partially(one.dispute_id, one.charged_credits)]
        : []),
      {
        action: 'Dismiss',
        question: 'The developer keeps the earning.',
        confirm:
          one.charged_credits === null
            ? undefined
            : `Leave ${creditsText(one.charged_credits)} with the developer`,
        done: 'The developer won.',
        run: decide('developer'),
      },
    ],
  };
}

/** Returns a part of the charge. It needs a field for the credits, so it is not done for several at once. */
function partially(disputeId: string, charged: number): Decision['actions'][number] {
  return {
    action: 'Refund a part',
    question: 'The buyer gets a part of the charge back.',
    done: 'The buyer won a part.',
    single: true,
    run: () => Promise.resolve(),
    button: () => <RefundPart disputeId={disputeId} charged={charged} />,
  };
}

export function ofSlash(one: ItemOf<'/v1/operator/slashes'>): Decision {
  const decide = (decision: 'upheld' | 'overturned') => (reason: string) =>
    send('post', '/v1/operator/slashes/{slash_id}/resolve', {
      path: { slash_id: one.slash_id },
      body: { decision, reason },
    });
  const uphold = {
    action: 'Uphold',
    danger: true,
    question:
      one.refund === 'none'
        ? 'The slash becomes final and the platform keeps the amount.'
        : 'The slash becomes final and the buyers are refunded.',
    confirm: `Take ${creditsText(one.credits)}`,
    done: 'The slash is final.',
    run: decide('upheld'),
  };
  const overturn = {
    action: 'Overturn',
    question: 'The bond gets the amount back.',
    confirm: `Give ${creditsText(one.credits)} back`,
    done: 'The slash is overturned.',
    run: decide('overturned'),
  };
  return {
    id: one.slash_id,
    kind: 'Slash',
    title: <SlashCredits slash={one} />,
    since: one.applied_at,
    deadline: one.status === 'applied' ? one.counter_by : undefined,
    evidence: [
      ['The marketplace', one.explanation],
      [
        'The developer',
        one.counter_argument?.statement ?? 'No answer yet. Without one, the slash becomes final by itself.',
      ],
    ],
    links: [
      { to: `/operator/slashes/${one.slash_id}`, label: 'The slash' },
      agent(one.agent_id),
      account(one.developer_user_id, 'Developer'),
    ],
    details: (
      <Json
        label="evidence"
        value={{ evidence: one.evidence, calls: one.calls, answer: one.counter_argument?.evidence }}
      />
    ),
    workflow: { id: `slash/${one.slash_id}` },
    actions: one.status === 'applied' ? [overturn] : [uphold, overturn],
  };
}
