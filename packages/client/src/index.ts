import type { components } from './api-types.d.ts';

export { createClient } from './client.ts';
export type { CallOptions, ChatEvent, ClientOptions, MarketClient, Send } from './client.ts';
export { MarketApiError } from './errors.ts';
export type { ErrorCode, FieldProblem } from './errors.ts';
export { serverEvents } from './events.ts';
export { verifyWebhook, WebhookVerificationError } from './webhooks.ts';
export type { HeadersLike, MarketEvent, VerifiedRequest, VerifyOptions } from './webhooks.ts';
export type { components, operations, paths } from './api-types.d.ts';

/** A schema of the API by its name: `Schema<'Listing'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
