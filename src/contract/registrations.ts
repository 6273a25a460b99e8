import { Type } from '@sinclair/typebox';
import { MANIFEST_LIMITS } from '../domain/catalogue/manifest';
import { MAX_VERTICAL, PROTOCOLS } from '../domain/catalogue/registration';
import { REGISTRATION_PRICE_LIMITS as LIMITS } from '../domain/catalogue/registration-price';
import { TotpCode } from './account-fields';
import { CardSignature } from './card-signature';
import { AgentId, checkedLater, named, Nullable, Slug, strictObject, text } from './common';
import {
  DataHandling,
  Description,
  Examples,
  InputRole,
  InputSchema,
  MaxConcurrency,
  MeteredPricing,
  MeteredPricingChange,
  OutputSchema,
  PayloadBytes,
  RegisteredCapabilities,
  RegisteredCapabilitiesChange,
  TimeoutMs,
} from './manifest';
import { defineOperation } from './operation';

const auth = { scope: 'agents:publish' } as const;
const roles = ['developer'] as const;
const tag = 'Publishing';
const params = strictObject({ agent_id: AgentId });
/** Fits a bundle of the largest size. */
const bodyLimitBytes = 12 * 1024 * 1024;

const name = text({ minLength: 1, maxLength: MANIFEST_LIMITS.displayName, pattern: '\\S' });
const vertical = text({
  minLength: 1,
  maxLength: MAX_VERTICAL,
  pattern: '\\S',
  description: 'Label of your choice, shown to buyers',
});
const iconUrl = Type.String({
  minLength: 1,
  description: 'HTTPS URL on a public host; the service never fetches it',
});
const Protocol = named(
  'RegistrationProtocol',
  Type.Unsafe<(typeof PROTOCOLS)[number]>({
    type: 'string',
    enum: [...PROTOCOLS],
    default: 'http',
    description:
      '`mcp` for an MCP server (Streamable HTTP), `a2a` for an A2A agent (1.0 or 0.3); cannot be changed later',
  }),
);
const endpointUrl = Type.String({
  minLength: 1,
  description:
    'HTTPS URL on a public host, never shown to buyers; called without changes. For `a2a`: of the agent card, or the address ' +
    'above its `/.well-known/agent-card.json`',
});
const priceUnits = Type.Integer({
  minimum: 1,
  maximum: LIMITS.priceUnits,
  description: 'Hundredths of a credit; a call is charged in whole credits, rounded up',
});
const priceUsd = Type.Number({
  minimum: LIMITS.priceUsdMin,
  maximum: LIMITS.priceUsd,
  description: 'At most 6 decimals; 1 cent is 1 credit, rounded up',
});
const payTo = text({
  maxLength: 42,
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'EVM address; mixed case must be its EIP-55 checksum',
});
const UpstreamAuth = named(
  'UpstreamAuth',
  strictObject(
    {
      header: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, description: 'Header that carries the key' }),
      ),
      key: Type.String({ description: 'At most 8192 bytes; never shown again; empty for no credential' }),
    },
    { description: 'Credential sent with every call to the endpoint; stored encrypted' },
  ),
);

/** What an agent may declare like a manifest. */
const declared = {
  description: Type.Optional(Description),
  input_schema: Type.Optional(InputSchema),
  output_schema: Type.Optional(OutputSchema),
  examples: Type.Optional(Examples),
  input_role: Type.Optional(InputRole),
  data_handling: Type.Optional(DataHandling),
  capabilities: Type.Optional(RegisteredCapabilities),
};
const Bundle = Type.String({
  description:
    'The source as a gzipped tar in base64, examined by verification (docs/verification-bundles.md). A change without a bundle keeps the last one',
});

/** Whether the version is verified now. It is no part of what is stored. */
const submit = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Specification, "Self-hosted agent registration". */
export const Registration = named(
  'Registration',
  strictObject({
    slug: Slug,
    name,
    vertical: Type.Optional(vertical),
    icon_url: Type.Optional(iconUrl),
    access_config: strictObject({
      endpoint_url: endpointUrl,
      price_per_call_units: Type.Optional(priceUnits),
      protocol: Type.Optional(Protocol),
    }),
    upstream_auth: Type.Optional(UpstreamAuth),
    x402: Type.Optional(strictObject({ price_usd: priceUsd, pay_to: payTo })),
    pricing: Type.Optional(MeteredPricing),
    timeout_ms: Type.Optional(TimeoutMs),
    max_payload_bytes: Type.Optional(PayloadBytes),
    max_concurrency: Type.Optional(MaxConcurrency),
    ...declared,
    bundle_base64: Type.Optional(Bundle),
    submit: submit(
      'false keeps version 1.0.0 as a draft, which is verified when it is submitted; default true',
    ),
  }),
);

const RegistrationChange = named(
  'RegistrationChange',
  strictObject({
    name: Type.Optional(name),
    vertical: Type.Optional(Nullable(vertical)),
    icon_url: Type.Optional(Nullable(iconUrl)),
    access_config: Type.Optional(
      strictObject({
        endpoint_url: Type.Optional(endpointUrl),
        price_per_call_units: Type.Optional(priceUnits),
        protocol: Type.Optional(Protocol),
      }),
    ),
    upstream_auth: Type.Optional(UpstreamAuth),
    x402: Type.Optional(
      Nullable(strictObject({ price_usd: Type.Optional(priceUsd), pay_to: Type.Optional(payTo) })),
    ),
    pricing: Type.Optional(Nullable(MeteredPricingChange)),
    timeout_ms: Type.Optional(Nullable(TimeoutMs)),
    max_payload_bytes: Type.Optional(Nullable(PayloadBytes)),
    max_concurrency: Type.Optional(Nullable(MaxConcurrency)),
    description: Type.Optional(Nullable(Description)),
    input_schema: Type.Optional(Nullable(InputSchema)),
    output_schema: Type.Optional(Nullable(OutputSchema)),
    examples: Type.Optional(Nullable(Examples)),
    input_role: Type.Optional(Nullable(InputRole)),
    data_handling: Type.Optional(Nullable(DataHandling)),
    capabilities: Type.Optional(Nullable(RegisteredCapabilitiesChange)),
    bundle_base64: Type.Optional(Bundle),
    totp_code: Type.Optional(TotpCode),
    submit: submit(
      'false keeps the new version as a draft; default true, or false while the newest version is a draft',
    ),
  }),
);

