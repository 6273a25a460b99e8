import type { ErrorCode } from '../../domain/errors';
import type { ForwardStep } from '../../domain/calls/invocation-steps';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';

/**
 * The calls in flight of this process: their bodies, and the promise that their callers wait on. Bodies and sockets
 * never leave the process that accepted the call; the workflow's steps find them here by invocation id.
 */
export interface CallOutput {
  /** The agent's answer, re-serialised JSON; of an answer that was not JSON, a JSON string. */
  json: Buffer;
  /** Set when the answer was not JSON. */
  plain: PlainAnswer | null;
  /** The result of an MCP tool that says itself that it failed: it is delivered, and costs nothing. */
  isToolError: boolean;
}

/** An answer that was not JSON, delivered as a string. */
export interface PlainAnswer {
  /** A media type, as the agent named it. */
  contentType: string;
  /** The bytes are not UTF-8, so the string is their base64. */
  isBase64: boolean;
  /** Of the agent's bytes. */
  sha256: string;
}

export interface CallUsage {
  tokensIn: number;
  tokensOut: number;
  durationMs: number;
  chargedCredits: number;
}

export type CallResult =
  { ok: true; output: CallOutput; usage: CallUsage } | { ok: false; code: ErrorCode; message?: string };

/** Where the pieces of a streamed answer go while the agent still speaks. */
export interface ChunkSink {
  /** Resolves when the client may take more: nothing further is read from the agent before that. */
  write(chunk: string): Promise<void>;
  /** Aborts when the client has gone: the agent's call ends within a second and the buyer is refunded. */
  readonly closed: AbortSignal;
}

export interface InFlightCall {
  invocationId: string;
  buyerUserId: string;
  version: ServingVersion;
  /** What the call holds, in units. */
  priceUnits: number;
  /** A call of the free tier. */
  free: boolean;
  /** The buyer's max_cost_credits. */
  ceilingCredits: number | null;
  /** Tokens of the input, where they have been counted. */
  tokensIn: number | null;
  /** The input, where its tokens are counted with those of the answer. */
  uncountedInput?: Buffer;
  traceId: string;
  /** How many calls of this service led to this one. */
  hops: number;
  /** What is sent to the agent; dropped as soon as it was sent. */
  input: Buffer | null;
  /** The content type of the input; default: JSON. */
  inputType?: string;
  output: CallOutput | null;
  /** Of the canonical JSON; set when the answer has been validated. */
  outputSha256: string | null;
  /** What the call used and costs; set when the answer has been validated. */
  usage: CallUsage | null;
  durationMs: number;
  keyed: boolean;
  /** A task of agents for agents: a worker carries it out, and its answer waits for whoever polls. */
  task?: true;
  /** Set for a caller who wants the answer while it is made. */
  sink: ChunkSink | null;
  /** Aborts when a caller who waits for the whole answer has gone. */
  gone: AbortSignal | null;
  openedAtMs: number;
  done: Promise<CallResult>;
  /** Aborts when the call is over: an agent that still works on a disputed call is hung up on. */
  ended: AbortSignal;
  /** When the hold step was permitted to forward the call too (`Date.now()`); null when forwarding must ask. */
  permittedAtMs: number | null;
  /** The forward step, running or done. */
  forwarding: Promise<ForwardStep> | null;
  finish(result: CallResult): void;
}

export type NewCall = Omit<
  InFlightCall,
  | 'done'
  | 'ended'
  | 'permittedAtMs'
  | 'uncountedInput'
  | 'forwarding'
  | 'finish'
  | 'output'
  | 'outputSha256'
  | 'usage'
  | 'durationMs'
  | 'openedAtMs'
>;

export interface InvocationRegistry {
  readonly owner: string;
  readonly size: number;
  open(call: NewCall): InFlightCall;
  find(invocationId: string): InFlightCall | undefined;
  /** Ends what still runs: its callers get a retryable `engine_unavailable`, its workflows refund. */
  endAll(): void;
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
      const over = new AbortController();
      const entry: InFlightCall = {
        ...call,
        output: null,
        outputSha256: null,
        usage: null,
        durationMs: 0,
        openedAtMs: performance.now(),
        done,
        ended: over.signal,
        permittedAtMs: null,
        forwarding: null,
        finish(result) {
          entry.input = null;
          entry.output = null;
          calls.delete(entry.invocationId);
          over.abort();
          resolve(result);
        },
      };
      calls.set(entry.invocationId, entry);
      return entry;
    },
    find: (invocationId) => calls.get(invocationId),
    endAll() {
      for (const call of [...calls.values()]) call.finish({ ok: false, code: 'engine_unavailable' });
    },
    olderThan(ageMs) {
      const limit = performance.now() - ageMs;
      return [...calls.values()].filter((call) => call.openedAtMs < limit).map((call) => call.invocationId);
    },
  };
}
