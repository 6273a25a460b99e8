/** What people should know of their account, from the events about it (ADR 0291). */
import type { Pricing } from '../catalogue/manifest';
import { isRecord } from '../json-value';
import { nextPriceInWords, priceInWords } from '../prices/price-words';

/**
 * The types of notices; `notice_record.sql` has the same. Those of a declined offer, a payout that waits, a tax form, a
 * wallet, a budget, a key, a login and a webhook are no events.
 */
export const NOTICE_TYPES = [
  'agent.verification_completed',
  'agent.delisted',
  'agent.relisted',
  'agent.tools_changed',
  'finding.waived',
  'finding.contest_refused',
  'finding.waiver_ended',
  'review.written',
  'review.answered',
  'review.removed',
  'dispute.opened',
  'dispute.offered',
  'dispute.offer_declined',
  'dispute.resolved',
  'bond.slashed',
  'slash.finalized',
  'slash.overturned',
  'warranty.broken',
  'payout.completed',
  'payout.failed',
  'payout.waiting',
  'rubric.announced',
  'price.announced',
  'tax_form.accepted',
  'tax_form.rejected',
  'wallet.frozen',
  'wallet.unfrozen',
  'wallet.low',
  'topup.failed',
  'budget.reached',
  'key.created',
  'key.expiring',
  'grant.created',
  'login.new',
  'webhook.disabled',
  'access.requested',
  'access.granted',
  'access.refused',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

type Data = Readonly<Record<string, unknown>>;

const text = (data: Data, field: string): string => {
  const value = data[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};
const words = (code: string) => code.replaceAll('_', ' ');
const credits = (data: Data, field: string) => `${text(data, field) || '0'} credits`;

/** The pair is the account's own text. */
const budgetOf = (data: Data) => {
  if (text(data, 'org_id')) return `your budget in the organisation ${text(data, 'org_id')}`;
  if (text(data, 'member_user_id')) return `the budget of the member ${text(data, 'member_user_id')}`;
  return text(data, 'tag') ? `the budget ${text(data, 'tag')}` : 'the budget of your account';
};

const WAITS: Readonly<Record<string, string>> = {
  no_payout_method: 'Set a payout method.',
  method_unavailable: 'The marketplace does not pay by your method at present: choose another one, or wait.',
  method_returned: 'The bank sent the last payout back: set your payout method again.',
  tax_form_required: 'A tax form is needed first: submit one.',
};
/** What a developer does about a payout that waits. */
const waitsFor = (reason: string) =>
  Object.hasOwn(WAITS, reason) ? WAITS[reason]! : 'Its page has the reason.';

const MESSAGES: Readonly<Record<NoticeType, (data: Data) => string>> = {
  'agent.verification_completed': (data) =>
    `The verification of ${text(data, 'slug')} ${text(data, 'version')} has ended: ${words(text(data, 'outcome'))}.`,
  'agent.delisted': (data) => {
    const reasons = Array.isArray(data['reasons']) ? data['reasons'].map((one) => words(String(one))) : [];
    const why = reasons.length > 0 ? ` Because: ${reasons.join(', ')}.` : '';
    return `Buyers no longer find ${text(data, 'slug')}.${why}`;
  },
  'agent.tools_changed': (data) => {
    const agent = text(data, 'slug');
    if (text(data, 'state') === 'verified')
      return `The changed tools of ${agent} are verified: buyers see them.`;
    if (text(data, 'state') === 'refused')
      return `The changed tools of ${agent} were refused. Buyers go on seeing the verified ones. The definitions on its page have the reason.`;
    return `The server of ${agent} lists other tools than the verified ones. Buyers see them once a verification has passed them.`;
  },
  'agent.relisted': (data) => `Buyers find ${text(data, 'slug')} again.`,
  'finding.waived': (data) => `An operator waived a finding of ${text(data, 'slug')}.`,
  'finding.contest_refused': (data) =>
    `An operator refused your contest of a finding of ${text(data, 'slug')}.`,
  'finding.waiver_ended': (data) => `The waiver of a finding of ${text(data, 'slug')} has ended.`,
  'review.written': (data) =>
    `A buyer gave ${text(data, 'agent_id')} a review of ${text(data, 'rating')} of 5 stars. You may answer it once.`,
  'review.answered': (data) => `The developer of ${text(data, 'agent_id')} answered your review.`,
  'review.removed': (data) =>
    `An operator removed your review of ${text(data, 'agent_id')}. The review of the call has the reason.`,
  'dispute.opened': (data) =>
    text(data, 'status') === 'open'
      ? `A buyer disputes a call of ${text(data, 'agent_id')}. Without an answer of yours, it is accepted.`
      : `A buyer disputed a call of ${text(data, 'agent_id')} while it ran.`,
  'dispute.offered': (data) =>
    `The developer of ${text(data, 'agent_id')} offers to return ${text(data, 'refund_credits') || '0'} of ${credits(data, 'charged_credits')} of a call that you dispute. Accept or decline it. Without an answer of yours, an operator decides.`,
  'dispute.offer_declined': (data) =>
    `The buyer declined your offer to return ${credits(data, 'refund_credits')} of a disputed call of ${text(data, 'agent_id')}. Make another one, or an operator decides.`,
  'dispute.resolved': (data) =>
    `The dispute about a call of ${text(data, 'agent_id')} is decided. ${credits(data, 'refunded_credits')} were refunded.`,
  'bond.slashed': (data) =>
    `An operator took ${credits(data, 'credits')} from your bond. You may answer before it is final.`,
  'slash.finalized': (data) => `A slash of ${credits(data, 'credits')} is final.`,
  'warranty.broken': (data) =>
    `${text(data, 'agent_id')} broke its warranty in ${text(data, 'month')}: ${credits(data, 'remedy_credits')} go from the bond to the buyers, unless the developer contests it.`,
  'slash.overturned': () => 'A slash was overturned. Its credits are in your bond again.',
  'payout.completed': (data) => `${credits(data, 'credits')} were paid out.`,
  'payout.failed': (data) => {
    // A code; what an operator wrote stands on the page of the payout.
    const reason = /^[a-z_]+$/.exec(text(data, 'reason'))?.[0];
    return `A payout of ${credits(data, 'credits')} did not arrive.${reason ? ` Because: ${words(reason)}.` : ''}`;
  },
  'payout.waiting': (data) =>
    `${credits(data, 'credits')} were not paid out on Monday. ${waitsFor(text(data, 'reason'))}`,
  'rubric.announced': (data) => `Scores will be computed by rubric ${text(data, 'rubric_version')}.`,
  'price.announced': (data) => {
    const [now, next] = [data['pricing'], data['next_pricing']];
    if (!isRecord(now) || !isRecord(next)) return `The price of ${text(data, 'slug')} rises.`;
    const effectiveAt = new Date(text(data, 'price_effective_at'));
    const then = nextPriceInWords({ pricing: next as unknown as Pricing, effectiveAt });
    return `The price of ${text(data, 'slug')} rises. Now: ${priceInWords(now as unknown as Pricing)}. ${then}`;
  },
  'tax_form.accepted': () => 'Your tax form was accepted.',
  'tax_form.rejected': () => 'Your tax form was rejected. Its page has the reason.',
  'wallet.frozen': (data) =>
    text(data, 'cause') === 'debt'
      ? 'Your wallet is frozen: a payment was taken back, and its credits are owed.'
      : 'An operator froze your wallet. It pays for no calls.',
  'wallet.unfrozen': () => 'Your wallet is no longer frozen.',
  'wallet.low': (data) =>
    `Your wallet has ${credits(data, 'available_credits')}, less than the ${credits(data, 'below_credits')} that you set. Calls are refused when it is empty.`,
  'topup.failed': (data) => {
    const reason = /^[a-z_]+$/.exec(text(data, 'reason'))?.[0] ?? 'declined';
    const next =
      data['stopped'] === true
        ? 'Automatic top-ups have stopped. Set them anew when the payment method can pay.'
        : 'The next attempt follows in an hour.';
    return `An automatic top-up of ${credits(data, 'credits')} failed: ${words(reason)}. ${next}`;
  },
  'budget.reached': (data) => {
    const whose = text(data, 'key_id') ? `the cap of the key ${text(data, 'key_id')}` : budgetOf(data);
    const end = text(data, 'ends_at');
    const until = end ? ` It begins anew at ${end}.` : '';
    const what = data['percent'] === 100 ? ' Further calls are refused.' : '';
    return `${text(data, 'percent')} % of ${whose} are spent: ${text(data, 'used_credits')} of ${credits(data, 'credits')}.${what}${until}`;
  },
  'key.created': (data) => `Your account has a new API key or a new device: ${text(data, 'key_id')}.`,
  'key.expiring': (data) =>
    `The API key ${text(data, 'key_id')} expires at ${text(data, 'expires_at')}. Programs that use it are refused then.`,
  'grant.created': () => 'An application or a program may call agents for you.',
  'login.new': (data) =>
    `Your account was logged in from a network that is new to it: ${text(data, 'network')}. If it was not you, set a new password.`,
  'webhook.disabled': (data) =>
    `Your webhook ${text(data, 'webhook_id')} gets no more events: its URL answered 410 Gone. You can enable it again.`,
  'access.requested': (data) =>
    `${text(data, 'name')} asks to see your private agent ${text(data, 'agent_id')}. You grant or refuse the request.`,
  'access.granted': (data) => `You may see and call the private agent ${text(data, 'agent_id')}.`,
  'access.refused': (data) => `Your request to see the agent ${text(data, 'agent_id')} was refused.`,
};

/**
 * Whether this release knows a type: after a rollback, a database has notices of types that only later ones write.
 */
export const isNoticeType = (type: string): type is NoticeType => Object.hasOwn(MESSAGES, type);

/** A notice as a sentence. */
export const noticeText = (type: NoticeType, data: Data): string => MESSAGES[type](data);

/** The id of what a notice is about, such as a dispute; null for the account as a whole. */
export function subjectOfNotice(data: Data): string | null {
  for (const field of [
    'dispute_id',
    'slash_id',
    'payout_id',
    'agent_id',
    'budget_id',
    'key_id',
    'webhook_id',
  ])
    if (text(data, field)) return text(data, field);
  return null;
}
