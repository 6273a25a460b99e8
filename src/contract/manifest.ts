import { Type } from '@sinclair/typebox';
import { JOB_LIMITS as JOBS } from '../domain/catalogue/capabilities';
import {
  CATEGORIES,
  MANIFEST_DEFAULTS,
  MANIFEST_LIMITS as LIMITS,
  PRICING_MODELS,
  RESIDENCIES,
} from '../domain/catalogue/manifest';
import { INPUT_ROLES } from '../domain/catalogue/input-role';
import { METERED_PRICING_MODELS } from '../domain/catalogue/registration-price';
import { VERSION_PATTERN } from '../domain/catalogue/semver';
import { named, Nullable, Slug, strictObject, text } from './common';
import { AcceptsTests } from './acceptance';
import { Warranty } from './warranties';

const DECIMAL = '^(0|[1-9][0-9]{0,5})(\\.[0-9]{1,3})?$';

/** String literals as one `enum`, so that a wrong value gives one validation problem instead of one per literal. */
function oneOf<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: values });
}

export const Category = named('Category', oneOf(CATEGORIES));

export const PricingModel = named('PricingModel', oneOf(PRICING_MODELS));

const Credits = Type.Integer({ minimum: 1, maximum: LIMITS.credits });

const Rate = text({ maxLength: 12, pattern: DECIMAL, description: 'Decimal string' });

/** What metered models need, and the free calls of every model. */
const metered = {
  credits_per_1k_tokens: Type.Optional(Rate),
  credits_per_second: Type.Optional(Rate),
  max_credits_per_call: Type.Optional(Credits),
  free_tier_calls: Type.Optional(
    Type.Integer({ minimum: 0, maximum: LIMITS.freeTierCalls, default: MANIFEST_DEFAULTS.freeTierCalls }),
  ),
};

export const Pricing = named(
  'Pricing',
  strictObject({ model: PricingModel, credits_per_call: Type.Optional(Credits), ...metered }),
);

const MeteredModel = oneOf(METERED_PRICING_MODELS);

/** The pricing of a registration whose calls are metered. */
export const MeteredPricing = named(
  'MeteredPricing',
  strictObject(
    { model: MeteredModel, ...metered },
    { description: 'As in a manifest: `per_token` or `per_second`, its rate, and `max_credits_per_call`' },
  ),
);

/** A change of it: what is left out keeps its value. */
export const MeteredPricingChange = strictObject({ model: Type.Optional(MeteredModel), ...metered });

export const TimeoutMs = Type.Integer({
  minimum: LIMITS.timeoutMinMs,
  maximum: LIMITS.timeoutMs,
  default: MANIFEST_DEFAULTS.timeoutMs,
  description: 'How long the agent may take for an answer, in milliseconds',
});

export const PayloadBytes = Type.Integer({
  minimum: 1,
  maximum: LIMITS.payloadBytes,
  default: MANIFEST_DEFAULTS.payloadBytes,
  description: 'A larger input is refused before it is forwarded',
});

const Endpoint = named(
  'Endpoint',
  strictObject({
    url: Type.String({
      minLength: 1,
      description: 'HTTPS base URL of a public host; the service appends /invoke',
      examples: ['https://agent.example.com'],
    }),
    timeout_ms: Type.Optional(TimeoutMs),
    max_payload_bytes: Type.Optional(PayloadBytes),
  }),
);

export const MaxConcurrency = Type.Integer({
  minimum: 1,
  maximum: LIMITS.concurrency,
  description:
    'Calls of all buyers that the agent takes at once; the next one gets 429 before anything is held',
});

const JsonSchema = (description: string) => Type.Object({}, { additionalProperties: true, description });

export const DataHandling = named(
  'DataHandling',
  strictObject({
    pii_processed: Type.Boolean(),
    data_retention_days: Type.Integer({ minimum: 0, maximum: LIMITS.retentionDays }),
    residency: oneOf(RESIDENCIES),
    subprocessors: Type.Optional(
      Type.Array(text({ minLength: 1, maxLength: 200 }), { maxItems: LIMITS.subprocessors }),
    ),
  }),
);

const Milestones = Type.Array(
  named(
    'Milestone',
    strictObject({
      name: text({ minLength: 1, maxLength: JOBS.milestoneName }),
      percent: Type.Integer({ minimum: 1, maximum: 100, description: 'The part of the price that it earns' }),
    }),
  ),
  {
    minItems: 1,
    maxItems: JOBS.milestones,
    description:
      'Parts of the work that the agent proves with a piece of the answer. If the job fails or is canceled later, those ' +
      'that were reached are charged, rounded down to whole credits. Together at most 100 percent, of a price per call',
  },
);

export const JobCapability = named(
  'JobCapability',
  strictObject(
    {
      max_seconds: Type.Integer({
        minimum: JOBS.secondsMin,
        maximum: JOBS.seconds,
        description: 'How long a job may take, in seconds, from the call to its end',
      }),
      heartbeat_seconds: Type.Optional(
        Type.Integer({
          minimum: JOBS.heartbeatSecondsMin,
          maximum: JOBS.heartbeatSeconds,
          default: JOBS.defaultHeartbeatSeconds,
          description: 'A job whose agent is silent for longer has failed; at most `max_seconds`',
        }),
      ),
      probe_max_seconds: Type.Optional(
        Type.Integer({
          minimum: JOBS.probeSecondsMin,
          maximum: JOBS.probeSeconds,
          default: JOBS.defaultProbeSeconds,
          description:
            'How long verification waits for the job of a probe, from the call to its end; at most `max_seconds`',
        }),
      ),
      milestones: Type.Optional(Milestones),
    },
    {
      description:
        'The agent takes jobs: it may answer 202, or as an MCP server with a task, within its timeout and work on',
    },
  ),
);

