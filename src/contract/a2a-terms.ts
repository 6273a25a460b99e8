/** The extension of agent cards with price, trust and terms: its JSON schema, published at its URI. */
import { Type } from '@sinclair/typebox';
import { strictObject, Timestamp } from './common';
import { DataHandling, Pricing } from './manifest';
import { defineOperation } from './operation';
import { ListingWarranty } from './warranties';

const Uri = Type.String({ format: 'uri' });

/** `params` of the extension. */
const AgentTerms = strictObject({
  price: strictObject({
    currency: Type.Literal('credits'),
    credit_usd: Type.Number({ description: 'What a credit costs, in US dollars' }),
    most_credits: Type.Number({ description: 'The most credits that a call can cost' }),
    ...Pricing.properties,
    next: Type.Optional(
      strictObject(
        {
          effective_at: Timestamp,
          most_credits: Type.Number({ description: 'The most that a call can cost then' }),
          ...Pricing.properties,
        },
        { description: 'An announced price, and from when calls cost it' },
      ),
    ),
  }),
  trust: strictObject({
    score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'Absent: not verified yet' })),
    badge: Type.Optional(Type.String()),
    warranty: Type.Optional(ListingWarranty),
    report_url: Uri,
  }),
  terms: strictObject({
    failed_calls_are_free: Type.Literal(true, { description: 'A call that fails is refunded in full' }),
    dispute_days: Type.Number({ description: 'Days in which a successful call can be disputed' }),
    listing_url: Uri,
    data_handling: DataHandling,
  }),
});

/** The JSON schema, as text. Its format of texts is the service's own, and others do not know it. */
export function agentTermsSchema(uri: string): string {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: uri, ...AgentTerms };
  return JSON.stringify(schema, (key, value: unknown) =>
    key === 'format' && value === 'text' ? undefined : value,
  );
}

export const getAgentTermsSchema = defineOperation({
  id: 'getAgentTermsSchema',
  method: 'get',
  path: '/ext/agent-terms/v1',
  tag: 'A2A',
  summary: 'The JSON schema of the card extension with price, trust and terms',
  description:
    "Of `params` of the extension in an agent's card. The address is the URI of the extension, and its content does not " +
    'change in a way that refuses what it accepted.',
  auth: 'public',
  responses: { 200: { mediaType: 'application/schema+json', description: 'A JSON schema (2020-12)' } },
});
