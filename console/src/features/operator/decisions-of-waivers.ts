import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { formatCode } from '../../ui/format';
import type { Decision } from './decision';
import { account, agent } from './decisions-of-cases';

const WAIVER_DAYS = 90;

export function ofContest(one: ItemOf<'/v1/operator/contests'>): Decision {
  const decide = (decision: 'accepted' | 'refused') => (reason: string) =>
    send('post', '/v1/operator/contests/{contest_id}/resolve', {
      path: { contest_id: one.contest_id },
      body: { decision, reason, ...(decision === 'accepted' ? { waiver_days: WAIVER_DAYS } : {}) },
    });
  return {
    id: one.contest_id,
    kind: 'Contest',
    title: `${formatCode(one.severity)}: ${formatCode(one.category)}`,
    since: one.opened_at,
    evidence: [
      ['The finding', one.description],
      ['The developer', one.statement],
    ],
    links: [agent(one.agent_id), account(one.developer_user_id, 'Developer')],
    workflow: { id: `verification/${one.agent_id}` },
    actions: [
      {
        action: 'Waive',
        question: `The finding takes no points for ${WAIVER_DAYS} days.`,
        done: 'The finding is waived.',
        run: decide('accepted'),
      },
      {
        action: 'Refuse',
        question: 'The finding stays.',
        done: 'The contest is refused.',
        run: decide('refused'),
      },
    ],
  };
}

/** A waiver that ends soon: an operator reads why it was granted, and may end it at once. */
export function ofWaiver(one: ItemOf<'/v1/operator/waivers'>): Decision {
  return {
    id: one.waiver_id,
    kind: 'Waiver',
    alike: `${one.severity} ${one.category}`,
    title: `${formatCode(one.severity)}: ${formatCode(one.category)}`,
    since: one.granted_at,
    deadline: one.expires_at,
    evidence: [
      ['The finding', one.description],
      ['It was waived because', one.reason],
      ['Without a decision', 'The waiver ends by itself, and the finding counts again.'],
    ],
    links: [agent(one.agent_id)],
    workflow: { id: `verification/${one.agent_id}` },
    actions: [
      {
        action: 'End now',
        question: 'The finding counts from the next verification on, which begins at once.',
        done: 'The waiver has ended.',
        run: (reason) =>
          send('post', '/v1/operator/waivers/{waiver_id}/revoke', {
            path: { waiver_id: one.waiver_id },
            body: { reason },
          }),
      },
    ],
  };
}
