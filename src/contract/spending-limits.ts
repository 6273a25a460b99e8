/** What an API key, or a grant of OAuth, may spend, and on which agents. */
import { Type } from '@sinclair/typebox';
import {
  CAP_WINDOWS,
  MAX_CAP_CREDITS,
  MOST_LISTED_AGENTS,
  type CapWindow,
} from '../domain/accounts/oauth-grant';
import { AgentId, Nullable, Timestamp } from './common';

export const Window = Type.Unsafe<CapWindow>({
  type: 'string',
  enum: [...CAP_WINDOWS],
  description:
    'When the cap begins anew: never, or with a day, week (from Monday) or month of the account (`time_zone` of its profile)',
});

const limit = (maximum: number) => Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum })));

export const agentList = (maxItems: number) =>
  Nullable(Type.Array(AgentId, { minItems: 1, maxItems, uniqueItems: true }));

/** The fields of a request; null removes a limit. */
export const limitWishes = {
  credit_cap: limit(MAX_CAP_CREDITS),
  credit_cap_window: Type.Optional(Window),
  call_cap: limit(MAX_CAP_CREDITS),
  min_trust_score: limit(100),
  agents: Type.Optional(agentList(MOST_LISTED_AGENTS)),
};

/** The fields of a response. */
export const limitFields = {
  credit_cap: Nullable(Type.Integer({ minimum: 0, description: 'Maximum credits in each window' })),
  credit_cap_window: Window,
  used_credits: Type.Number({
    description:
      'Counts against the cap now: charges of calls that were accepted in the window, and what those in flight hold',
  }),
  window_ends_at: Type.Union([Timestamp, Type.Null()], {
    description: 'When the cap begins anew; null for a cap over the lifetime',
  }),
  time_zone: Type.String({ description: 'In which days, weeks and months begin', examples: ['UTC'] }),
  call_cap: Nullable(Type.Integer({ minimum: 0, description: 'Maximum credits of one call' })),
  min_trust_score: Nullable(Type.Integer({ description: 'The lowest trust score of an agent' })),
  agents: Nullable(Type.Array(Type.String(), { description: 'The only agents that may be called' })),
};
