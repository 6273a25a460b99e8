/** The columns of the files that operators download from lists of accounts, agents, disputes and money. */
import type { ItemOf } from '../../client/queries';
import { formatMinor } from '../../ui/format';

type Account = ItemOf<'/v1/operator/accounts'>;
type Agent = ItemOf<'/v1/operator/agents'>;
type Dispute = ItemOf<'/v1/operator/disputes'>;
type Movement = ItemOf<'/v1/operator/accounts/{user_id}/movements'>;
type Payment = ItemOf<'/v1/operator/payments'>;
type X402Payment = ItemOf<'/v1/operator/x402-payments'>;
type Payout = ItemOf<'/v1/operator/payouts'>;

export const ACCOUNTS_CSV = [
  { title: 'account', value: (one: Account) => one.user_id },
  { title: 'name', value: (one: Account) => one.display_name },
  { title: 'email', value: (one: Account) => one.email },
  { title: 'role', value: (one: Account) => one.role },
  { title: 'developer', value: (one: Account) => one.developer_id },
  { title: 'email_confirmed', value: (one: Account) => String(one.email_confirmed) },
  { title: 'wallet_frozen', value: (one: Account) => String(one.wallet_frozen) },
  { title: 'signed_up', value: (one: Account) => one.created_at },
];

export const AGENTS_CSV = [
  { title: 'agent', value: (one: Agent) => one.agent_id },
  { title: 'name', value: (one: Agent) => one.display_name },
  { title: 'developer', value: (one: Agent) => one.developer_user_id },
  { title: 'state', value: (one: Agent) => one.status },
  { title: 'in_search', value: (one: Agent) => String(one.listed) },
  { title: 'trust_score', value: (one: Agent) => one.trust_score },
  { title: 'badge', value: (one: Agent) => one.badge },
  { title: 'published', value: (one: Agent) => one.created_at },
];

export const DISPUTES_CSV = [
  { title: 'dispute', value: (one: Dispute) => one.dispute_id },
  { title: 'opened', value: (one: Dispute) => one.opened_at },
  { title: 'call', value: (one: Dispute) => one.invocation_id },
  { title: 'agent', value: (one: Dispute) => one.agent_id },
  { title: 'buyer', value: (one: Dispute) => one.buyer_user_id },
  { title: 'developer', value: (one: Dispute) => one.developer_user_id },
  { title: 'reason', value: (one: Dispute) => one.reason },
  { title: 'state', value: (one: Dispute) => one.status },
  { title: 'decided', value: (one: Dispute) => one.resolved_at },
  { title: 'how', value: (one: Dispute) => one.resolution },
  { title: 'charged_credits', value: (one: Dispute) => one.charged_credits },
  { title: 'refunded_credits', value: (one: Dispute) => one.refunded_credits },
];

export const MOVEMENTS_CSV = [
  { title: 'transaction', value: (one: Movement) => one.transaction_id },
  { title: 'time', value: (one: Movement) => one.created_at },
  { title: 'account', value: (one: Movement) => one.account },
  { title: 'movement', value: (one: Movement) => one.entry_type },
  { title: 'credits', value: (one: Movement) => one.credits },
  { title: 'afterwards_credits', value: (one: Movement) => one.balance_after_credits },
  { title: 'call', value: (one: Movement) => one.invocation_id },
  { title: 'description', value: (one: Movement) => one.description },
];

export const PAYMENTS_CSV = [
  { title: 'payment', value: (one: Payment) => one.payment_id },
  { title: 'received', value: (one: Payment) => one.received_at },
  { title: 'state', value: (one: Payment) => one.state },
  { title: 'problem', value: (one: Payment) => one.quarantine_reason },
  { title: 'top_up', value: (one: Payment) => one.topup_id },
  { title: 'account', value: (one: Payment) => one.user_id },
  { title: 'currency', value: (one: Payment) => one.currency },
  { title: 'amount_minor', value: (one: Payment) => one.amount_minor },
  { title: 'expected_minor', value: (one: Payment) => one.expected_minor },
];

export const X402_CSV = [
  { title: 'payment', value: (one: X402Payment) => one.payment_id },
  { title: 'made', value: (one: X402Payment) => one.created_at },
  { title: 'state', value: (one: X402Payment) => one.state },
  { title: 'reason', value: (one: X402Payment) => one.reason },
  { title: 'payer', value: (one: X402Payment) => one.payer },
  { title: 'account', value: (one: X402Payment) => one.user_id },
  { title: 'network', value: (one: X402Payment) => one.network },
  { title: 'amount_minor', value: (one: X402Payment) => one.amount_minor },
  { title: 'credits', value: (one: X402Payment) => one.credits },
  { title: 'agent', value: (one: X402Payment) => one.agent_id },
  { title: 'call', value: (one: X402Payment) => one.invocation_id },
  { title: 'transaction', value: (one: X402Payment) => one.transaction },
];

export const PAYOUTS_CSV = [
  { title: 'payout', value: (one: Payout) => one.payout_id },
  { title: 'monday', value: (one: Payout) => one.period_end.slice(0, 10) },
  { title: 'developer', value: (one: Payout) => one.developer_user_id },
  { title: 'developer_name', value: (one: Payout) => one.developer_name },
  { title: 'state', value: (one: Payout) => one.status },
  { title: 'reason', value: (one: Payout) => one.reason },
  { title: 'by', value: (one: Payout) => one.method },
  { title: 'file', value: (one: Payout) => one.file_id },
  { title: 'credits', value: (one: Payout) => one.credits },
  { title: 'currency', value: (one: Payout) => one.currency },
  { title: 'amount_minor', value: (one: Payout) => one.amount_minor },
  { title: 'ended', value: (one: Payout) => one.completed_at },
];

/** The amount of a payment or payout as its currency writes it; undefined while it has none. */
export const moneyText = (one: { amount_minor: number | null; currency: string | null }) =>
  one.amount_minor === null || one.currency === null
    ? undefined
    : formatMinor(one.amount_minor, one.currency);
