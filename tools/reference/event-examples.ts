import type { EventType } from '../../src/domain/webhooks/event';

type EventExamples = Record<EventType, Record<string, unknown>>;

const id = (prefix: string) => `${prefix}_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b`;
const at = '2026-11-02T09:12:44.000Z';
const agent = { agent_id: 'agt_word_counter_v1', slug: 'word-counter' };

const call = {
  invocation_id: id('inv'),
  agent_id: agent.agent_id,
  version: '1.0.0',
  surface: 'invoke',
  status: 'succeeded',
  usage: { tokens_in: 10, tokens_out: 5, duration_ms: 38, credits_charged: 2 },
  error_code: null,
  invoked_at: '2026-11-02T09:12:43.960Z',
  settled_at: at,
};
const dispute = {
  dispute_id: id('dsp'),
  invocation_id: id('inv'),
  agent_id: agent.agent_id,
  reason: 'output_incorrect',
  status: 'open',
  resolution: null,
  refunded_credits: 0,
  opened_at: at,
  respond_by: '2026-11-05T09:12:44.000Z',
  resolved_at: null,
};
const slash = {
  slash_id: id('slh'),
  agent_id: agent.agent_id,
  status: 'applied',
  resolution: null,
  credits: 100,
  requested_credits: 150,
  refund: 'affected',
  explanation: 'The agent returned the same answer to every input.',
  evidence: { output_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  applied_at: at,
  counter_by: '2026-11-09T09:12:44.000Z',
  resolved_at: null,
  top_up_by: null,
  bond_credits: 400,
};
const payout = {
  payout_id: id('pay'),
  status: 'pending',
  credits: 1250.5,
  method: 'ach',
  amount_minor: 1250,
  currency: 'USD',
  period_end: '2026-11-02T00:00:00.000Z',
};

/** For each type of event an example of its `data`. */
export const EVENT_EXAMPLES: EventExamples = {
  'trust_score.updated': {
    ...agent,
    score: 82,
    previous_score: 74,
    badge: 'standard',
    previous_badge: 'basic',
    rubric_version: '2026.1',
    verified_at: at,
  },
  'agent.verification_completed': {
    ...agent,
    version: '1.0.0',
    run_id: id('ver'),
    outcome: 'live',
    score: 82,
    badge: 'standard',
    rubric_version: '2026.1',
    verified_at: at,
  },
  'finding.waived': {
    ...agent,
    finding_id: id('fnd'),
    waiver_id: id('fwv'),
    expires_at: '2027-01-31T09:12:44.000Z',
  },
  'finding.contest_refused': { ...agent, finding_id: id('fnd'), contest_id: id('fct') },
  'finding.waiver_ended': { ...agent, finding_id: id('fnd'), waiver_id: id('fwv') },
  'agent.delisted': { ...agent, reasons: ['critical_finding'] },
  'agent.relisted': agent,
  'invocation.progress': {
    invocation_id: id('inv'),
    agent_id: agent.agent_id,
    progress: 0.4,
    reported_at: at,
  },
  'invocation.input_required': {
    invocation_id: id('inv'),
    agent_id: agent.agent_id,
    version: '1.0.0',
    surface: 'invoke',
    question_id: 'qst_9f86d081884c7d659a2feaa0c55ad015',
    prompt: 'Which format shall the report have?',
    asked_at: at,
    expires_at: '2026-11-09T09:12:44.000Z',
  },
  'invocation.succeeded': call,
  'invocation.failed': {
    ...call,
    status: 'failed',
    usage: { ...call.usage, tokens_out: 0, credits_charged: 0 },
    error_code: 'agent_timeout',
  },
  'dispute.opened': dispute,
  'dispute.offered': {
    dispute_id: dispute.dispute_id,
    invocation_id: dispute.invocation_id,
    agent_id: dispute.agent_id,
    offer_id: id('dof'),
    refund_credits: 1,
    charged_credits: 2,
    offered_at: '2026-11-03T09:12:44.000Z',
  },
  'dispute.resolved': {
    ...dispute,
    status: 'accepted',
    resolution: 'developer_accepted',
    refunded_credits: 2,
    resolved_at: '2026-11-03T10:00:00.000Z',
  },
  'bond.slashed': slash,
  'slash.finalized': {
    ...slash,
    status: 'final',
    resolution: 'developer_silent',
    resolved_at: slash.counter_by,
    top_up_by: '2026-11-23T09:12:44.000Z',
  },
  'slash.overturned': {
    ...slash,
    status: 'overturned',
    resolution: 'operator',
    resolved_at: '2026-11-04T15:30:00.000Z',
    bond_credits: 500,
  },
  'payout.initiated': payout,
  'payout.completed': { ...payout, status: 'paid' },
  'payout.failed': { ...payout, status: 'failed', reason: 'account_closed' },
  'credits.loaded': {
    topup_id: id('top'),
    credits: 100,
    amount_minor: 10_000,
    currency: 'INR',
    loaded_at: at,
  },
  'rubric.announced': {
    rubric_version: '2026.2',
    weights_changed: true,
    changelog: 'Missing tests cost more points.',
    rfc_url: 'https://market.example/rfc/2026.2',
    announced_at: at,
    comment_ends_at: '2026-12-02T09:12:44.000Z',
  },
  'price.announced': {
    ...agent,
    version: '1.4.0',
    pricing: { model: 'per_call', credits_per_call: 2, free_tier_calls: 0 },
    next_pricing: { model: 'per_call', credits_per_call: 3, free_tier_calls: 0 },
    price_effective_at: '2026-11-16T09:12:45.000Z',
  },
};
