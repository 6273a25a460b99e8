/**
 * Self-hosted agents (specification, "Self-hosted agent registration"; contract, "Publishing and the agent's
 * life"): the registration that replaces a manifest, its price, and the version document derived from it. The
 * upstream credential is not part of the document: it belongs to the agent and is never shown.
 */
import type { FieldProblem } from '../errors';
import {
  completeCapabilities,
  declaredCapabilities,
  jobProblems,
  mergeCapabilities,
  type RegisteredCapabilities,
  toolCapabilityProblems,
  toolExampleProblems,
  messageCapabilityProblems,
  MESSAGES_HAVE_SCHEMAS,
  TOOLS_HAVE_SCHEMAS,
} from './capabilities';
import { CATEGORIES, isMetered, MANIFEST_DEFAULTS, type Manifest, type VersionDocument } from './manifest';
import { descriptionIn, messageForm, type RegisteredCard } from './cards/card-listing';
import { asRecord, isRecord } from '../json-value';
import { type MeteredPricing, pricingOf, type RegistrationPrice, usdText } from './registration-price';

export const PROTOCOLS = ['http', 'mcp', 'a2a'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** What a registration may declare like a manifest. Verification then examines it like a manifest. */
export type Declared = Partial<
  Pick<
    Manifest,
    'description' | 'input_schema' | 'output_schema' | 'examples' | 'input_role' | 'data_handling'
  >
> & { capabilities?: RegisteredCapabilities };
export const DECLARED_FIELDS = [
  'description',
  'input_schema',
  'output_schema',
  'examples',
  'input_role',
  'data_handling',
  'capabilities',
] as const satisfies (keyof Declared)[];

/** A registration as the owner submits and reads it, without credential and bundle. */
export interface Registration extends Declared, RegistrationPrice {
  slug: string;
  name: string;
  vertical?: string;
  icon_url?: string;
  access_config: RegistrationPrice['access_config'] & { endpoint_url: string; protocol?: Protocol };
  /** As `endpoint.timeout_ms` and `endpoint.max_payload_bytes` of a manifest, with the same defaults. */
  timeout_ms?: number;
  max_payload_bytes?: number;
  /** As in a manifest. */
  max_concurrency?: number;
}

/** The version document of a registration. `x402.price_usd` is a decimal string with at most 6 decimals. */
export type RegistrationDocument = VersionDocument &
  Pick<Declared, 'input_schema' | 'output_schema' | 'examples' | 'input_role'> & {
    protocol: Protocol;
    /** The agent card that the version was registered with. */
    agent_card?: RegisteredCard;
    price_per_call_units?: number;
    x402?: { price_usd: string; pay_to: string };
  };

/** The longest label of a registration. */
export const MAX_VERTICAL = 64;

/** Listings show the least favourable values for a registration that declares nothing about data handling. */
const DATA_HANDLING = {
  pii_processed: true,
  data_retention_days: 1,
  residency: 'global',
  subprocessors: [],
} as const;

/**
 * Checks what a registration declares like a manifest, except for each field by itself. `loc` is relative to the body.
 * The tools of an MCP server have schemas of their own, so its examples are calls of them, and an A2A agent has those
 * of a message.
 */
export function declaredProblems(body: Record<string, unknown>): FieldProblem[] {
  const { protocol } = asRecord(body.access_config);
  const given = SCHEMA_FIELDS.filter((field) => body[field] !== undefined);
  if (protocol === 'mcp')
    return [
      ...given
        .filter((field) => field !== 'examples')
        .map((field) => ({ loc: [field], ...TOOLS_HAVE_SCHEMAS })),
      ...toolExampleProblems(body.examples),
      ...toolCapabilityProblems(body.capabilities),
    ];
  if (protocol === 'a2a')
    return [
      ...given.map((field) => ({ loc: [field], ...MESSAGES_HAVE_SCHEMAS })),
      ...messageCapabilityProblems(body.capabilities, isMetered(body.pricing)),
    ];
  const hasSchema = given.includes('input_schema') || given.includes('output_schema');
  const missing = (['input_schema', 'output_schema'] as const).filter((field) => !given.includes(field));
  const needsBoth = hasSchema || given.length > 0;
  const msg = 'is required with input_schema, output_schema, examples or input_role';
  return [
    ...(needsBoth ? missing.map((field) => ({ loc: [field], msg, type: 'required' })) : []),
    ...jobProblems(asRecord(body.capabilities), isMetered(body.pricing)),
  ];
}

const SCHEMA_FIELDS = ['input_schema', 'output_schema', 'examples', 'input_role'] as const;

/**
 * Builds the version document. Requires a validated registration with normalized addresses, and for an A2A agent its
 * card.
 */
export function documentOf(
  registration: Registration,
  { author, version, card }: { author: string; version: string; card?: RegisteredCard | undefined },
): RegistrationDocument {
  const { slug, name, vertical, icon_url, access_config: access, x402 } = registration;
  const { description, data_handling: handling, capabilities, ...declared } = declaredOf(registration);
  const protocol = access.protocol ?? 'http';
  return {
    schema_version: '1.0',
    protocol,
    agent_id: slug,
    display_name: name,
    description: description ?? (card ? descriptionIn(card) : describe(name, protocol, vertical)),
    version,
    author,
    category: CATEGORIES.find((category) => category === vertical) ?? 'other',
    tags: [],
    ...(vertical !== undefined && { vertical }),
    ...(icon_url !== undefined && { icon_url }),
    pricing: pricingOf(registration),
    ...(access.price_per_call_units !== undefined && { price_per_call_units: access.price_per_call_units }),
    ...(x402 && { x402: { price_usd: usdText(x402.price_usd), pay_to: x402.pay_to } }),
    endpoint: {
      url: access.endpoint_url,
      timeout_ms: registration.timeout_ms ?? MANIFEST_DEFAULTS.timeoutMs,
      max_payload_bytes: registration.max_payload_bytes ?? MANIFEST_DEFAULTS.payloadBytes,
    },
    ...declared,
    ...(card && { agent_card: card, ...messageForm(card) }),
    data_handling: { ...(handling ?? DATA_HANDLING), subprocessors: [...(handling?.subprocessors ?? [])] },
    capabilities: completeCapabilities(card ? { ...capabilities, streaming: card.streaming } : capabilities),
    ...(registration.max_concurrency !== undefined && { max_concurrency: registration.max_concurrency }),
  };
}

/** Restores the registration from a version document. Values that are the default are left out. */
export function registrationOf(document: RegistrationDocument): Registration {
  const { vertical, icon_url, price_per_call_units, x402, description, data_handling: handling } = document;
  const { pricing, endpoint, agent_card: card } = document;
  const { description: _, data_handling: __, capabilities, ...declared } = declaredOf(document);
  const isDescribed =
    description !==
    (card ? descriptionIn(card) : describe(document.display_name, document.protocol, vertical));
  return {
    slug: document.agent_id,
    name: document.display_name,
    ...(isDescribed && { description }),
    ...(card ? {} : declared),
    ...(isDeclared(handling) && { data_handling: handling }),
    ...declaredCapabilities(card ? { ...capabilities, streaming: false } : capabilities),
    ...(vertical !== undefined && { vertical }),
    ...(icon_url !== undefined && { icon_url }),
    access_config: {
      endpoint_url: endpoint.url,
      ...(price_per_call_units !== undefined && { price_per_call_units }),
      protocol: document.protocol,
    },
    ...(x402 && { x402: { price_usd: Number(x402.price_usd), pay_to: x402.pay_to } }),
    ...(pricing.model !== 'per_call' && { pricing: pricing as MeteredPricing }),
    ...(endpoint.timeout_ms !== MANIFEST_DEFAULTS.timeoutMs && { timeout_ms: endpoint.timeout_ms }),
    ...(endpoint.max_payload_bytes !== MANIFEST_DEFAULTS.payloadBytes && {
      max_payload_bytes: endpoint.max_payload_bytes,
    }),
    ...(document.max_concurrency !== undefined && { max_concurrency: document.max_concurrency }),
  };
}

/** The registration as `registrationOf` restores it, so that equal ones are equal in each field. */
export function normalized(registration: Registration): Registration {
  return registrationOf(documentOf(registration, { author: '', version: '' }));
}

/** The fields that are declared. */
export function declaredOf(from: Declared): Declared {
  return Object.fromEntries(
    DECLARED_FIELDS.flatMap((field) => (from[field] === undefined ? [] : [[field, from[field]]])),
  );
}

function isDeclared(handling: VersionDocument['data_handling']): boolean {
  const { subprocessors, ...rest } = handling;
  const { subprocessors: _, ...least } = DATA_HANDLING;
  return subprocessors.length > 0 || JSON.stringify(rest) !== JSON.stringify({ ...rest, ...least });
}

/**
 * Applies a partial update to a registration; the result must be validated like a new registration. Fields
 * that the update omits keep their values. Null removes a field that may be absent. A new price of one
 * kind replaces a price of another kind, unless the update contains both. Another pricing model replaces the
 * whole pricing, because each model has fields of its own. The capabilities that the update
 * omits keep their values, and so do the fields of jobs; null removes a capability.
 */
export function mergeChange(current: Registration, change: Record<string, unknown>): Record<string, unknown> {
  const access = asRecord(change.access_config);
  const base: Record<string, unknown> = { ...current, access_config: { ...current.access_config } };
  const prices = [access.price_per_call_units !== undefined, isRecord(change.x402), isRecord(change.pricing)];
  const [inUnits, inUsd, isMetered] = prices;
  if (inUnits || isMetered) delete base.x402;
  if (inUsd || isMetered) delete asRecord(base.access_config).price_per_call_units;
  if (inUnits || inUsd || isNewModel(base.pricing, change.pricing)) delete base.pricing;
  const merged = { ...base, ...change };
  for (const field of ['access_config', 'x402', 'pricing']) {
    if (isRecord(base[field]) && isRecord(change[field]))
      merged[field] = { ...base[field], ...change[field] };
  }
  if (isRecord(change.capabilities))
    merged.capabilities = mergeCapabilities(current.capabilities ?? {}, change.capabilities);
  for (const field of REMOVABLE_FIELDS) if (change[field] === null) delete merged[field];
  return merged;
}

const REMOVABLE_FIELDS = [
  'vertical',
  'icon_url',
  'x402',
  'pricing',
  'timeout_ms',
  'max_payload_bytes',
  'max_concurrency',
  ...DECLARED_FIELDS,
] as const;

function isNewModel(before: unknown, after: unknown): boolean {
  const { model } = asRecord(after);
  return model !== undefined && model !== asRecord(before).model;
}

/**
 * Refuses changes of the slug, which is part of the agent's id, and of the protocol, which determines the
 * form of calls.
 */
export function changeProblems(current: Registration, change: Record<string, unknown>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { protocol } = asRecord(change.access_config);
  if (change.slug !== undefined) {
    problems.push({ loc: ['slug'], msg: 'cannot be changed', type: 'not_allowed' });
  }
  if (protocol !== undefined && protocol !== (current.access_config.protocol ?? 'http')) {
    const msg = 'cannot be changed; register another agent';
    problems.push({ loc: ['access_config', 'protocol'], msg, type: 'not_allowed' });
  }
  return problems;
}

/**
 * The fields of a registration that buyers read. Their text and picture could change to anything after the agent is
 * live.
 */
const SHOWN_FIELDS = ['display_name', 'description', 'vertical', 'icon_url'] as const;

/**
 * True when a change must be verified before it serves: a new endpoint or price, what buyers read, schemas, examples,
 * data handling, or streaming. Other changes take effect at once (contract).
 */
export function needsVerification(serving: RegistrationDocument, next: RegistrationDocument): boolean {
  return (
    serving.endpoint.url !== next.endpoint.url ||
    serving.price_per_call_units !== next.price_per_call_units ||
    serving.x402?.price_usd !== next.x402?.price_usd ||
    VERIFIED_FIELDS.some((field) => JSON.stringify(serving[field]) !== JSON.stringify(next[field]))
  );
}

const VERIFIED_FIELDS = [
  ...SHOWN_FIELDS,
  ...SCHEMA_FIELDS,
  'pricing',
  'data_handling',
  'capabilities',
  'agent_card',
] as const;

function describe(name: string, protocol: Protocol, vertical: string | undefined): string {
  const what = protocol === 'mcp' ? 'MCP server' : protocol === 'a2a' ? 'A2A agent' : 'agent';
  return `${name}: a self-hosted ${what}${vertical === undefined ? '' : ` for ${vertical}`}.`;
}
