import type { ErrorCode } from '../domain/errors';
import type { ServingVersion } from '../stores/serving-versions';

/**
 * The calls in flight of this process: their bodies, and the promise that their callers wait on. Bodies and sockets
 * never leave the process that accepted the call; the workflow's steps find them here by invocation id.
 */
export interface CallOutput {
  /** The agent's answer, re-serialised JSON. */
  json: Buffer;
}

export interface CallUsage {
  tokensIn: number;
  tokensOut: number;
  durationMs: number;
  chargedCredits: number;
}

export type CallResult =
  { ok: true; output: CallOutput; usage: CallUsage } | { ok: false; code: ErrorCode; message?: string };

export interface InFlightCall {
  invocationId: string;
  buyerUserId: string;
  version: ServingVersion;
  /** What the buyer pays on success; 0 for a call of the free tier. */
  priceUnits: number;
  traceId: string;
  /** What is sent to the agent; dropped as soon as it was sent. */
  input: Buffer | null;
  output: CallOutput | null;
  /** Of the canonical JSON; set when the answer has been validated. */
  outputSha256: string | null;
  durationMs: number;
  keyed: boolean;
  openedAtMs: number;
  done: Promise<CallResult>;
  finish(result: CallResult): void;
}

export type NewCall = Omit<
  InFlightCall,
  'done' | 'finish' | 'output' | 'outputSha256' | 'durationMs' | 'openedAtMs'
>;

export interface InvocationRegistry {
  readonly owner: string;
  readonly size: number;
  open(call: NewCall): InFlightCall;
  find(invocationId: string): InFlightCall | undefined;
  /** Ids of calls that have been open for longer than `ageMs`. */
  olderThan(ageMs: number): string[];
}

export function createInvocationRegistry(owner: string): InvocationRegistry {
  const calls = new Map<string, InFlightCall>();
  return {
    owner,
    get size() {
      return calls.size;
    },
    open(call) {
      let resolve: (result: CallResult) => void = () => {};
      const done = new Promise<CallResult>((settle) => (resolve = settle));
      const entry: InFlightCall = {
        ...call,
        output: null,
        outputSha256: null,
        durationMs: 0,
        openedAtMs: performance.now(),
        done,
        finish(result) {
          entry.input = null;
          entry.output = null;
          calls.delete(entry.invocationId);
          resolve(result);
        },
      };
      calls.set(entry.invocationId, entry);
      return entry;
    },
    find: (invocationId) => calls.get(invocationId),
    olderThan(ageMs) {
      const limit = performance.now() - ageMs;
      return [...calls.values()].filter((call) => call.openedAtMs < limit).map((call) => call.invocationId);
    },
  };
}
