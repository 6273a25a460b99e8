import { EVENT_BODIES, WebhookEvent } from './event-data';
import { EVENT_WORDS } from './event-words';
import { pascal } from './openapi-responses';
import type { Json, SchemaCollector } from './openapi-schemas';

/** The headers of a request to a webhook, as components. */
export const EVENT_HEADERS: Record<string, Json> = {
  WebhookIdHeader: header('webhook-id', 'Id of the event, the same in every attempt'),
  WebhookTimestampHeader: header('webhook-timestamp', 'Time of the attempt in seconds since 1970'),
  WebhookSignatureHeader: header(
    'webhook-signature',
    'Signatures over `webhook-id.webhook-timestamp.body`, separated by spaces: `v1,` and base64 of an HMAC-SHA256 with ' +
      'the secret, `v1a,` and base64 of an Ed25519 signature for the `public_key` of the webhook',
  ),
};

/** What a receiver may answer, as components. */
export const EVENT_RESPONSES: Record<string, Json> = {
  EventDelivered: { description: 'The event is delivered. Other answers are attempts that failed.' },
  EventGone: { description: 'The receiver is gone: the webhook is disabled.' },
};

const SIGNED =
  'The request that a webhook receives, signed by Standard Webhooks in `webhook-id`, `webhook-timestamp` and ' +
  '`webhook-signature`. The event stream yields the same bodies with the `id` of the event.';

function header(name: string, description: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

function receives(
  operation: { operationId: string; summary: string; description: string },
  schema: Json,
): Json {
  return {
    ...operation,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.keys(EVENT_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { $ref: '#/components/responses/EventDelivered' },
      '410': { $ref: '#/components/responses/EventGone' },
    },
  };
}

/** The `webhooks` of the document: each type of event with the schema of its body. */
export function webhooksOf(schemas: SchemaCollector): Json {
  const test = { when: 'A test event of `POST /v1/webhooks/{webhook_id}/test`.', to: 'that webhook' };
  return Object.fromEntries(
    EVENT_BODIES.map(([type, body]) => {
      const { when, to } = type === 'webhook.test' ? test : EVENT_WORDS[type];
      const operationId = `receive${pascal(type.replaceAll('.', '_'))}`;
      const operation = { operationId, summary: type, description: `${when} Recipients: ${to}.` };
      return [type, { post: receives(operation, schemas.convert(body)) }];
    }),
  );
}

/** Describes what the service sends to a webhook, beside the operation that creates it. */
export function addCallback(paths: Record<string, Json>, schemas: SchemaCollector): void {
  const operation = { operationId: 'receiveEvent', summary: 'Receive an event', description: SIGNED };
  const creation = paths['/v1/webhooks']?.['post'] as Json | undefined;
  if (!creation) return;
  const post = receives(operation, schemas.convert(WebhookEvent));
  creation['callbacks'] = { event: { '{$request.body#/url}': { post } } };
}