export const Capabilities = named(
  'Capabilities',
  strictObject({
    streaming: Type.Optional(Type.Boolean({ default: MANIFEST_DEFAULTS.capabilities.streaming })),
    idempotent: Type.Optional(Type.Boolean({ default: MANIFEST_DEFAULTS.capabilities.idempotent })),
    a2a_invocable: Type.Optional(Type.Boolean({ default: MANIFEST_DEFAULTS.capabilities.a2a_invocable })),
    accepts_tests: AcceptsTests,
    jobs: Type.Optional(JobCapability),
  }),
);

/** The capabilities of a registration. */
export const RegisteredCapabilities = named(
  'RegistrationCapabilities',
  strictObject({
    streaming: Type.Optional(Type.Boolean({ default: false })),
    accepts_tests: AcceptsTests,
    jobs: Type.Optional(JobCapability),
  }),
);
const {
  max_seconds: maxSeconds,
  heartbeat_seconds: heartbeatSeconds,
  probe_max_seconds: probeMaxSeconds,
} = JobCapability.properties;
/** A change of them: what is left out keeps its value. */
export const RegisteredCapabilitiesChange = strictObject({
  streaming: Type.Optional(Nullable(Type.Boolean())),
  accepts_tests: Type.Optional(Nullable(Type.Boolean())),
  jobs: Type.Optional(
    Nullable(
      strictObject({
        max_seconds: Type.Optional(maxSeconds),
        heartbeat_seconds: Type.Optional(Nullable(heartbeatSeconds)),
        probe_max_seconds: Type.Optional(Nullable(probeMaxSeconds)),
        milestones: Type.Optional(Nullable(Milestones)),
      }),
    ),
  ),
});

const Example = named(
  'ManifestExample',
  strictObject(
    {
      input: Type.Object({}, { additionalProperties: true, description: 'A valid input' }),
      output: Type.Optional(Type.Unknown({ description: 'What the agent must answer' })),
      match: Type.Optional(
        Type.Unsafe<'exact' | 'subset'>({
          type: 'string',
          enum: ['exact', 'subset'],
          default: 'exact',
          description: '`subset`: the answer must contain `output`, and may contain more',
        }),
      ),
      tolerance: Type.Optional(
        Type.Number({ minimum: 0, default: 0, description: 'By how much numbers may differ' }),
      ),
    },
    { description: 'An example call. Verification sends it in every run, and the agent must answer it' },
  ),
);

export const InputSchema = JsonSchema('JSON Schema draft 2020-12 of the input, at most 64 KiB');
export const OutputSchema = JsonSchema('JSON Schema draft 2020-12 of the output, at most 64 KiB');
export const Examples = Type.Array(Example, { maxItems: LIMITS.examples });
export const Description = text({ minLength: LIMITS.descriptionMin, maxLength: LIMITS.description });

export const InputRole = named(
  'InputRole',
  Type.Unsafe<(typeof INPUT_ROLES)[number]>({
    type: 'string',
    enum: [...INPUT_ROLES],
    description:
      '`data`: the input is worked on, so that following instructions in it is an injection; ' +
      '`instructions`: the input is the message of a user whom the agent follows',
  }),
);

export const VersionNumber = text({
  maxLength: 29,
  pattern: VERSION_PATTERN,
  description: 'MAJOR.MINOR.PATCH',
});

const ChainIdentity = named(
  'Erc8004Identity',
  strictObject(
    {
      agent_id: text({ maxLength: 78, pattern: '^(0|[1-9][0-9]{0,77})$', description: 'A uint256, as text' }),
      registry: text({
        maxLength: 66,
        pattern: '^eip155:[1-9][0-9]{0,15}:0x[0-9a-fA-F]{40}$',
        description: 'The chain and the address of the registry; mixed case must be its EIP-55 checksum',
      }),
    },
    { description: 'An identity of the agent in a registry of ERC-8004. The service does not look it up' },
  ),
);

/** The manifest (specification, "Manifest"). Rules across fields are in `domain/catalogue/manifest.ts`. */
export const Manifest = named(
  'Manifest',
  strictObject({
    schema_version: Type.Literal('1.0'),
    agent_id: Slug,
    display_name: text({ minLength: 1, maxLength: LIMITS.displayName, pattern: '\\S' }),
    description: Description,
    version: VersionNumber,
    changelog: Type.Optional(text({ minLength: 1, maxLength: LIMITS.changelog })),
    author: Type.Optional(
      text({
        maxLength: 96,
        pattern: '^dev_[a-z0-9]+(-[a-z0-9]+)*$',
        description: "Always the publishing developer's id",
      }),
    ),
    homepage: Type.Optional(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2_048 })),
    category: Category,
    tags: Type.Optional(
      Type.Array(text({ minLength: 1, maxLength: LIMITS.tag, pattern: '\\S' }), { maxItems: LIMITS.tags }),
    ),
    pricing: Pricing,
    endpoint: Endpoint,
    input_schema: InputSchema,
    output_schema: OutputSchema,
    examples: Type.Optional(Examples),
    input_role: Type.Optional(InputRole),
    data_handling: DataHandling,
    capabilities: Type.Optional(Capabilities),
    max_concurrency: Type.Optional(MaxConcurrency),
    warranty: Type.Optional(Warranty),
    erc8004: Type.Optional(Type.Array(ChainIdentity, { maxItems: LIMITS.identities })),
  }),
);