const status = Type.String({
  examples: ['submitted', 'live', 'draft'],
  description: 'Status of the version that this request created',
});
const Registered = named(
  'RegisteredAgent',
  strictObject({
    agent_id: AgentId,
    owner: Type.String({ examples: ['dev_ada-lovelace'] }),
    slug: Type.String(),
    status,
    upstream_auth_set: Type.Boolean({ description: 'Whether an upstream credential is stored' }),
    price_credits: Type.Integer({
      minimum: 1,
      description: 'Price of a call in whole credits; the most that a metered call costs',
    }),
  }),
);

export const RegistrationView = named(
  'RegistrationView',
  strictObject({
    slug: Type.String(),
    name: Type.String(),
    vertical: Nullable(Type.String()),
    icon_url: Nullable(Type.String()),
    access_config: strictObject({
      endpoint_url: Type.String({ description: 'Shown to the owner only' }),
      price_per_call_units: Nullable(Type.Integer()),
      protocol: Protocol,
    }),
    x402: Nullable(strictObject({ price_usd: Type.Number(), pay_to: Type.String() })),
    pricing: Nullable(MeteredPricing),
    timeout_ms: TimeoutMs,
    max_payload_bytes: PayloadBytes,
    max_concurrency: Nullable(MaxConcurrency),
    ...declared,
    upstream_auth_set: Type.Boolean(),
    price_credits: Type.Integer(),
    card_signature: CardSignature,
  }),
);

const exampleRequest = {
  slug: 'invoice-reader',
  name: 'Invoice reader',
  vertical: 'accounting',
  access_config: { endpoint_url: 'https://agent.example.com/v2/read', price_per_call_units: 250 },
  upstream_auth: { header: 'X-Agent-Token', key: 'tok_2fW8kq5Zr7TnB4yX' },
};
const exampleResponse = {
  agent_id: 'agt_invoice_reader_v1',
  owner: 'dev_ada-lovelace',
  slug: 'invoice-reader',
  status: 'submitted',
  upstream_auth_set: true,
  price_credits: 3,
};

export const registerAgent = defineOperation({
  id: 'registerAgent',
  method: 'post',
  path: '/v1/agents/register',
  tag,
  summary: 'Register a self-hosted agent by its endpoint',
  description:
    'Creates an agent with version 1.0.0 and submits it for verification at once: an HTTP endpoint must ' +
    'answer, an MCP server must list at least one tool, and the card of an A2A agent must be there. With `submit: false` the version stays a draft until ' +
    '`POST /v1/developer/agents/{agent_id}/versions/{version}/submit`. Requires exactly one price, ' +
    '`access_config.price_per_call_units`, `x402` or metered `pricing`, and the paid seller registration fee. With schemas, ' +
    'examples, data handling and a bundle, verification examines the agent like one with a manifest, and calls ' +
    'are checked by the schemas. Verification calls a host a few times, once, until its `ownership` is proven (getOwnAgent).',
  auth,
  roles,
  bodyLimitBytes,
  body: checkedLater(Registration),
  responses: { 201: Registered },
  errors: ['registration_required', 'slug_taken', 'validation_failed', 'unsafe_url'],
  examples: { request: exampleRequest, response: exampleResponse },
});

export const changeRegistration = defineOperation({
  id: 'changeRegistration',
  method: 'patch',
  path: '/v1/agents/{agent_id}/registration',
  tag,
  summary: 'Change the registration of one of your self-hosted agents',
  description:
    'Omitted fields keep their values; null removes them. Each change creates a version `1.n.0`. What buyers read (name, ' +
    'description, vertical, icon), a new endpoint, price, schema, example, data handling or bundle is verified first, while ' +
    'the old version serves; other changes take effect at once. A change of a draft is a draft, unless `submit` is true. A new ' +
    '`upstream_auth` is used from the next call on, whichever version serves; an empty `key` removes it. ' +
    '`x402.pay_to` decides where earnings are paid: adding, changing or removing it needs a session, not an API key, ' +
    'and `totp_code` from an account with an authenticator app. A mail reports it, and the old address still gets ' +
    'the payout of the open week.',
  auth,
  roles,
  params,
  bodyLimitBytes,
  body: checkedLater(RegistrationChange),
  responses: { 200: Registered },
  errors: [
    'registration_required',
    'not_found',
    'invalid_state',
    'validation_failed',
    'unsafe_url',
    'second_factor_required',
    'invalid_credentials',
  ],
  examples: {
    request: { access_config: { price_per_call_units: 300 }, upstream_auth: { key: '' } },
    response: { ...exampleResponse, upstream_auth_set: false },
  },
});

export const getRegistration = defineOperation({
  id: 'getRegistration',
  method: 'get',
  path: '/v1/agents/{agent_id}/registration',
  tag,
  summary: 'Get the latest registration of one of your self-hosted agents',
  auth,
  roles,
  params,
  responses: { 200: RegistrationView },
  errors: ['not_found'],
});

export const registrationOperations = [registerAgent, changeRegistration, getRegistration] as const;
