import { roundedPoints } from '../terminal/points';
import type { Schema } from '../api-schema';
import { findAgent } from '../connect';
import type { ListRow } from '../row-verbs';

const list = <T>(row: ListRow<T>) => row;
const money = (minor: number) => (minor / 100).toFixed(2);
type Payout = Schema<'Payout'> | Schema<'OperatorPayout'>;

/** The lists of cases, payouts and payments that operators read, too, by the words behind `market`. */
export const CASE_LISTS = {
  'disputes list': list<Schema<'Dispute'>>({
    about: 'lists disputes, newest first',
    examples: ['market disputes list --role developer --status open', 'market disputes list --all'],
    flags: [
      ['--status <status>', 'open, accepted, contested, won or lost; with --all also all'],
      ['--role <role>', 'your side: buyer or developer'],
      ['--all', 'undecided disputes of all accounts; for operators'],
    ],
    path: ({ all }) => (all ? '/v1/operator/disputes' : '/v1/billing/disputes'),
    filter: { status: 'status', role: 'role' },
    columns: {
      dispute: 'dispute_id',
      call: 'invocation_id',
      agent: 'agent_id',
      status: 'status',
      reason: 'reason',
      'answer by': 'respond_by',
      refunded: 'refunded_credits',
      'you are': ({ role }) => role ?? 'operator',
    },
  }),
  'slashes list': list<Schema<'Slash'>>({
    about: 'lists the slashes of your bond; for operators, the undecided slashes of all developers',
    examples: ['market slashes list --status applied'],
    flags: [['--status <status>', 'applied, contested, final or overturned; for operators also all']],
    path: '/v1/billing/developer/slashes',
    operatorPath: '/v1/operator/slashes',
    filter: { status: 'status' },
    columns: {
      slash: 'slash_id',
      agent: 'agent_id',
      status: 'status',
      credits: 'credits',
      deadline: (slash) => (slash.remaining_seconds === null ? '-' : (slash.top_up_by ?? slash.counter_by)),
      'seconds left': 'remaining_seconds',
    },
  }),
  'findings list': list<Schema<'OwnFinding'>>({
    about: 'lists the findings of one of your agents, newest first',
    examples: ['market findings list csv-profiler --status open'],
    args: [['<agent>', 'agent id or slug']],
    flags: [
      ['--status <status>', 'open, acknowledged or resolved'],
      ['--all', 'an agent of any developer; for operators'],
    ],
    agent: async (api, agent, { all }) => (all ? agent : findAgent(api, agent)),
    path: ({ all }) => (all ? '/v1/operator/agents/{}/findings' : '/v1/developer/agents/{}/findings'),
    filter: { status: 'status' },
    columns: {
      finding: 'finding_id',
      severity: 'severity',
      category: 'category',
      status: ({ waiver, status }) => (waiver ? `waived until ${waiver.expires_at.slice(0, 10)}` : status),
      points: ({ points_lost: lost }) => roundedPoints(lost),
      contest: ({ contest }) => contest?.status,
      description: 'description',
    },
  }),
  'reviews list': list<Schema<'Review'>>({
    about: 'lists the reviews of an agent, newest first',
    examples: ['market reviews list unit-converter'],
    args: [['<agent>', 'agent id or slug']],
    agent: findAgent,
    path: '/v1/agents/{}/reviews',
    isDefault: true,
    columns: {
      review: 'review_id',
      stars: 'rating',
      weight: 'weight',
      text: 'text',
      answer: 'answer',
      written: 'created_at',
    },
  }),
  'reviews received': list<Schema<'OwnReview'>>({
    about: 'lists the reviews of all your agents, newest first',
    examples: ['market reviews received'],
    path: '/v1/developer/reviews',
    columns: {
      review: 'review_id',
      agent: 'agent_id',
      stars: 'rating',
      counted: 'counted',
      text: 'text',
      answer: 'answer',
      written: 'created_at',
    },
  }),
  'findings contests': list<Schema<'GetContestResponse'>>({
    about: 'lists contests that wait for a decision, newest first; for operators',
    examples: ['market findings contests --status open'],
    flags: [['--status <status>', 'open, accepted or refused']],
    path: '/v1/operator/contests',
    filter: { status: 'status' },
    columns: {
      contest: 'contest_id',
      agent: 'agent_id',
      status: 'status',
      severity: 'severity',
      category: 'category',
      statement: 'statement',
    },
  }),
  'findings waivers': list<Schema<'Waiver'>>({
    about: 'lists waivers, newest first; for operators',
    examples: ['market findings waivers --agent agt_csv_profiler_v1'],
    flags: [['--agent <agent>', 'agent id']],
    path: '/v1/operator/waivers',
    filter: { agent: 'agent_id' },
    columns: {
      waiver: 'waiver_id',
      agent: 'agent_id',
      severity: 'severity',
      category: 'category',
      expires: 'expires_at',
      ended: 'ended_at',
      reason: 'reason',
    },
  }),
  'payouts list': list<Payout>({
    about: 'lists your payouts, newest first',
    examples: ['market payouts list', 'market payouts list --all --status failed --json'],
    flags: [
      ['--status <status>', 'reserving, pending, processing, paid, returned, failed or rolled_over'],
      ['--all', 'payouts of all developers; for operators'],
      ['--developer <user>', 'payouts of one developer, usr_…; for operators'],
    ],
    path: ({ all, developer }) =>
      all || developer !== undefined ? '/v1/operator/payouts' : '/v1/billing/developer/payouts',
    filter: { status: 'status', developer: 'developer_user_id' },
    columns: ({ all, developer }) => ({
      payout: 'payout_id',
      Monday: ({ period_end }) => period_end.slice(0, 10),
      status: 'status',
      credits: ({ credits }) => credits.toFixed(2),
      method: 'method',
      paid: paidText,
      reason: 'reason',
      ...((all || developer !== undefined) && {
        developer: (payout: Payout) => ('developer_user_id' in payout ? payout.developer_user_id : '-'),
      }),
    }),
  }),
  'payments list': list<Schema<'Payment'>>({
    about: 'lists payments, newest first',
    examples: ['market payments list'],
    flags: [['--state <state>', 'quarantined (default), credited, resolved_credited or resolved_returned']],
    path: '/v1/operator/payments',
    login: true,
    filter: { state: 'state' },
    columns: {
      payment: 'payment_id',
      received: 'received_at',
      state: 'state',
      reason: 'quarantine_reason',
      paid: ({ amount_minor, currency }) => `${money(amount_minor)} ${currency}`,
      expected: ({ expected_minor }) => (expected_minor === null ? '-' : money(expected_minor)),
      'top-up': 'topup_id',
      provider: 'provider',
    },
  }),
  'payments reversals': list<Schema<'PaymentReversal'>>({
    about: 'lists refunds and chargebacks of payments, newest first',
    examples: ['market payments reversals --owed'],
    flags: [['--owed', 'only those with a debt that is not paid yet']],
    path: '/v1/operator/reversals',
    login: true,
    filter: { owed: 'owed' },
    columns: {
      reversal: 'reversal_id',
      kind: 'kind',
      state: 'state',
      payment: 'payment_id',
      amount: ({ amount_minor, currency }) => `${money(amount_minor)} ${currency}`,
      'credits taken': 'reversed_credits',
      'credits owed': 'owed_credits',
    },
  }),
  'x402-payments list': list<Schema<'X402Payment'>>({
    about: 'lists payments of callers without an account, newest first; for operators',
    examples: [
      'market x402-payments list --state held',
      'market x402-payments list --address 0x… --day 2026-11-02',
    ],
    flags: [
      ['--state <state>', 'held, released, settled or expired'],
      ['--address <address>', 'payments of one paying address, 0x…'],
      ['--day <day>', 'payments of one UTC day, such as 2026-11-02'],
    ],
    path: '/v1/operator/x402-payments',
    login: true,
    filter: { state: 'state', address: 'address', day: 'day' },
    columns: {
      payment: 'payment_id',
      made: 'created_at',
      state: 'state',
      reason: 'reason',
      credits: ({ credits }) => credits.toFixed(2),
      payer: 'payer',
      call: 'invocation_id',
      transaction: 'transaction',
    },
  }),
  'tax-form list': list<Schema<'WaitingTaxForm'>>({
    about: 'lists the tax forms that wait for a review; for operators',
    examples: ['market tax-form list'],
    path: '/v1/operator/tax-forms',
    login: true,
    columns: {
      developer: 'developer_user_id',
      kind: 'kind',
      submitted: 'submitted_at',
      'legal name': ({ details }) => details['legal_name'],
      country: ({ details }) => details['country'],
    },
  }),
  'wallets movements': list<Schema<'AccountMovement'>>({
    about: 'lists every movement of an account, newest first',
    examples: ['market wallets movements usr_…'],
    args: [['<user>', 'the account, usr_…']],
    path: '/v1/operator/accounts/{}/movements',
    login: true,
    columns: {
      at: 'created_at',
      account: 'account',
      type: 'entry_type',
      credits: ({ credits }) => (credits > 0 ? `+${credits}` : credits),
      'balance after': 'balance_after_credits',
      what: 'description',
    },
  }),
};

function paidText({ amount_minor: minor, currency }: Payout): string {
  if (minor === null) return '-';
  const places = currency === 'USDC' ? 6 : 2;
  return `${(minor / 10 ** places).toFixed(places)} ${currency ?? ''}`;
}
