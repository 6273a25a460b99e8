export interface FieldHelp {
  meaning: string;
  /** A value that the service refuses; absent: the field is left out. */
  wrong?: unknown;
  /** No value is refused. */
  takesAnything?: true;
  /** When the field is needed, if neither always nor never. */
  need?: string;
  /** Instead of the value in the example of the page. */
  example?: unknown;
}

/** Each field of the manifest by its path. The page does not compile without a line for each. */
export const FIELD_HELP: Record<string, FieldHelp> = {
  max_concurrency: {
    meaning:
      'Calls of all buyers that the agent takes at once. The next one gets 429 with `Retry-After` before anything is held',
    wrong: 0,
    need: 'none',
    example: 4,
  },
  schema_version: { meaning: 'Version of this format', wrong: '2.0' },
  agent_id: {
    meaning:
      'Slug: lower-case letters, digits and single hyphens. It belongs to the developer who publishes it first',
    wrong: 'Word Counter',
  },
  display_name: { meaning: 'Name in listings', wrong: '' },
  description: {
    meaning: 'What the agent does, for buyers and for assistants that choose a tool',
    wrong: 'Counts.',
  },
  version: {
    meaning:
      'MAJOR.MINOR.PATCH, above the latest one. Each major version has an id of its own (`agt_word_counter_v1`)',
    wrong: '1.0',
  },
  changelog: {
    meaning: 'What is new in this version. Buyers read it in the list of versions, at most 2,000 characters',
    wrong: '',
    need: 'optional',
  },
  author: { meaning: 'Always the id of the publishing developer', wrong: 'Ada', need: 'set by the service' },
  homepage: { meaning: 'Page for buyers', wrong: 'example.com' },
  category: { meaning: 'Group in listings', wrong: 'text' },
  tags: { meaning: 'Words for the search', wrong: [''], need: '`[]`' },
  pricing: { meaning: '[Pricing models](pricing.md)' },
  'pricing.model': { meaning: 'How a call is priced', wrong: 'per_month' },
  'pricing.credits_per_call': {
    meaning: 'The price of a call, in credits',
    wrong: 0,
    need: 'with `per_call`',
  },
  'pricing.credits_per_1k_tokens': {
    meaning: 'Decimal string with at most 3 decimals, above 0',
    wrong: '1.5',
    need: 'with `per_token`',
    example: '1.5',
  },
  'pricing.credits_per_second': {
    meaning: 'Decimal string with at most 3 decimals, above 0',
    wrong: 0.25,
    need: 'with `per_second`',
    example: '0.25',
  },
  'pricing.max_credits_per_call': {
    meaning: 'The most that a metered call can cost; it is held before the call',
    wrong: 40,
    need: 'with `per_token`, `per_second`',
    example: 40,
  },
  'pricing.free_tier_calls': { meaning: 'Free calls for each buyer in a calendar month', wrong: -1 },
  endpoint: { meaning: 'Where the agent answers' },
  'endpoint.url': {
    meaning: 'HTTPS base URL on a public host; the service appends `/invoke`. Buyers never see it',
    wrong: 'http://10.0.0.7',
  },
  'endpoint.timeout_ms': { meaning: 'Time that an answer may take, in milliseconds', wrong: 500 },
  'endpoint.max_payload_bytes': {
    meaning: 'Largest input, in bytes; a larger one is refused (413)',
    wrong: 0,
  },
  input_schema: { meaning: 'JSON Schema of the input; see below', wrong: { type: 'array' } },
  output_schema: { meaning: 'JSON Schema of the output; see below', wrong: { type: 'words' } },
  examples: {
    meaning: 'Example calls. Verification sends up to 6 of them in each run, and the agent must answer',
    wrong: {},
  },
  'examples[].input': { meaning: 'A valid input', wrong: 'to be' },
  'examples[].output': { meaning: 'What the agent must answer', takesAnything: true },
  'examples[].match': {
    meaning: '`exact`: the whole answer; `subset`: the answer contains `output`, and may contain more',
    wrong: 'similar',
  },
  'examples[].tolerance': { meaning: 'By how much numbers may differ', wrong: -1 },
  input_role: {
    meaning:
      '`data`: the input is worked on; `instructions`: the input is the message of a user whom the agent follows',
    wrong: 'prompt',
    need: 'by the names of the fields and the description',
  },
  data_handling: { meaning: 'Declarations, which listings show' },
  'data_handling.pii_processed': { meaning: 'Whether the agent processes personal data', wrong: 'no' },
  'data_handling.data_retention_days': {
    meaning:
      'How long the agent keeps inputs and outputs. With 0, the service stores an answer for an hour at most',
    wrong: -1,
  },
  'data_handling.residency': { meaning: 'Where data is processed', wrong: 'mars' },
  'data_handling.subprocessors': { meaning: 'Other companies that receive data', wrong: [''], need: '`[]`' },
  capabilities: { meaning: 'Promises, which verification checks', wrong: 'streaming' },
  'capabilities.streaming': {
    meaning: 'The agent answers with a stream ([streaming](../streaming.md#for-agents))',
    wrong: 'yes',
  },
  'capabilities.idempotent': {
    meaning: 'The agent does the work once for each `Idempotency-Key`, so the service may call it again',
    wrong: 'yes',
  },
  'capabilities.jobs': {
    meaning:
      'The agent takes [jobs](../jobs.md): it may answer 202 within `endpoint.timeout_ms` and work on. Absent: it takes none',
    wrong: true,
    need: 'none',
    example: { max_seconds: 2_400, heartbeat_seconds: 120 },
  },
  'capabilities.jobs.max_seconds': {
    meaning: 'How long a job may take, in seconds, from the call to its end',
    wrong: 30,
    example: 2_400,
  },
  'capabilities.jobs.heartbeat_seconds': {
    meaning: 'A job whose agent is silent for longer has failed. The default is at most `max_seconds`',
    wrong: 2_401,
    example: 120,
  },
  'capabilities.jobs.probe_max_seconds': {
    meaning:
      'How long [verification](../jobs.md#verification) waits for the job of a probe; at most `max_seconds`. Examples should end within it',
    wrong: 301,
    example: 30,
  },
  'capabilities.jobs.milestones': {
    meaning:
      'Parts of the work that are paid also if the job fails or is canceled later, with a price per call',
    wrong: [],
    need: 'none',
    example: [{ name: 'outline', percent: 25 }],
  },
  'capabilities.jobs.milestones[].name': {
    meaning: 'What the agent reports, with a piece of the answer that proves it',
    wrong: '',
    example: 'outline',
  },
  'capabilities.jobs.milestones[].percent': {
    meaning: 'The part of the price that it earns; at most 100 together',
    wrong: 0,
    example: 25,
  },
  erc8004: {
    meaning:
      'Identities of the agent in registries of ERC-8004, for its [registration file](../found-by-machines.md#erc-8004). They are your claim: the service looks none up',
    wrong: [{}],
    need: 'none',
    example: [{ agent_id: '22', registry: 'eip155:1:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432' }],
  },
  'erc8004[].agent_id': {
    meaning: 'The number of the token, a uint256 in decimal digits',
    wrong: '022',
    example: '22',
  },
  'erc8004[].registry': {
    meaning: 'The chain and the address of the registry; mixed case must be the EIP-55 checksum',
    wrong: 'eip155:1:0x0000000000000000000000000000000000000000',
    example: 'eip155:1:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432',
  },
  warranty: {
    meaning:
      'A [promise about each month](../warranty.md), which the bond of the developer pays for: one of the first three, and the remedy',
    wrong: {},
    need: 'none',
    example: { success_rate: 0.98, p95_ms: 2_000, uptime: 0.995, remedy_percent: 10 },
  },
  'warranty.success_rate': {
    meaning: 'The least share of paid calls without an error of the agent',
    wrong: 0.4,
    example: 0.98,
  },
  'warranty.p95_ms': {
    meaning: 'The longest 95th percentile of the durations of successful calls',
    wrong: 0,
    example: 2_000,
  },
  'warranty.uptime': {
    meaning: 'The least share of paid calls for which the agent was reached and answered in time',
    wrong: 0.4,
    example: 0.995,
  },
  'warranty.remedy_percent': {
    meaning: 'The part of what a broken month has cost each buyer that is paid back',
    wrong: 0,
    example: 10,
  },
  'capabilities.a2a_invocable': { meaning: 'Other agents may call it by A2A', wrong: 'yes' },
  'capabilities.accepts_tests': {
    meaning:
      'Buyers may set [tests](../acceptance.md) for the answer of a call, which the agent gets before it works',
    wrong: 'yes',
  },
};
