/** What an agent's answer is, how large it may be, and what is known of one that failed. */
import type { ConnectionCause } from '../../../domain/calls/connection-cause';
import type { JobTaken } from '../../../domain/jobs/job-taken';
import { type ErrorCode, MarketError } from '../../../domain/errors';
import type { Egress } from '../../../egress/agent-call';
import { connectionCause, EgressError, egressErrorToCode } from '../../../egress/egress-error';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { McpClient } from '../../mcp/client';
import { isInvalidParams } from '../../mcp/protocol';
import type { AnswerReview } from '../answers/answer-task';
import type { AnswerThreads } from '../answers/answer-threads';
import type { AgentEnvelopes, OutgoingCall } from './agent-envelope';
import type { Perform } from './agent-streamer';
import type { Delivery } from './delivery';
import type { CallOutput } from './in-flight';

/** Largest answer of an agent. */
export const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/** Longest text whose tokens are counted for billing. */
const MAX_COUNTED_BYTES = 1024 * 1024;
/** Every agent may answer so much. */
export const LEAST_ANSWER_LIMIT = Math.min(MAX_ANSWER_BYTES, MAX_COUNTED_BYTES);

/**
 * `delivered`: a piece of the answer was to be delivered, so the call must not be retried. `status`: the HTTP status;
 * undefined without a response.
 */
export type AgentAnswer = { durationMs: number; delivered: boolean; status?: number | undefined } & (
  ({ ok: true } & CallOutput) | FailedAnswer
);

/** The agent has accepted the call as a job. */
export type TakenAnswer = JobTaken & { ok: 'taken'; durationMs: number; status: number };

export interface FailedAnswer {
  ok: false;
  code: ErrorCode;
  /** The agent asked a question, which no buyer of a probe can answer. */
  isAsking?: true;
  /** An A2A agent has rejected the task. */
  isRejected?: true;
  agentMessage?: string | undefined;
  /** What is wrong with the response, for the owner of the agent. */
  problem?: string | undefined;
  /** Why no response came, for the owner of the agent. */
  cause?: ConnectionCause | undefined;
  /** The pause that the agent asks for (Retry-After). */
  retryAfterMs?: number | undefined;
  /** An MCP server refused the arguments of its tool. */
  isInputRefused?: boolean;
}

export interface AgentCallerDeps {
  egress: Egress;
  envelopeOf: AgentEnvelopes['of'];
  mcp: McpClient;
  answerThreads: Pick<AnswerThreads, 'perform'>;
  /** Throws for a tool that buyers are not served. */
  requireTool(versionId: string, tool: string): Promise<void>;
}

/** Large answers are read in the turn of the agent's developer. */
export function performFor(
  { answerThreads }: AgentCallerDeps,
  { version }: OutgoingCall,
  review?: () => AnswerReview,
): Perform {
  return (task, source, isFinal = true) =>
    answerThreads.perform(version.developerUserId, task, source, isFinal ? review : undefined);
}

/** Largest input of an agent. An input billed by tokens must also be small enough to be counted. */
export function inputLimit({ terms, maxPayloadBytes }: ServingVersion): number {
  return terms.model === 'per_token' ? Math.min(maxPayloadBytes, MAX_COUNTED_BYTES) : maxPayloadBytes;
}

/** Largest answer of an agent. */
export function answerLimit(version: ServingVersion): number {
  return version.terms.model === 'per_token' ? MAX_COUNTED_BYTES : MAX_ANSWER_BYTES;
}

/** Self-hosted agents may answer with any content type, unless they declare a schema of their answers. */
export function mayAnswerAnyType({ kind, outputSchema }: ServingVersion): boolean {
  return kind === 'http' && outputSchema === null;
}

/** What is known of a call that the agent failed. Throws what is no fault of the agent. */
export function failureOf(
  error: unknown,
  delivery: Delivery | null = null,
): Pick<FailedAnswer, 'code' | 'isRejected' | 'agentMessage' | 'problem' | 'cause' | 'isInputRefused'> {
  if (error instanceof MarketError) {
    const [first] = error.detail ?? [];
    const problem = first && `/${first.loc.join('/')} ${first.msg}`;
    const isInputRefused = isInvalidParams(error);
    const isRejected = first?.type === 'rejected' && { isRejected: true as const };
    const { agentMessage } = error;
    return { code: codeOf(error, delivery), agentMessage, problem, isInputRefused, ...isRejected };
  }
  if (!(error instanceof EgressError)) throw error;
  return { code: codeOf(error, delivery), agentMessage: undefined, cause: connectionCause(error) };
}

function codeOf(error: EgressError | MarketError, delivery: Delivery | null): ErrorCode {
  if (delivery?.closed.aborted) return 'client_closed';
  return error instanceof EgressError ? egressErrorToCode(error.kind) : error.code;
}
