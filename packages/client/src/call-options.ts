import type { components } from './api-types.d.ts';
import type { TimeLimits } from './time-limits.ts';

type Schemas = components['schemas'];

/**
 * Called once for each question that the agent of a job asks. The input that it returns, which matches the schema of
 * the question, is sent as the answer. With undefined the question stays open: `invocations.answer` answers it.
 */
export type OnQuestion = (
  question: Schemas['Question'],
  call: Schemas['InvocationDetail'],
) => QuestionInput | Promise<QuestionInput>;
type QuestionInput = Record<string, unknown> | undefined;

export interface CallOptions extends TimeLimits {
  /** Ceiling of the call in whole credits. */
  maxCostCredits?: number;
  /** A repeated call with the same key is charged once. Default: a random key for each call. */
  idempotencyKey?: string;
  /** Pairs of your own, such as a project, by which you find and sum your calls. The agent does not get them. */
  metadata?: Schemas['Metadata'];
  /** Tests of the answer: the call is paid only if it passes them. For agents that declare `accepts_tests`. */
  accept?: Schemas['Accept'];
  mandate?: Schemas['PresentedMandate'];
  /** For a job: answers what its agent asks. */
  onQuestion?: OnQuestion | undefined;
  signal?: AbortSignal | undefined;
}

export function keyHeader({ idempotencyKey }: CallOptions): { 'Idempotency-Key'?: string } {
  return idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
}

/** The time limits and the signal of a request, as openapi-fetch passes them on. */
export function limitsOf({
  signal,
  timeoutMs,
  totalTimeoutMs,
}: TimeLimits & { signal?: AbortSignal | undefined }) {
  return {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(totalTimeoutMs !== undefined && { totalTimeoutMs }),
  };
}

export function callBody({ maxCostCredits, metadata, accept, mandate }: CallOptions) {
  return {
    ...(maxCostCredits !== undefined && { max_cost_credits: maxCostCredits }),
    ...(metadata && { metadata }),
    ...(accept && { accept }),
    ...(mandate && { mandate }),
  };
}
