/**
 * The agent manifest (specification, "Manifest"): its document type, its defaults, and the rules across
 * fields that JSON Schema does not express. Limits of single fields are enforced by the schemas in
 * `contract/publishing.ts`.
 */
import type { FieldProblem } from '../errors';
import { CAPABILITY_DEFAULTS, type Capabilities, completeCapabilities, jobProblems } from './capabilities';
import { promises, type Warranty } from '../bonds/warranty';
import type { InputRole } from './input-role';
import { creditsToUnits } from '../ledger/money';
import { asRecord, isRecord } from '../json-value';

export const CATEGORIES = [
  'data-processing',
  'code-generation',
  'document-analysis',
  'web-research',
  'media',
  'finance',
  'productivity',
  'communication',
  'security',
  'other',
] as const;
export const RESIDENCIES = ['eu', 'us', 'in', 'ap', 'global'] as const;
export const PRICING_MODELS = ['per_call', 'per_token', 'per_second'] as const;

export type PricingModel = (typeof PRICING_MODELS)[number];

export interface Pricing {
  model: PricingModel;
  credits_per_call?: number;
  /** Decimal string with at most 3 decimals. */
  credits_per_1k_tokens?: string;
  /** Decimal string with at most 3 decimals. */
  credits_per_second?: string;
  max_credits_per_call?: number;
  free_tier_calls: number;
}

/** An example of a manifest. `output` is what the agent must answer: the same value, or a part of the answer. */
export interface ManifestExample {
  input: Record<string, unknown>;
  output?: unknown;
  /** `exact` (default): the whole answer; `subset`: members that the answer must have. */
  match?: 'exact' | 'subset';
  /** By how much numbers may differ; default 0. */
  tolerance?: number;
}

/** An identity in a registry of ERC-8004. It is what the developer says, without a proof. */
export interface ChainIdentity {
  /** A uint256 in decimal digits. */
  agent_id: string;
  /** `eip155:<chain>:<address>`. */
  registry: string;
}

export interface Manifest {
  schema_version: '1.0';
  agent_id: string;
  display_name: string;
  description: string;
  version: string;
  /** What is new in this version, for buyers. */
  changelog?: string;
  author: string;
  homepage?: string;
  category: (typeof CATEGORIES)[number];
  tags: string[];
  pricing: Pricing;
  endpoint: { url: string; timeout_ms: number; max_payload_bytes: number };
  input_schema: Record<string, unknown>;
  output_schema: Record<string, unknown>;
  examples?: ManifestExample[];
  /** Whether the input is worked on or followed; default: by its field names and the description. */
  input_role?: InputRole;
  data_handling: {
    pii_processed: boolean;
    data_retention_days: number;
    residency: (typeof RESIDENCIES)[number];
    subprocessors: string[];
  };
  capabilities: Capabilities;
  warranty?: Warranty;
  /** Calls of all buyers that the agent takes at once. Absent: as many as the service allows for an agent. */
  max_concurrency?: number;
  erc8004?: ChainIdentity[];
}

/**
 * The document stored with a version: a manifest without its schemas, or the document derived from a
 * registration (`registration.ts`).
 */
export type VersionDocument = Omit<Manifest, 'input_schema' | 'output_schema'> & {
  vertical?: string;
  icon_url?: string;
};

export const MANIFEST_LIMITS = {
  displayName: 80,
  changelog: 2_000,
  descriptionMin: 50,
  description: 2_000,
  tags: 10,
  tag: 32,
  examples: 20,
  credits: 100_000,
  freeTierCalls: 1_000_000,
  timeoutMinMs: 1_000,
  timeoutMs: 300_000,
  /**
   * The specification gives a default of 10 MiB and no maximum; the service uses the default as the maximum.
   */
  payloadBytes: 10_485_760,
  retentionDays: 36_500,
  concurrency: 1_000,
  subprocessors: 50,
  identities: 8,
} as const;

export const MANIFEST_DEFAULTS = {
  freeTierCalls: 0,
  timeoutMs: 30_000,
  payloadBytes: 10_485_760,
  capabilities: CAPABILITY_DEFAULTS,
} as const;

/**
 * Price fields that each model requires. Price fields of other models are refused, because they would be
 * ambiguous.
 */
const PRICE_FIELDS = {
  per_call: ['credits_per_call'],
  per_token: ['credits_per_1k_tokens', 'max_credits_per_call'],
  per_second: ['credits_per_second', 'max_credits_per_call'],
} as const satisfies Record<PricingModel, (keyof Pricing)[]>;

const ALL_PRICE_FIELDS = [...new Set(Object.values(PRICE_FIELDS).flat())];

/**
 * Checks the rules across fields. The manifest may be invalid in any other way too; `loc` is relative to the
 * manifest. The two schemas are checked elsewhere, except for the rule that `input` is an object (contract,
 * "Invocation").
 */
