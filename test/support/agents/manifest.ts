import type { Warranty } from '../../../src/domain/bonds/warranty';
import type { JobCapability } from '../../../src/domain/catalogue/capabilities';
import type { ChainIdentity, Pricing } from '../../../src/domain/catalogue/manifest';

/** Values of `testManifest` that a test replaces. */
export interface TestManifestOptions {
  agentId?: string;
  displayName?: string;
  version?: string;
  credits?: number;
  /** Instead of `credits` a call. */
  pricing?: Omit<Pricing, 'free_tier_calls'>;
  freeTierCalls?: number;
  inputSchema?: Record<string, unknown>;
  /** null: none, as in most registrations. */
  outputSchema?: Record<string, unknown> | null;
  streaming?: boolean;
  jobs?: JobCapability;
  timeoutMs?: number;
  maxPayloadBytes?: number;
  idempotent?: boolean;
  a2aInvocable?: boolean;
  acceptsTests?: boolean;
  warranty?: Warranty;
  retentionDays?: number;
  maxConcurrency?: number;
  erc8004?: ChainIdentity[];
}

const ECHO_SCHEMA = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', description: 'What to echo', examples: ['hello', 'good morning'] },
    n: { type: 'integer', description: 'A number to echo', examples: [1, 2] },
  },
  additionalProperties: false,
} as const;

/** A valid manifest of an echo agent at `url`: takes `{text, n?}` and answers the same. */
export function testManifest(url: string, options: TestManifestOptions = {}) {
  const { timeoutMs = 5_000, maxPayloadBytes } = options;
  return {
    schema_version: '1.0',
    agent_id: options.agentId ?? 'echo-agent',
    display_name: options.displayName ?? 'Echo agent',
    description:
      'Echoes the text and the number that it is given. It exists so that the marketplace can be tested.',
    version: options.version ?? '1.0.0',
    author: 'dev_test',
    category: 'other',
    tags: ['test'],
    pricing: {
      ...(options.pricing ?? { model: 'per_call', credits_per_call: options.credits ?? 10 }),
      ...(options.freeTierCalls === undefined ? undefined : { free_tier_calls: options.freeTierCalls }),
    },
    endpoint: {
      url,
      timeout_ms: timeoutMs,
      ...(maxPayloadBytes === undefined ? undefined : { max_payload_bytes: maxPayloadBytes }),
    },
    input_schema: options.inputSchema ?? ECHO_SCHEMA,
    ...((options.outputSchema === null ? {} : { output_schema: options.outputSchema ?? ECHO_SCHEMA }) as {
      output_schema: Record<string, unknown>;
    }),
    ...(options.warranty && { warranty: options.warranty }),
    ...(options.maxConcurrency === undefined ? undefined : { max_concurrency: options.maxConcurrency }),
    ...(options.erc8004 === undefined ? undefined : { erc8004: options.erc8004 }),
    data_handling: {
      pii_processed: false,
      data_retention_days: options.retentionDays ?? 1,
      residency: 'global',
    },
    capabilities: {
      idempotent: options.idempotent ?? false,
      ...(options.streaming === undefined ? undefined : { streaming: options.streaming }),
      ...(options.jobs === undefined ? undefined : { jobs: options.jobs }),
      ...(options.acceptsTests === undefined ? undefined : { accepts_tests: options.acceptsTests }),
      ...(options.a2aInvocable === undefined ? undefined : { a2a_invocable: options.a2aInvocable }),
    },
  };
}
