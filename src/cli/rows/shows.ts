import type { Schema } from '../api-schema';
import { findAgent, findForOperator } from '../connect';
import type { ShowRow } from '../row-verbs';
import { ownScoreText, ownVersionText, usageOfAgentText } from '../terminal/own-agent-text';

const AGENT = ['<agent>', 'agent id or slug'] as const;
const CALL = [['<call>', 'call id, inv_…']] as const;
const show = <T extends object>(row: ShowRow<T>) => row;

/** The verbs that print one record of the API, by the words behind `market`. */
export const SHOWS = {
  security: show<object>({
    about: 'prints what protects your account',
    examples: ['market security'],
    path: '/v1/auth/security',
    login: true,
  }),
  'billing show': show<object>({
    about: 'prints the billing details on your invoices',
    examples: ['market billing show'],
    path: '/v1/billing/details',
  }),
  'statements show': show<Schema<'AccountStatement'>>({
    about: 'prints the statement of a month: the opening balance, what moved, and the closing balance',
    examples: ['market statements show 2026-11'],
    args: [['<month>', 'a month in UTC, such as 2026-11']],
    path: '/v1/billing/statements/{}',
  }),
  'tax show': show<Schema<'TaxSettings'>>({
    about: 'prints who issues invoices, and the tax rates',
    examples: ['market tax show'],
    path: '/v1/operator/tax-settings',
    login: true,
  }),
  'invocations show': show<Schema<'InvocationDetail'>>({
    about: 'prints one of your calls',
    examples: ['market invocations show inv_… --json'],
    args: CALL,
    path: '/v1/invocations/{}',
  }),
  'invocations receipt': show<Schema<'InvocationDetail'>>({
    about: 'prints the signed receipt of a call',
    examples: ['market invocations receipt inv_… --json'],
    args: CALL,
    path: '/v1/invocations/{}',
    part: ({ evidence }) => evidence ?? {},
  }),
  'invocations bodies': show<Schema<'CallBodies'>>({
    about: 'prints the input and output of one of your calls, if your account keeps them',
    examples: ['market invocations bodies inv_… --json'],
    args: CALL,
    path: '/v1/invocations/{}/bodies',
    text: (bodies) => JSON.stringify(bodies, null, 2),
  }),
  'mandates show': show<Schema<'Mandate'>>({
    about: 'prints one of your mandates, with what it has spent',
    examples: ['market mandates show mdt_…'],
    args: [['<mandate>', 'mandate id, mdt_…']],
    path: '/v1/mandates/{}',
  }),
  'agents version': show<Schema<'AgentVersionDetail'>>({
    about: 'prints one version of one of your agents, with its manifest as it was stored',
    examples: ['market agents version word-counter 1.0.0 --json'],
    args: [AGENT, ['<version>', 'such as 1.2.0']],
    agent: findAgent,
    path: '/v1/developer/agents/{}/versions/{}',
    text: ownVersionText,
  }),
  'agents usage': show<Schema<'GetAnalyticsResponse'>>({
    about: 'prints the calls, errors, latency and earnings of one of your agents in the last 30 days',
    examples: ['market agents usage agt_word_counter_v1'],
    args: [AGENT],
    agent: findAgent,
    path: '/v1/agents/{}/analytics',
    text: usageOfAgentText,
  }),
  'agents score': show<Schema<'OwnScore'>>({
    about: 'prints the score of one of your agents, and what would raise it',
    examples: ['market agents score agt_word_counter_v1'],
    args: [AGENT],
    agent: findAgent,
    path: '/v1/developer/agents/{}/score',
    text: ownScoreText,
  }),
  'agents tools': show<Schema<'AgentToolList'>>({
    about: 'prints the verified tools of an agent that is an MCP server, with the digest of their list',
    examples: ['market agents tools word-counter'],
    args: [AGENT],
    agent: findAgent,
    path: '/v1/agents/{}/tools',
    part: ({ tools, ...list }) => ({ ...list, tools: tools.map(({ name }) => name) }),
  }),
  'agents registration': show<object>({
    about: 'prints the registration of one of your self-hosted agents, without its credential',
    examples: ['market agents registration invoice-reader --json'],
    args: [AGENT],
    agent: findAgent,
    path: '/v1/agents/{}/registration',
  }),
  'agents standing': show<object>({
    about: 'prints the state of an agent, also of a suspended or retired one; for operators',
    examples: ['market agents standing agt_csv_profiler_v1'],
    args: [['<agent>', 'agent id, or slug of a live agent']],
    agent: findForOperator,
    path: '/v1/operator/agents/{}',
    login: true,
  }),
  'slashes show': show<Schema<'Slash'>>({
    about: 'prints one slash, with explanation, evidence and counter-argument',
    examples: ['market slashes show slh_…'],
    args: [['<slash>', 'slash id, slh_…']],
    path: '/v1/billing/developer/slashes/{}',
    operatorPath: '/v1/operator/slashes/{}',
    text: (slash) => JSON.stringify(slash, null, 2),
  }),
  'payments show': show<Schema<'Payment'>>({
    about: 'prints one payment',
    examples: ['market payments show pay_FOGsH8uHkF2FbR'],
    args: [['<payment>', "the payment provider's id"]],
    path: '/v1/operator/payments/{}',
    login: true,
  }),
  'x402-payments show': show<Schema<'X402PaymentDetail'>>({
    about: 'prints one payment by x402, with its call and the credits of its address; for operators',
    examples: ['market x402-payments show xpm_…'],
    args: [['<payment>', 'payment id, xpm_…']],
    path: '/v1/operator/x402-payments/{}',
    login: true,
  }),
  'wallets show': show<object>({
    about: 'prints the state of an account',
    examples: ['market wallets show usr_…'],
    args: [['<user>', 'owner of the wallet, usr_…']],
    path: '/v1/operator/accounts/{}',
    login: true,
  }),
};