export function crossFieldProblems(manifest: Record<string, unknown>): FieldProblem[] {
  return [
    ...pricingProblems(asRecord(manifest.pricing)),
    ...inputTypeProblems(asRecord(manifest.input_schema)),
    ...jobProblems(asRecord(manifest.capabilities), isMetered(manifest.pricing)),
    ...warrantyProblems(manifest.warranty),
  ];
}

function warrantyProblems(warranty: unknown): FieldProblem[] {
  if (!isRecord(warranty) || promises(warranty)) return [];
  return [{ loc: ['warranty'], msg: 'must promise success_rate, p95_ms or uptime', type: 'required' }];
}

/** True for a price that is known only after the call. */
export function isMetered(pricing: unknown): boolean {
  const { model } = asRecord(pricing);
  return isModel(model) && model !== 'per_call';
}

/** Checks that a pricing has the fields of its model and no others. `loc` is relative to what has the pricing. */
export function pricingProblems(pricing: Record<string, unknown>): FieldProblem[] {
  const needed: readonly string[] | undefined = isModel(pricing.model)
    ? PRICE_FIELDS[pricing.model]
    : undefined;
  if (!needed) return [];
  const problems: FieldProblem[] = [];
  for (const field of ALL_PRICE_FIELDS) {
    const present = pricing[field] !== undefined;
    const loc = ['pricing', field];
    if (needed.includes(field) && !present) {
      problems.push({ loc, msg: `is required when model is ${String(pricing.model)}`, type: 'required' });
    }
    if (!needed.includes(field) && present) {
      problems.push({ loc, msg: `is not allowed with model ${String(pricing.model)}`, type: 'not_allowed' });
    }
    if (needed.includes(field) && typeof pricing[field] === 'string' && /^[0.]*$/.test(pricing[field])) {
      problems.push({ loc, msg: 'must be greater than 0', type: 'exclusiveMinimum' });
    }
  }
  return problems;
}

/** Checks that inputs are objects. `loc` is relative to the document. */
export function inputTypeProblems(schema: Record<string, unknown>): FieldProblem[] {
  const { type } = schema;
  if (type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))) return [];
  return [
    {
      loc: ['input_schema', 'type'],
      msg: 'must be "object": the input of a call is an object',
      type: 'const',
    },
  ];
}

/** Returns the document to store, with defaults applied and the author set. Requires a validated manifest. */
export function completeManifest(manifest: Record<string, unknown>, author: string): Manifest {
  const given = manifest as unknown as Omit<Manifest, 'tags'> & Partial<Pick<Manifest, 'tags'>>;
  return {
    ...given,
    author,
    tags: given.tags ?? [],
    pricing: {
      ...given.pricing,
      free_tier_calls: given.pricing.free_tier_calls ?? MANIFEST_DEFAULTS.freeTierCalls,
    },
    endpoint: {
      url: given.endpoint.url,
      timeout_ms: given.endpoint.timeout_ms ?? MANIFEST_DEFAULTS.timeoutMs,
      max_payload_bytes: given.endpoint.max_payload_bytes ?? MANIFEST_DEFAULTS.payloadBytes,
    },
    data_handling: { ...given.data_handling, subprocessors: given.data_handling.subprocessors ?? [] },
    capabilities: completeCapabilities(given.capabilities),
  };
}

/**
 * The price of one call in units; for metered models, its maximum price. Throws `Error` when the manifest was
 * not validated.
 */
export function priceUnitsOf(pricing: Pricing): number {
  const credits = pricing.model === 'per_call' ? pricing.credits_per_call : pricing.max_credits_per_call;
  if (credits === undefined) throw new Error('a manifest without problems has a price');
  return creditsToUnits(credits);
}

/** The address of a call: `<endpoint.url>/invoke` for manifest agents, the endpoint itself for self-hosted agents. */
export function callAddress(kind: string, endpointUrl: string): string {
  if (kind !== 'manifest') return endpointUrl;
  const url = new URL(endpointUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/invoke`;
  return url.href;
}

/** The parts of a version's document that public listings show. The endpoint is never among them. */
export function publicPartOf(document: VersionDocument) {
  const { pricing, capabilities, data_handling, homepage, icon_url, vertical, changelog, erc8004, warranty } =
    document;
  return {
    pricing,
    capabilities,
    data_handling,
    homepage: homepage ?? null,
    icon_url: icon_url ?? null,
    vertical: vertical ?? null,
    changelog: changelog ?? null,
    ...(erc8004 && { erc8004 }),
    ...(warranty && { warranty }),
  };
}

export type PublicPart = ReturnType<typeof publicPartOf>;

function isModel(value: unknown): value is PricingModel {
  return typeof value === 'string' && Object.hasOwn(PRICE_FIELDS, value);
}
