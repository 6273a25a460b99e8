import type { components } from './api-types.d.ts';

export { createClient } from './client.ts';
export type { CallOptions, OnQuestion } from './call-options.ts';
export type { ClientOptions, EventOptions, MarketClient, Send } from './client.ts';
export { MarketApiError } from './errors.ts';
export type { ErrorCode, FieldProblem, TransportCode } from './errors.ts';
export type { CallWaitOptions, Invocations, QuestionAnswer, WaitOptions } from './invocations.ts';
export type { RetryOptions } from './retry.ts';
export type { AccountEvent, ChatEvent } from './streams.ts';
export type { TimeLimits } from './time-limits.ts';
export { serverEvents } from './events.ts';
export { verifyWebhook, WebhookVerificationError } from './webhooks.ts';
export type { HeadersLike, MarketEvent, MarketEventOf, VerifiedRequest, VerifyOptions } from './webhooks.ts';
export type { components, operations, paths } from './api-types.d.ts';

/** A schema of the API by its name: `Schema<'Listing'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
