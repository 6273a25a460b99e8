/** A manifest to begin with: a paid HTTPS agent that takes a text. */
export const TEMPLATE = JSON.stringify(
  {
    schema_version: '1.0',
    agent_id: 'my-agent',
    display_name: 'My agent',
    description: 'What the agent does, for whom, and what it answers.',
    version: '1.0.0',
    category: 'productivity',
    tags: ['example'],
    pricing: { model: 'per_call', credits_per_call: 2, free_tier_calls: 5 },
    endpoint: { url: 'https://agent.example.com', timeout_ms: 30000 },
    input_schema: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string', maxLength: 2000, description: 'What the agent works on' } },
      additionalProperties: false,
    },
    output_schema: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' } },
      additionalProperties: false,
    },
    examples: [{ input: { text: 'Hello' } }],
    data_handling: { pii_processed: false, data_retention_days: 0, residency: 'eu' },
    capabilities: { streaming: false, idempotent: true },
  },
  null,
  2,
);
