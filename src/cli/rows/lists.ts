import type { Schema } from '../api-schema';
import { findAgent } from '../connect';
import type { ListRow } from '../row-verbs';

const AGENT = [['<agent>', 'agent id or slug']] as const;
const list = <T>(row: ListRow<T>) => row;
const rateText = ({ used, per_minute: most }: { used: number; per_minute: number }) => `${used} of ${most}`;

/** The limits of a key or a grant. */
const LIMIT_COLUMNS = {
  cap: 'credit_cap',
  window: ({ credit_cap_window: window }: Pick<Schema<'ApiKey'>, 'credit_cap_window'>) =>
    window === 'lifetime' ? '' : window,
  used: ({
    credit_cap_window: window,
    used_credits: used,
  }: Pick<Schema<'ApiKey'>, 'credit_cap_window' | 'used_credits'>) => (window === 'lifetime' ? '' : used),
  'most a call': 'call_cap',
  'least trust': 'min_trust_score',
  only: ({ agents }: Pick<Schema<'ApiKey'>, 'agents'>) => (agents === null ? '' : agents.join(' ')),
} as const;

/** The verbs that list one resource of the API, by the words behind `market`. */
export const LISTS = {
  'api-keys list': list<Schema<'ApiKey'>>({
    about: 'lists your keys, newest first',
    examples: ['market api-keys list'],
    path: '/v1/keys',
    login: true,
    columns: {
      key: 'key_id',
      name: 'name',
      'ends in': 'key_hint',
      scopes: 'scopes',
      spent: 'spent_credits',
      ...LIMIT_COLUMNS,
      'requests this minute': ({ rate_limits: rates }) => rates && rateText(rates.requests),
      'calls this minute': ({ rate_limits: rates }) => rates && rateText(rates.invocations),
      expires: 'expires_at',
      'last used': 'last_used_at',
    },
  }),
  'favourites list': list<Schema<'Favourite'>>({
    about: 'lists the agents that you marked, newest first',
    examples: ['market favourites list'],
    path: '/v1/favourites',
    login: true,
    isDefault: true,
    columns: {
      agent: 'agent_id',
      name: ({ listing }) => listing?.display_name ?? 'cannot be called at present',
      score: ({ listing }) => listing?.trust_score,
      added: 'added_at',
    },
  }),
  'notices list': list<Schema<'Notice'>>({
    about: 'lists the notices about your account, newest first',
    examples: ['market notices list', 'market notices list --unread true'],
    path: '/v1/notices',
    login: true,
    flags: [['--unread <choice>', 'true: only unread ones']],
    filter: { unread: 'unread' },
    columns: { notice: 'notice_id', at: 'created_at', read: 'read', message: 'message', about: 'subject_id' },
  }),
  'grants list': list<Schema<'OAuthGrant'>>({
    about: 'lists your OAuth grants, newest first',
    examples: ['market grants list'],
    path: '/v1/oauth/grants',
    login: true,
    columns: {
      grant: 'grant_id',
      kind: 'kind',
      client: 'client_name',
      'sent to': 'redirect_host',
      agent: 'agent_id',
      scopes: 'scopes',
      spent: 'spent_credits',
      ...LIMIT_COLUMNS,
      expires: 'expires_at',
      'last used': 'last_used_at',
    },
  }),
  'sessions list': list<Schema<'ListSessionsResponse'>['items'][number]>({
    about: 'lists your sessions, newest first',
    examples: ['market sessions list'],
    path: '/v1/auth/sessions',
    login: true,
    columns: {
      session: 'session_id',
      'this one': ({ current }) => (current ? 'yes' : ''),
      since: 'started_at',
      expires: 'expires_at',
      from: 'network',
      client: 'user_agent',
    },
  }),
  'mandates list': list<Schema<'Mandate'>>({
    about: 'lists the mandates of your account that were used, newest first',
    examples: ['market mandates list'],
    path: '/v1/mandates',
    columns: {
      mandate: 'mandate_id',
      for: 'subject',
      status: 'status',
      most: 'max_credits',
      spent: 'spent_credits',
      remaining: 'remaining_credits',
      expires: 'expires_at',
    },
  }),
  'mandates keys': list<Schema<'MandateKey'>>({
    about: 'lists the public keys that sign mandates for your account, newest first',
    examples: ['market mandates keys'],
    path: '/v1/mandate-keys',
    columns: { key: 'kid', name: 'name', registered: 'created_at' },
  }),
  'invocations list': list<Schema<'Invocation'>>({
    about: 'lists your calls, newest first',
    examples: ['market invocations list --status failed', 'market invocations list --tag project=atlas'],
    flags: [
      ['--agent <id>', 'only calls of this agent (agt_…)'],
      ['--status <status>', 'pending, running, succeeded or failed'],
      ['--tag <pair>', 'only calls with this pair of metadata, such as project=atlas'],
    ],
    path: '/v1/invocations',
    filter: { agent: 'agent_id', status: 'status', tag: 'tag' },
    columns: {
      call: 'invocation_id',
      agent: 'agent_id',
      status: 'status',
      credits: ({ usage }) => usage?.credits_charged,
      accepted: 'invoked_at',
    },
  }),
  'invocations pieces': list<Schema<'PieceOfJob'>>({
    about: 'lists what the agent of a job has delivered so far',
    examples: ['market invocations pieces inv_…'],
    args: [['<call>', 'call id, inv_…']],
    path: '/v1/invocations/{}/pieces',
    columns: {
      number: 'number',
      milestone: 'milestone',
      at: 'at',
      piece: ({ piece }) => JSON.stringify(piece),
    },
  }),
  'agents list': list<Schema<'OwnAgent'>>({
    about: 'lists your agents',
    examples: ['market agents list'],
    path: '/v1/developer/agents',
    columns: {
      agent: 'agent_id',
      status: 'status',
      serves: 'serving_version',
      latest: ({ latest_version: { version, status } }) => `${version} ${status}`,
      badge: 'badge',
      score: 'trust_score',
    },
  }),
  'agents versions': list<Schema<'AgentVersion'>>({
    about: 'lists the versions of one of your agents, newest first',
    examples: ['market agents versions agt_word_counter_v1'],
    args: AGENT,
    agent: findAgent,
    path: '/v1/developer/agents/{}/versions',
    columns: { version: 'version', status: 'status', created: 'created_at', 'live since': 'live_at' },
  }),
  'agents calls': list<Schema<'AgentCall'>>({
    about: 'lists the calls of one of your agents, newest first; buyers and inputs are left out',
    note: '--json has more: sizes, hashes, and whether the answer fits the output schema.',
    examples: ['market agents calls agt_word_counter_v1 --status failed'],
    args: AGENT,
    flags: [['--status <status>', 'pending, running, succeeded, failed or disputed']],
    agent: findAgent,
    path: '/v1/developer/agents/{}/calls',
    filter: { status: 'status' },
    columns: {
      call: 'invocation_id',
      status: 'status',
      error: ({ error }) => error?.code,
      where: ({ failure }) => failure?.schema_path ?? failure?.http_status ?? failure?.phase,
      ms: 'duration_ms',
      trace: 'trace_id',
      accepted: 'invoked_at',
    },
  }),
  'agents notices': list<Schema<'AgentNotice'>>({
    about: 'lists what the service noticed about one of your agents, such as a repeated credential',
    examples: ['market agents notices word-counter'],
    args: AGENT,
    agent: findAgent,
    path: '/v1/developer/agents/{}/notices',
    columns: { 'first seen': 'first_seen_at', version: 'version', code: 'code', message: 'message' },
  }),
  'payouts earnings': list<Schema<'ListEarningsResponse'>['items'][number]>({
    about: 'lists your earnings that are not paid out yet, by the day on which they mature',
    examples: ['market payouts earnings'],
    path: '/v1/billing/developer/earnings',
    columns: {
      'matures on': 'matures_on',
      credits: 'credits',
      calls: 'earnings',
      'of it disputed': 'disputed_credits',
    },
  }),
  'webhooks list': list<Schema<'Webhook'>>({
    about: 'lists your webhooks, newest first',
    examples: ['market webhooks list'],
    path: '/v1/webhooks',
    columns: {
      webhook: 'webhook_id',
      address: 'url',
      state: ({ enabled, disabled_reason }) => (enabled ? 'enabled' : `disabled (${disabled_reason ?? '-'})`),
      agent: 'agent_id',
      types: 'types',
    },
  }),
  'webhooks deliveries': list<Schema<'WebhookDelivery'>>({
    about: 'lists the deliveries of a webhook, newest first, with their last response',
    examples: ['market webhooks deliveries whk_… --status failed'],
    args: [['<webhook>', 'webhook id, whk_…']],
    flags: [['--status <status>', 'pending, delivered, failed or gone']],
    path: '/v1/webhooks/{}/deliveries',
    filter: { status: 'status' },
    columns: {
      delivery: 'delivery_id',
      at: 'created_at',
      type: ({ body }) => body.type,
      status: 'status',
      attempts: ({ attempts }) => attempts.length,
      'last response': ({ attempts }) => attempts.at(-1)?.status ?? attempts.at(-1)?.error,
    },
  }),
};
