/**
 * Self-hosted agents (specification, "Self-hosted agent registration"; contract, "Publishing and the agent's
 * life"): the registration that replaces a manifest, its price, and the version document derived from it. The
 * upstream credential is not part of the document: it belongs to the agent and is never shown.
 */
import type { FieldProblem } from '../errors';
import {
  CATEGORIES,
  MANIFEST_DEFAULTS,
  MANIFEST_LIMITS,
  type Manifest,
  type VersionDocument,
} from './manifest';
import { UNITS_PER_CREDIT } from '../ledger/money';
import { asRecord, isRecord } from '../json-value';

export const PROTOCOLS = ['http', 'mcp'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** What a registration may declare like a manifest. Verification then examines it like a manifest. */
export type Declared = Partial<
  Pick<
    Manifest,
    'description' | 'input_schema' | 'output_schema' | 'examples' | 'input_role' | 'data_handling'
  >
> & { capabilities?: { streaming?: boolean } };
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
export interface Registration extends Declared {
  slug: string;
  name: string;
  vertical?: string;
  icon_url?: string;
  access_config: { endpoint_url: string; price_per_call_units?: number; protocol?: Protocol };
  x402?: { price_usd: number; pay_to: string };
}

/** The version document of a registration. `x402.price_usd` is a decimal string with at most 6 decimals. */
export type RegistrationDocument = VersionDocument &
  Pick<Declared, 'input_schema' | 'output_schema' | 'examples' | 'input_role'> & {
    protocol: Protocol;
    price_per_call_units?: number;
    x402?: { price_usd: string; pay_to: string };
  };

const MICROS_PER_USD = 1_000_000;
/** 1 credit is 1 US cent. */
const MICROS_PER_CREDIT = MICROS_PER_USD / 100;
const USD = /^(0|[1-9][0-9]{0,6})(?:\.([0-9]{1,6}))?$/;

export const REGISTRATION_LIMITS = {
  vertical: 64,
  priceUnits: MANIFEST_LIMITS.credits * UNITS_PER_CREDIT,
  priceUsdMin: 1 / MICROS_PER_USD,
  priceUsd: MANIFEST_LIMITS.credits / 100,
} as const;

/** Listings show the least favourable values for a registration that declares nothing about data handling. */
const DATA_HANDLING = {
  pii_processed: true,
  data_retention_days: 1,
  residency: 'global',
  subprocessors: [],
} as const;

/** Converts units to whole credits, rounded up: charges are always whole credits. */
export function creditsOfUnits(units: number): number {
  return Math.ceil(units / UNITS_PER_CREDIT);
}

/**
 * Converts US dollars to exact millionths. Returns undefined when the amount has more than 6 decimals or is
 * not greater than 0.
 */
export function microsOfUsd(usd: number): number | undefined {
  const [, whole, places = ''] = USD.exec(String(usd)) ?? [];
  if (whole === undefined) return undefined;
  const micros = Number(whole) * MICROS_PER_USD + Number(places.padEnd(6, '0'));
  return micros > 0 ? micros : undefined;
}

/** The price of a call in whole credits. Requires a validated registration. */
export function priceCreditsOf({ access_config: access, x402 }: Registration): number {
  if (!x402) return creditsOfUnits(access.price_per_call_units ?? Number.NaN);
  return Math.ceil((microsOfUsd(x402.price_usd) ?? Number.NaN) / MICROS_PER_CREDIT);
}

/**
 * Checks the price rules across fields. The body may be invalid in any other way too; `loc` is relative to
 * the body.
 */
export function priceProblems(body: Record<string, unknown>): FieldProblem[] {
  const { x402 } = body;
  const units = asRecord(body.access_config).price_per_call_units;
  if (units === undefined && x402 === undefined) {
    const msg = 'is required unless x402 is given';
    return [{ loc: ['access_config', 'price_per_call_units'], msg, type: 'required' }];
  }
  if (units !== undefined && x402 !== undefined) {
    return [
      {
        loc: ['x402'],
        msg: 'cannot be combined with price_per_call_units; give one of them',
        type: 'not_allowed',
      },
    ];
  }
  const usd = asRecord(x402).price_usd;
  const isInRange =
    typeof usd === 'number' && usd >= REGISTRATION_LIMITS.priceUsdMin && usd <= REGISTRATION_LIMITS.priceUsd;
  if (!isInRange || microsOfUsd(usd) !== undefined) return [];
  return [{ loc: ['x402', 'price_usd'], msg: 'must have at most 6 decimals', type: 'decimals' }];
}

/**
 * Checks what a registration declares like a manifest, except for each field by itself. `loc` is relative to the body.
 * The tools of an MCP server have schemas of their own.
 */
export function declaredProblems(body: Record<string, unknown>): FieldProblem[] {
  const isMcp = asRecord(body.access_config).protocol === 'mcp';
  const given = SCHEMA_FIELDS.filter((field) => body[field] !== undefined);
  const streams = body.capabilities === undefined ? [] : (['capabilities'] as const);
  if (isMcp)
    return [...given, ...streams].map((field) => ({
      loc: [field],
      msg: 'is not allowed for an MCP server, whose tools have schemas of their own',
      type: 'not_allowed',
    }));
  const hasSchema = given.includes('input_schema') || given.includes('output_schema');
  const missing = (['input_schema', 'output_schema'] as const).filter((field) => !given.includes(field));
  const needsBoth = hasSchema || given.length > 0;
  const msg = 'is required with input_schema, output_schema, examples or input_role';
  return needsBoth ? missing.map((field) => ({ loc: [field], msg, type: 'required' })) : [];
}

const SCHEMA_FIELDS = ['input_schema', 'output_schema', 'examples', 'input_role'] as const;

/** Builds the version document. Requires a validated registration with normalized addresses. */
export function documentOf(
  registration: Registration,
  { author, version }: { author: string; version: string },
): RegistrationDocument {
  const { slug, name, vertical, icon_url, access_config: access, x402 } = registration;
  const { description, data_handling: handling, capabilities, ...declared } = declaredOf(registration);
  const protocol = access.protocol ?? 'http';
  return {
    schema_version: '1.0',
    protocol,
    agent_id: slug,
    display_name: name,
    description: description ?? describe(name, protocol, vertical),
    version,
    author,
    category: CATEGORIES.find((category) => category === vertical) ?? 'other',
    tags: [],
    ...(vertical !== undefined && { vertical }),
    ...(icon_url !== undefined && { icon_url }),
    pricing: {
      model: 'per_call',
      credits_per_call: priceCreditsOf(registration),
      free_tier_calls: MANIFEST_DEFAULTS.freeTierCalls,
    },
    ...(access.price_per_call_units !== undefined && { price_per_call_units: access.price_per_call_units }),
    ...(x402 && { x402: { price_usd: usdText(x402.price_usd), pay_to: x402.pay_to } }),
    endpoint: {
      url: access.endpoint_url,
      timeout_ms: MANIFEST_DEFAULTS.timeoutMs,
      max_payload_bytes: MANIFEST_DEFAULTS.payloadBytes,
    },
    ...declared,
    data_handling: { ...(handling ?? DATA_HANDLING), subprocessors: [...(handling?.subprocessors ?? [])] },
    capabilities: { ...MANIFEST_DEFAULTS.capabilities, ...capabilities },
  };
}

/** Restores the registration from a version document. */
export function registrationOf(document: RegistrationDocument): Registration {
  const { vertical, icon_url, price_per_call_units, x402, description, data_handling: handling } = document;
  const { description: _, data_handling: __, capabilities, ...declared } = declaredOf(document);
  const isDescribed = description !== describe(document.display_name, document.protocol, vertical);
  return {
    slug: document.agent_id,
    name: document.display_name,
    ...(isDescribed && { description }),
    ...declared,
    ...(isDeclared(handling) && { data_handling: handling }),
    ...(capabilities?.streaming && { capabilities: { streaming: true } }),
    ...(vertical !== undefined && { vertical }),
    ...(icon_url !== undefined && { icon_url }),
    access_config: {
      endpoint_url: document.endpoint.url,
      ...(price_per_call_units !== undefined && { price_per_call_units }),
      protocol: document.protocol,
    },
    ...(x402 && { x402: { price_usd: Number(x402.price_usd), pay_to: x402.pay_to } }),
  };
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
 * kind replaces a price of the other kind, unless the update contains both.
 */
export function mergeChange(current: Registration, change: Record<string, unknown>): Record<string, unknown> {
  const access = asRecord(change.access_config);
  const base: Record<string, unknown> = { ...current, access_config: { ...current.access_config } };
  if (access.price_per_call_units !== undefined) delete base.x402;
  if (isRecord(change.x402)) delete asRecord(base.access_config).price_per_call_units;
  const merged = { ...base, ...change };
  for (const field of ['access_config', 'x402']) {
    if (isRecord(base[field]) && isRecord(change[field]))
      merged[field] = { ...base[field], ...change[field] };
  }
  for (const field of ['vertical', 'icon_url', 'x402', ...DECLARED_FIELDS])
    if (change[field] === null) delete merged[field];
  return merged;
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
    [...SHOWN_FIELDS, ...SCHEMA_FIELDS, 'data_handling' as const, 'capabilities' as const].some(
      (field) => JSON.stringify(serving[field]) !== JSON.stringify(next[field]),
    )
  );
}

function describe(name: string, protocol: Protocol, vertical: string | undefined): string {
  const what = protocol === 'mcp' ? 'MCP server' : 'agent';
  return `${name}: a self-hosted ${what}${vertical === undefined ? '' : ` for ${vertical}`}.`;
}

/**
 * Formats a price: 0.5 → `0.5`. The number has at most 6 decimals and is at least 1e-6, so `String` never
 * uses exponent notation.
 */
function usdText(usd: number): string {
  return String(usd);
}
