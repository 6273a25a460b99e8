import type { Schema } from '../api-schema';
import { fieldsText } from './pages';
import { oneLine, tableText } from './terminal-text';

type Listing = Schema<'Listing'>;
type ListingDetail = Schema<'ListingDetail'>;
type JsonSchema = Record<string, unknown>;

/** Formats the price of a call for one column, such as `2` or `3/1k tokens, ≤ 50`. */
export function priceOf({ pricing }: Pick<Listing, 'pricing'>): string {
  if (pricing.model === 'per_token')
    return `${pricing.credits_per_1k_tokens}/1k tokens, ≤ ${pricing.max_credits_per_call}`;
  if (pricing.model === 'per_second')
    return `${pricing.credits_per_second}/s, ≤ ${pricing.max_credits_per_call}`;
  return String(pricing.credits_per_call);
}

/** Formats the price of a call with its unit, such as `1 credit`. */
export function priceText(priced: Pick<Listing, 'pricing'>): string {
  const price = priceOf(priced);
  return price === '1' ? '1 credit' : `${price} credits`;
}

/** A price that is announced, such as `3 credits from 2026-11-16T09:12:45.000Z on`; undefined without one. */
function nextPriceOf({ next_pricing: pricing, price_effective_at: at }: Listing): string | undefined {
  return pricing && at ? `${priceText({ pricing })} from ${at} on` : undefined;
}

/** A warranty with its history; undefined without one. */
function warrantyOf({ warranty }: Pick<ListingDetail, 'warranty'>): string | undefined {
  if (!warranty) return undefined;
  const {
    success_rate: rate,
    p95_ms: p95,
    uptime,
    remedy_percent: remedy,
    months_kept,
    months_broken,
  } = warranty;
  const promises = [
    rate !== undefined && `${rate * 100}% succeed`,
    p95 !== undefined && `95% within ${p95} ms`,
    uptime !== undefined && `${uptime * 100}% reached`,
  ].filter(Boolean);
  return `${promises.join(', ')} each month, else ${remedy}% back; ${months_kept} months kept, ${months_broken} broken`;
}

/** Formats a listing for a buyer: what the agent does, costs, takes and answers, and a call of it. */
export function listingText(listing: ListingDetail): string {
  const { agent_id: id, stats, examples, developer } = listing;
  const { jobs } = listing.capabilities;
  const badge = listing.badge === null ? 'none' : `${listing.badge}, score ${listing.trust_score ?? '-'}`;
  const rate =
    stats.success_rate === null
      ? stats.few_calls && stats.invocations_30d > 0
        ? ', few calls: fewer than ten buyers'
        : ''
      : `, ${Math.round(stats.success_rate * 1_000) / 10}% succeeded`;
  const head = fieldsText({
    agent: id,
    version: listing.version,
    developer: developer.display_name,
    price: `${priceText(listing)}, at most ${listing.max_cost_usd} USD a call`,
    'next price': nextPriceOf(listing),
    badge,
    examined: listing.examined ?? undefined,
    warranty: warrantyOf(listing),
    jobs: jobs ? `up to ${spanText(jobs.max_seconds)}${usualText(stats.jobs)}` : undefined,
    calls: `${stats.invocations_30d} in 30 days${rate}`,
  });
  const example = examples[0];
  const call =
    example === undefined
      ? `market invoke ${id} '{…}'`
      : `market invoke ${id} '${JSON.stringify(example).replaceAll("'", `'\\''`)}'`;
  return [
    oneLine(`${listing.display_name}: ${listing.description}`),
    '',
    head,
    '',
    ...schemaLines('Input', listing.input_schema),
    '',
    ...schemaLines('Output', listing.output_schema),
    '',
    `Call it:\n  ${oneLine(call)}`,
  ].join('\n');
}

/** How long the jobs of the last 30 days took, if there were any. */
const usualText = ({ p50_ms: ms }: Listing['stats']['jobs']) =>
  ms === null ? '' : `; half took less than ${spanText(Math.max(1, Math.round(ms / 1_000)))}`;

const SPANS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a length of time in its two largest units: 2,400 seconds are `40 minutes`. */
function spanText(seconds: number): string {
  const first = SPANS.findIndex(([, size]) => seconds >= size);
  let rest = seconds;
  const parts = SPANS.slice(first, first + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`];
  });
  return parts.join(' ');
}

/** The fields at the top of a schema as a table; the whole schema is in `--json`. */
function schemaLines(title: string, schema: JsonSchema | null): string[] {
  if (schema === null) return [`${title}: any; the agent declares no schema`];
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  if (fields.length === 0) return [`${title}: ${oneLine(JSON.stringify(schema))}`];
  const required = (schema['required'] ?? []) as string[];
  const rows = fields.map(([name, field]) => [
    `  ${name}`,
    typeOf(field),
    required.includes(name) ? 'required' : 'optional',
    typeof field['description'] === 'string' ? field['description'] : '',
  ]);
  return [`${title}:`, tableText(rows)];
}

function typeOf(field: JsonSchema): string {
  const { type, enum: values } = field;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}
