import { EVENT_WORDS } from '../../src/contract/event-words';
import { EVENT_TYPES } from '../../src/domain/webhooks/event';
import { EVENT_EXAMPLES } from './event-examples';
import { generated } from './table';

/** docs/reference/events.md: every type of event with an example. */
export function eventsPage(): string {
  const sections = EVENT_TYPES.map((type) => {
    const { when, to } = EVENT_WORDS[type];
    const body = { type, timestamp: '2026-11-02T09:12:44.000Z', data: EVENT_EXAMPLES[type] };
    return `## ${type}\n\n${when} Recipients: ${to}.\n\n\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\``;
  });
  return `${generated(
    'Events',
    '`src/contract/event-words.ts` and `tools/reference/event-examples.ts`',
    'A webhook receives the events of the types that it names. [Webhooks](../webhooks.md) has signatures, retries and redelivery. Delivery is at\nleast once, in no guaranteed order. The header `webhook-id` is the same in every attempt. [The event stream](../webhooks.md#the-event-stream) has\nthe same types, each event once, with its id as `id` in the data.',
    'Members can be added to `data`. Their names and meanings do not change. Amounts are in credits, times in UTC. An event contains no input, no\noutput and no text that people wrote, except the explanation of a slash.',
  )}

${sections.join('\n\n')}

## webhook.test

A test event of \`POST /v1/webhooks/{webhook_id}/test\`. Its \`data\` has the \`webhook_id\`. Recipients: that webhook.
`;
}
