import type { AnswerFindings } from '../../../domain/calls/answer-findings';
import type { ErrorCode } from '../../../domain/errors';
import type { FailureFacts } from '../../../domain/calls/failure-facts';
import type { ForwardStep } from '../../../domain/calls/invocation-steps';
import type { Truncation } from '../../../domain/catalogue/truncation';
import type { AcceptResult, ForwardedItem } from '../../../stores/calls/call-batches';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { ToolCaller } from '../../mcp/caller';
import type { KnownAcceptance } from '../answers/acceptance';
import type { ChunkSink, Delivery } from './delivery';

/** The agent's answer to a call in flight, ready to be delivered to the caller. */
export interface CallOutput {
  /** The agent's answer, serialised again as JSON. An answer that was not JSON is one JSON string. */
  json: Buffer;
  /** The SHA-256 of the answer's canonical JSON, or of the agent's bytes if they were not JSON; in hex. */
  sha256: string;
  /** Set when the answer was not JSON. */
  plain: PlainAnswer | null;
  /** The result of an MCP tool that reports its own failure. It is delivered and costs nothing. */
  isToolError: boolean;
  /** Set for a streamed answer that ended early: the output is `{text}` with what was delivered. */
  truncatedBy: Truncation | null;
  /** What the thread that read a large answer found out about it: its verdict, and the tokens of its beginning. */
  found?: AnswerFindings | undefined;
}

/** An answer that was not JSON, delivered as a string. */
export interface PlainAnswer {
  /** The media type, as the agent sent it. */
  contentType: string;
  /** The bytes are not UTF-8, so the string is their base64. */
  isBase64: boolean;
  /** Number of the agent's bytes. */
  bytes: number;
}

/** What pays a call whose caller has no account (ADR 0309). `src/services/x402` makes it. */
export interface CallPayment {
  /**
   * Credits the payer's wallet and accepts the call, in one transaction; a refusal leaves neither. `holdsAtOnce`: with
   * its hold and the permit to forward it. Throws `idempotency_key_reused` and `payment_invalid`.
   */
  accept: (item: ForwardedItem, holdsAtOnce: boolean) => Promise<AcceptResult>;
  /**
   * Settles the payment of a call whose answer is valid. Returns undefined once it has arrived, else the code with
   * which the call fails. Never throws.
   */
  settle: (invocationId: string) => Promise<ErrorCode | undefined>;
}

/** A call of an address that pays by x402. Without `payment`, credits that earlier payments left pay it. */
export interface PayingCaller {
  payment?: CallPayment;
}

export interface CallUsage {
  tokensIn: number;
  tokensOut: number;
  durationMs: number;
  chargedCredits: number;
}

export type CallResult = { ok: true; output: CallOutput; usage: CallUsage } | CallFailure;

export interface CallFailure {
  ok: false;
  code: ErrorCode;
  message?: string;
  /** Why the agent refused the request, in its own words. */
  agentMessage?: string;
  /** The process stops: the caller gets an answer, and a workflow drives the call to its end. */
  isGivenUp?: true;
}

export interface InFlightCall {
  invocationId: string;
  buyerUserId: string;
  version: ServingVersion;
  /** The amount of the call's hold, in units. */
  priceUnits: number;
  /** A call of the free tier. */
  free: boolean;
  /** The buyer's max_cost_credits. */
  ceilingCredits: number | null;
  /** Tokens of the input; null when they have not been counted. */
  tokensIn: number | null;
  /** The input, kept when its tokens are counted together with those of the answer. */
  uncountedInput?: Buffer;
  traceId: string;
  /** Number of calls of this service that led to this one. */
  hops: number;
  /** The bytes for the agent; null once they have been sent. */
  input: Buffer | null;
  /** The content type of the input; default: JSON. */
  inputType?: string;
  /** The conversation with an A2A agent that the call belongs to, if its input names none. */
  conversation?: string | undefined;
  /** The tests that its buyer has set for the answer. */
  acceptance?: KnownAcceptance | undefined;
  output: CallOutput | null;
  /** The SHA-256 of the answer's canonical JSON, in hex; set when the answer has been validated. */
  outputSha256: string | null;
  /** Tokens, time and cost of the call; set when the answer has been validated. */
  usage: CallUsage | null;
  durationMs: number;
  /** What is known about the failure of the call. */
  failure: FailureFacts | null;
  keyed: boolean;
  /** The buyer keeps inputs and outputs of its calls. */
  keepsBodies: boolean;
  /** An A2A task: a worker carries it out, and its answer is stored until a client polls for it. */
  task?: true;
  /** Its agent has accepted it as a job (ADR 0304). */
  isJob?: true;
  /** The caller does not wait: the answer is stored until it is fetched. */
  detached?: true;
  /** What pays the call of a caller without an account, once its answer is valid. */
  payment?: Pick<CallPayment, 'settle'>;
  /** Set for a caller who asked for the answer as a stream. */
  sink: ChunkSink | null;
  /** The client of MCP that hears of the call while it runs. */
  toolCaller?: ToolCaller;
  /** What was delivered to the sink. Set when the call is forwarded. */
  delivery: Delivery | null;
  /** Aborts when a caller who waits for the whole answer has disconnected. */
  gone: AbortSignal | null;
  openedAtMs: number;
  done: Promise<CallResult>;
  /** Aborts when the call is over, so that the connection to an agent still working on a disputed call is closed. */
  ended: AbortSignal;
  /**
   * When the process was permitted to forward the call, with its hold (`Date.now()`); null when the forward step must
   * ask.
   */
  permittedAtMs: number | null;
  /** The hold was placed when the call was accepted. */
  held: boolean;
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
  | 'delivery'
  | 'finish'
  | 'output'
  | 'outputSha256'
  | 'usage'
  | 'failure'
  | 'durationMs'
  | 'openedAtMs'
>;

/** Finds the calls in flight of this process by their invocation id. */
export interface InFlightCalls {
  find(invocationId: string): InFlightCall | undefined;
}
