/**
 * The manifest (specification, "Manifest"): its document, the rules across fields that a JSON Schema of single fields
 * does not say, and its defaults. Limits of single fields stand in `contract/publishing.ts`, once.
 */
import type { FieldProblem } from '../errors';
import { creditsToUnits } from '../ledger/money';

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
  /** Decimal string, at most 3 places. */
  credits_per_1k_tokens?: string;
  /** Decimal string, at most 3 places. */
  credits_per_second?: string;
  max_credits_per_call?: number;
  free_tier_calls: number;
}

export interface Manifest {
  schema_version: '1.0';
  agent_id: string;
  display_name: string;
  description: string;
  version: string;
  author: string;
  homepage?: string;
  category: (typeof CATEGORIES)[number];
  tags: string[];
  pricing: Pricing;
  endpoint: { url: string; timeout_ms: number; max_payload_bytes: number };
  input_schema: Record<string, unknown>;
  output_schema: Record<string, unknown>;
  data_handling: {
    pii_processed: boolean;
    data_retention_days: number;
    residency: (typeof RESIDENCIES)[number];
    subprocessors: string[];
  };
  capabilities: { streaming: boolean; idempotent: boolean; a2a_invocable: boolean };
}

/** The document of a version: a manifest, or what a registration derives (domain/registration.ts), without schemas. */
export type VersionDocument = Omit<Manifest, 'input_schema' | 'output_schema'> & {
  vertical?: string;
  icon_url?: string;
};

export const MANIFEST_LIMITS = {
  displayName: 80,
  descriptionMin: 50,
  description: 2_000,
  tags: 10,
  tag: 32,
  credits: 100_000,
  freeTierCalls: 1_000_000,
  timeoutMinMs: 1_000,
  timeoutMs: 300_000,
  /** The specification shows a default of 10 MiB and no maximum; the service carries no larger payload. */
  payloadBytes: 10_485_760,
  retentionDays: 36_500,
  subprocessors: 50,
} as const;

export const MANIFEST_DEFAULTS = {
  freeTierCalls: 0,
  timeoutMs: 30_000,
  payloadBytes: 10_485_760,
  capabilities: { streaming: false, idempotent: false, a2a_invocable: true },
} as const;

/** Which price fields each model needs; the others would be ambiguous and are refused. */
const PRICE_FIELDS = {
  per_call: ['credits_per_call'],
  per_token: ['credits_per_1k_tokens', 'max_credits_per_call'],
  per_second: ['credits_per_second', 'max_credits_per_call'],
} as const satisfies Record<PricingModel, (keyof Pricing)[]>;

const ALL_PRICE_FIELDS = [...new Set(Object.values(PRICE_FIELDS).flat())];

/**
 * Rules across fields, for a manifest that may be wrong in any other way too; `loc` is relative to the manifest. The
 * two schemas are checked elsewhere, except that `input` is always an object (contract, "Invocation").
 */
export function crossFieldProblems(manifest: Record<string, unknown>): FieldProblem[] {
  return [
    ...pricingProblems(asObject(manifest.pricing)),
    ...inputTypeProblems(asObject(manifest.input_schema)),
  ];
}

function pricingProblems(pricing: Record<string, unknown>): FieldProblem[] {
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
      problems.push({ loc, msg: `does not belong to model ${String(pricing.model)}`, type: 'not_allowed' });
    }
    if (needed.includes(field) && typeof pricing[field] === 'string' && /^[0.]*$/.test(pricing[field])) {
      problems.push({ loc, msg: 'must be above 0', type: 'exclusiveMinimum' });
    }
  }
  return problems;
}

function inputTypeProblems(schema: Record<string, unknown>): FieldProblem[] {
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

/** The document that is stored: defaults applied, author set. Expects a manifest without problems. */
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
    capabilities: { ...MANIFEST_DEFAULTS.capabilities, ...given.capabilities },
  };
}

/** What one call costs, or may cost at most, in units. */
export function priceUnitsOf(pricing: Pricing): number {
  const credits = pricing.model === 'per_call' ? pricing.credits_per_call : pricing.max_credits_per_call;
  if (credits === undefined) throw new Error('a manifest without problems has a price');
  return creditsToUnits(credits);
}

/** What listings show of a version's document besides its columns; never the endpoint. */
export function publicPartOf(document: VersionDocument) {
  const { pricing, capabilities, data_handling, homepage, icon_url, vertical } = document;
  return {
    pricing,
    capabilities,
    data_handling,
    homepage: homepage ?? null,
    icon_url: icon_url ?? null,
    vertical: vertical ?? null,
  };
}

export type PublicPart = ReturnType<typeof publicPartOf>;

function isModel(value: unknown): value is PricingModel {
  return typeof value === 'string' && Object.hasOwn(PRICE_FIELDS, value);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
