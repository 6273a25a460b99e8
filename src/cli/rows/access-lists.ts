import type { Schema } from '../api-schema';
import { findAgent } from '../connect';
import type { ListRow } from '../row-verbs';

const list = <T>(row: ListRow<T>) => row;

/** The lists of private agents and of requests for access to them, by the words behind `market`. */
export const ACCESS_LISTS = {
  'agents shared': list<Schema<'Listing'>>({
    about: 'lists the private agents of others that you may call',
    examples: ['market agents shared'],
    path: '/v1/shared-agents',
    columns: { agent: 'agent_id', name: 'display_name', badge: 'badge', score: 'trust_score' },
  }),
  'access requests': list<Schema<'AccessRequest'>>({
    about: 'lists the requests for access to one of your agents, newest first',
    examples: ['market access requests agt_word_counter_v1 --state pending'],
    args: [['<agent>', 'agent id or slug']],
    flags: [['--state <state>', 'pending, granted or refused']],
    agent: findAgent,
    path: '/v1/developer/agents/{}/access-requests',
    filter: { state: 'state' },
    columns: {
      request: 'request_id',
      state: 'state',
      account: 'account_id',
      name: 'name',
      reason: 'reason',
      asked: 'asked_at',
    },
  }),
  'access waiting': list<Schema<'AccessRequest'>>({
    about: 'lists the requests for access to your agents that wait for your decision, newest first',
    examples: ['market access waiting'],
    path: '/v1/developer/access-requests',
    columns: {
      request: 'request_id',
      agent: 'agent_id',
      account: 'account_id',
      name: 'name',
      reason: 'reason',
      asked: 'asked_at',
    },
  }),
  'access list': list<Schema<'AccessRequest'>>({
    about: 'lists your requests for access to private agents, newest first',
    examples: ['market access list'],
    path: '/v1/access-requests',
    login: true,
    columns: {
      request: 'request_id',
      agent: 'agent_id',
      state: 'state',
      asked: 'asked_at',
      decided: 'decided_at',
    },
  }),
} as const;
