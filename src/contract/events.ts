import { Type } from '@sinclair/typebox';
import { STREAM_LIFE_MS } from '../domain/webhooks/event-stream';
import { strictObject, text } from './common';
import { defineOperation } from './operation';
import { EventTypes } from './webhooks';

/** The `id` of an event: its position in the stream. */
const Position = text({ maxLength: 16, pattern: '^[0-9]{1,16}$', description: 'The `id` of the last event' });

export const streamEvents = defineOperation({
  id: 'streamEvents',
  method: 'get',
  path: '/v1/events/stream',
  tag: 'Webhooks',
  summary: 'Stream the events of your account',
  description:
    'Server-sent events: the events that webhooks of the account could receive, without a public address. Each `data:` ' +
    'is JSON `{id, type, timestamp, data}`; `id` is the `webhook-id` of the event. The first one has the name `ready` and ' +
    'is `{complete}`. `Last-Event-ID`, or `after`, resumes behind an event for a day after the last stream of the account; ' +
    '`complete: false` means that events may be missing. A comment every 15 s keeps the connection open. A stream ends ' +
    `after ${STREAM_LIFE_MS / 60_000} minutes; connect again with \`Last-Event-ID\`.`,
  auth: { scope: 'webhooks:manage' },
  headers: strictObject({ 'Last-Event-ID': Type.Optional(Position) }),
  query: strictObject({
    type: Type.Optional(EventTypes),
    after: Type.Optional(Position),
  }),
  responses: { 200: { mediaType: 'text/event-stream', description: 'The events, as they happen' } },
  errors: ['concurrency_limited', 'invalid_header'],
});

export const eventOperations = [streamEvents];
