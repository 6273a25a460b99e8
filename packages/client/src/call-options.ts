import type { components } from './api-types.d.ts';
import type { TimeLimits } from './time-limits.ts';

type Schemas = components['schemas'];

export interface CallOptions extends TimeLimits {
  /** Ceiling of the call in whole credits. */
  maxCostCredits?: number;
  /** A repeated call with the same key is charged once. Default: a random key for each call. */
  idempotencyKey?: string;
  mandate?: Schemas['PresentedMandate'];
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

export function callBody({ maxCostCredits, mandate }: CallOptions) {
  return {
    ...(maxCostCredits !== undefined && { max_cost_credits: maxCostCredits }),
    ...(mandate && { mandate }),
  };
}
