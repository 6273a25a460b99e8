/** The mails about notices (ADR 0289): what each says, and by which setting an account can turn it off. */
import { isNoticeType, noticeText, type NoticeType, subjectOfNotice } from './account-notice';
import { type MailText, paragraphs } from '../accounts/mail';
import { timeInWords } from '../prices/price-words';

/** The subjects that can be turned off one by one. */
export const MAIL_TOPICS = [
  'agents',
  'disputes',
  'bond',
  'payouts',
  'wallet',
  'prices',
  'budgets',
  'keys',
  'logins',
  'webhooks',
] as const;
export type MailTopic = (typeof MAIL_TOPICS)[number];

/** The topic of each first word of a type. */
const TOPICS: Readonly<Record<string, MailTopic>> = {
  agent: 'agents',
  finding: 'agents',
  review: 'agents',
  rubric: 'agents',
  dispute: 'disputes',
  bond: 'bond',
  slash: 'bond',
  warranty: 'bond',
  payout: 'payouts',
  tax_form: 'payouts',
  wallet: 'wallet',
  topup: 'wallet',
  price: 'prices',
  budget: 'budgets',
  key: 'keys',
  grant: 'keys',
  login: 'logins',
  webhook: 'webhooks',
  access: 'agents',
};
export const topicOf = (type: NoticeType): MailTopic => TOPICS[type.split('.')[0]!]!;

type Data = Readonly<Record<string, unknown>>;

export interface MailedNotice {
  type: string;
  data: Data;
  /** Written a day before its deadline. */
  isReminder: boolean;
}

/** The field with the deadline, what to do until then, and what happens otherwise. */
const DEADLINES: Partial<Record<NoticeType, readonly [field: string, act: string, otherwise: string]>> = {
  'dispute.opened': ['respond_by', 'Answer', 'the call is refunded'],
  'bond.slashed': ['counter_by', 'Answer', 'the slash becomes final'],
  'slash.finalized': ['top_up_by', 'Top up your bond', 'buyers no longer find your agents'],
};

const SUBJECTS: Readonly<Record<NoticeType, string>> = {
  'agent.verification_completed': 'A verification of your agent has ended',
  'agent.delisted': 'Buyers no longer find your agent',
  'agent.tools_changed': 'The tools of your agent have changed',
  'agent.relisted': 'Buyers find your agent again',
  'finding.waived': 'A finding of your agent was waived',
  'finding.contest_refused': 'Your contest of a finding was refused',
  'finding.waiver_ended': 'The waiver of a finding has ended',
  'review.written': 'A buyer reviewed your agent',
  'review.answered': 'A developer answered your review',
  'review.removed': 'Your review was removed',
  'dispute.opened': 'A buyer disputes a call of your agent',
  'dispute.offered': 'You are offered a part of a disputed charge',
  'dispute.offer_declined': 'Your offer in a dispute was declined',
  'dispute.resolved': 'A dispute is decided',
  'bond.slashed': 'Your bond was slashed',
  'slash.finalized': 'A slash is final',
  'slash.overturned': 'A slash was overturned',
  'warranty.broken': 'An agent broke its warranty',
  'payout.completed': 'Your payout was sent',
  'payout.failed': 'Your payout did not arrive',
  'payout.waiting': 'Your payout waits for you',
  'rubric.announced': 'Scores will be computed in another way',
  'price.announced': 'The price of an agent that you use will rise',
  'tax_form.accepted': 'Your tax form was accepted',
  'tax_form.rejected': 'Your tax form was rejected',
  'wallet.frozen': 'Your wallet is frozen',
  'wallet.unfrozen': 'Your wallet is no longer frozen',
  'wallet.low': 'Your wallet is low',
  'topup.failed': 'An automatic top-up failed',
  'budget.reached': 'A budget is nearly or wholly spent',
  'key.created': 'An API key was created',
  'key.expiring': 'An API key expires soon',
  'grant.created': 'An application may call agents',
  'login.new': 'A login from a new network',
  'webhook.disabled': 'A webhook was disabled',
  'access.requested': 'A request to see your private agent',
  'access.granted': 'You may call a private agent',
  'access.refused': 'Your request for access was refused',
};

/** The page of the console where the account can act. */
function pageOf(type: NoticeType, data: Data): string {
  const id = subjectOfNotice(data);
  if (type.startsWith('wallet.') || type.startsWith('topup.') || id?.startsWith('bgt_')) return '/wallet';
  if (type.startsWith('login.')) return '/account';
  if (type.startsWith('grant.') || id?.startsWith('key_')) return '/keys';
  if (type === 'payout.waiting' || type.startsWith('tax_form.')) return '/developer';
  if (type === 'access.requested' || type === 'access.refused') return '/access';
  if (id !== null && /^(price|access\.granted)/.test(type)) return `/agents/${id}`;
  if (id?.startsWith('dsp_')) return `/disputes/${id}`;
  if (id?.startsWith('slh_')) return `/developer/slashes/${id}`;
  if (id?.startsWith('pay_')) return `/developer/payouts/${id}`;
  if (id?.startsWith('whk_')) return `/webhooks/${id}`;
  return id?.startsWith('agt_') ? `/developer/agents/${id}` : '/notices';
}

function paragraphOf(origin: string, type: NoticeType, { data, isReminder }: MailedNotice): string {
  const [field = '', act = '', otherwise = ''] = DEADLINES[type] ?? [];
  const time = data[field];
  const until = typeof time === 'string' ? ` ${act} by ${timeInWords(time)}, or ${otherwise}.` : '';
  const left = isReminder && until !== '' ? 'Less than a day is left. ' : '';
  return `${left}${noticeText(type, data)}${until}\n  ${origin}/console${pageOf(type, data)}`;
}

/** Notices that one mail describes. The others are on the page that it names. */
const MOST_IN_A_MAIL = 20;

/** The mail about notices of an account; undefined if this release knows none of them. */
export function mailOfNotices(origin: string, notices: readonly MailedNotice[]): MailText | undefined {
  const known = notices.flatMap((one) => (isNoticeType(one.type) ? [{ ...one, type: one.type }] : []));
  const [first] = known;
  if (!first) return undefined;
  const [field] = DEADLINES[first.type] ?? [];
  const isReminder = first.isReminder && typeof first.data[field ?? ''] === 'string';
  const single = isReminder ? `Less than a day is left: ${SUBJECTS[first.type]}` : SUBJECTS[first.type];
  const more = known.length > MOST_IN_A_MAIL ? [`There are more notices: ${origin}/console/notices`] : [];
  return {
    subject: known.length === 1 ? single : `${known.length} notices about your account`,
    text: paragraphs(
      ...known.slice(0, MOST_IN_A_MAIL).map((one) => paragraphOf(origin, one.type, one)),
      ...more,
      `The account is at ${origin}. You can turn off these mails: ${origin}/console/account`,
    ),
  };
}
