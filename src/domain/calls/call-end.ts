import type { ErrorCode } from '../errors';

export type Surface = 'invoke' | 'chat' | 'use' | 'mcp' | 'a2a';

/**
 * How a call ended for the caller; counted in the metrics. `refused`: the call did not run. `joined`: the
 * caller received the answer or failure of an earlier call with the same idempotency key.
 */
export interface CallEnd {
  surface: Surface;
  outcome: 'succeeded' | 'failed' | 'refused' | 'joined';
  /** The error code; null when the call succeeded. */
  code: ErrorCode | null;
  seconds: number;
  /** The part of `seconds` that the agent took; null unless the call succeeded. */
  agentSeconds: number | null;
  /** The agent had accepted it as a job; `seconds` count from then on, and are 0 if it failed. */
  isJob?: true;
}
