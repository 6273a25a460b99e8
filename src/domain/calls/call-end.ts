import type { ErrorCode } from '../errors';

export type Surface = 'invoke' | 'chat' | 'use' | 'mcp' | 'a2a';

/**
 * How a call ended for whoever asked for it, to be counted. `refused`: it did not run. `joined`: the answer, or the
 * failure, of an earlier call with the same idempotency key.
 */
export interface CallEnd {
  surface: Surface;
  outcome: 'succeeded' | 'failed' | 'refused' | 'joined';
  /** Why it did not succeed. */
  code: ErrorCode | null;
  seconds: number;
  /** The agent's part of a success. */
  agentSeconds: number | null;
}
