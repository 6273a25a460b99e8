import type { FieldProblem } from '../errors';
import { asRecord, isRecord } from '../json-value';

/**
 * A change between two versions of one major that can break buyers: the id of the agent stays, so their programs meet
 * the new version without a change of their own.
 */
export interface BreakingChange {
  /** Place in the manifest. */
  loc: FieldProblem['loc'];
  what: string;
}

type Json = Record<string, unknown>;
type Loc = (string | number)[];
/** Inputs break buyers when fewer are accepted, outputs when more can be answered. */
type Side = 'input' | 'output';

/** What a manifest, or a listing, offers its buyers. */
export interface Offer {
  pricing?: unknown;
  capabilities?: unknown;
  input_schema?: unknown;
  output_schema?: unknown;
}

/** The changes from one version to the next that can break buyers: of schemas, price and capabilities. */
export function breakingChanges(before: Offer, after: Offer): BreakingChange[] {
  return [
    ...priceChanges(asRecord(before.pricing), asRecord(after.pricing)),
    ...capabilityChanges(asRecord(before.capabilities), asRecord(after.capabilities)),
    ...schemaChanges(before.input_schema, after.input_schema, 'input', ['input_schema']),
    ...schemaChanges(before.output_schema, after.output_schema, 'output', ['output_schema']),
  ];
}

/** Prices that break budgets when they rise. */
const PRICES = ['credits_per_call', 'credits_per_1k_tokens', 'credits_per_second', 'max_credits_per_call'];

function priceChanges(before: Json, after: Json): BreakingChange[] {
  const at = (name: string, what: string): BreakingChange => ({ loc: ['pricing', name], what });
  if (before.model !== after.model)
    return [at('model', `changes from ${shown(before.model)} to ${shown(after.model)}`)];
  const rises = PRICES.filter((name) => Number(after[name]) > Number(before[name]));
  const [freeBefore, freeAfter] = [Number(before.free_tier_calls ?? 0), Number(after.free_tier_calls ?? 0)];
  return [
    ...rises.map((name) => at(name, `rises from ${shown(before[name])} to ${shown(after[name])}`)),
    ...(freeAfter < freeBefore ? [at('free_tier_calls', `falls from ${freeBefore} to ${freeAfter}`)] : []),
  ];
}

function capabilityChanges(before: Json, after: Json): BreakingChange[] {
  const gone = ['streaming', 'idempotent'].filter((name) => before[name] === true && after[name] !== true);
  const takesJobs = !isRecord(before.jobs) && isRecord(after.jobs);
  const [paidBefore, paidAfter] = [before, after].map(percentOfMilestones);
  return [
    ...gone.map((name) => ({ loc: ['capabilities', name], what: 'is no longer declared' })),
    ...(takesJobs
      ? [{ loc: ['capabilities', 'jobs'], what: 'is declared now: calls may outlast their callers' }]
      : []),
    ...(!takesJobs && Number(paidAfter) > Number(paidBefore)
      ? [
          {
            loc: ['capabilities', 'jobs', 'milestones'],
            what: `rise from ${paidBefore} to ${paidAfter} percent of the price: a failed job may cost more`,
          },
        ]
      : []),
  ];
}

function percentOfMilestones({ jobs }: Json): number {
  const { milestones } = asRecord(jobs);
  return Array.isArray(milestones)
    ? milestones.reduce<number>((sum, one) => sum + Number(asRecord(one).percent), 0)
    : 0;
}

/** Keywords that are compared part by part, or that mean nothing for a value. */
const COMPARED = new Set([
  'type',
  'enum',
  'const',
  'required',
  'properties',
  'items',
  'additionalProperties',
]);
const NOTES = new Set([
  'title',
  'description',
  'examples',
  'default',
  'deprecated',
  '$comment',
  '$schema',
  '$id',
]);
/** Bounds by the direction in which they accept less. */
const BOUNDS: Record<string, 1 | -1> = {
  minLength: 1, minimum: 1, exclusiveMinimum: 1, minItems: 1, minProperties: 1, minContains: 1,
  maxLength: -1, maximum: -1, exclusiveMaximum: -1, maxItems: -1, maxProperties: -1, maxContains: -1,
}; // prettier-ignore

/** Changes of a schema. A keyword whose effect is not compared counts when it differs: its author knows its effect. */
function schemaChanges(before: unknown, after: unknown, side: Side, loc: Loc): BreakingChange[] {
  const [from, to] = [plain(before), plain(after)];
  if (JSON.stringify(sorted(from)) === JSON.stringify(sorted(to))) return [];
  return [
    ...typeChanges(from, to, side, loc),
    ...choiceChanges(from, to, side, loc),
    ...requiredChanges(from, to, side, loc),
    ...propertyChanges(from, to, side, loc),
    ...('items' in from || 'items' in to ? schemaChanges(from.items, to.items, side, [...loc, 'items']) : []),
    ...otherChanges(from, to, side, loc),
  ];
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

function typesOf({ type }: Json): Set<unknown> {
  const named = type === undefined ? TYPES : Array.isArray(type) ? (type as unknown[]) : [type];
  return new Set(named.includes('number') ? [...named, 'integer'] : named);
}

function typeChanges(from: Json, to: Json, side: Side, loc: Loc): BreakingChange[] {
  const [wide, narrow] = side === 'input' ? [from, to] : [to, from];
  const allowed = typesOf(narrow);
  if ([...typesOf(wide)].every((type) => allowed.has(type))) return [];
  return [{ loc: [...loc, 'type'], what: `changes from ${shown(from.type)} to ${shown(to.type)}` }];
}

function choiceChanges(from: Json, to: Json, side: Side, loc: Loc): BreakingChange[] {
  const choices = ({ enum: values, const: only }: Json): unknown[] | undefined =>
    Array.isArray(values) ? values : only === undefined ? undefined : [only];
  const [wide, narrow] = side === 'input' ? [choices(from), choices(to)] : [choices(to), choices(from)];
  if (narrow === undefined) return [];
  const place = [...loc, 'enum' in to || 'enum' in from ? 'enum' : 'const'];
  if (wide === undefined)
    return [{ loc: place, what: side === 'input' ? 'limits the values' : 'no longer limits the values' }];
  const known = new Set(narrow.map((value) => JSON.stringify(value)));
  const others = wide.filter((value) => !known.has(JSON.stringify(value))).map(shown);
  if (others.length === 0) return [];
  const verb = side === 'input' ? 'no longer accepts' : 'can now be';
  return [{ loc: place, what: `${verb} ${others.slice(0, 5).join(', ')}` }];
}

function requiredChanges(from: Json, to: Json, side: Side, loc: Loc): BreakingChange[] {
  const of = ({ required }: Json) => (Array.isArray(required) ? (required as string[]) : []);
  const [more, fewer] = side === 'input' ? [of(to), of(from)] : [of(from), of(to)];
  const what = side === 'input' ? 'is now required' : 'is no longer always there';
  return more
    .filter((name) => !fewer.includes(name))
    .map((name) => ({ loc: [...loc, 'properties', name], what }));
}

function propertyChanges(from: Json, to: Json, side: Side, loc: Loc): BreakingChange[] {
  const [before, after] = [asRecord(from.properties), asRecord(to.properties)];
  const isClosed = to.additionalProperties === false;
  return Object.keys(before).flatMap((name): BreakingChange[] => {
    const place = [...loc, 'properties', name];
    if (Object.hasOwn(after, name)) return schemaChanges(before[name], after[name], side, place);
    if (side === 'output') return [{ loc: place, what: 'is no longer described' }];
    return isClosed ? [{ loc: place, what: 'is no longer accepted' }] : [];
  });
}

function otherChanges(from: Json, to: Json, side: Side, loc: Loc): BreakingChange[] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)].filter((name) => !NOTES.has(name)));
  return [...names].flatMap((name): BreakingChange[] => {
    const [before, after] = [from[name], to[name]];
    if (JSON.stringify(sorted(before)) === JSON.stringify(sorted(after))) return [];
    const at = (what: string): BreakingChange[] => [{ loc: [...loc, name], what }];
    const direction = BOUNDS[name];
    if (direction !== undefined)
      return isTighter(before, after, direction) === (side === 'input')
        ? at(`changes from ${shown(before)} to ${shown(after)}`)
        : [];
    if (name === 'additionalProperties') return closes(before, after, side) ? at(closing(side)) : [];
    return COMPARED.has(name) ? [] : at('differs: buyers may depend on it');
  });
}

/** Whether a bound accepts less than before; a bound that is gone accepts more. */
function isTighter(before: unknown, after: unknown, direction: 1 | -1): boolean {
  if (after === undefined) return false;
  if (before === undefined) return true;
  return (Number(after) - Number(before)) * direction > 0;
}

/** Whether unknown fields are refused (input) that were accepted. Unknown fields of an answer break no buyer. */
function closes(before: unknown, after: unknown, side: Side): boolean {
  if (side === 'output') return isRecord(before) || isRecord(after);
  return (
    (before === undefined || before === true || isRecord(before)) && (after === false || isRecord(after))
  );
}

const closing = (side: Side) =>
  side === 'input' ? 'refuses fields that were accepted' : 'describes further fields in another way';

function plain(schema: unknown): Json {
  if (schema === false) return { not: {} };
  return asRecord(schema);
}

/** The value with the members of its objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !NOTES.has(name));
  return Object.fromEntries(
    entries.map(([name, part]) => [name, sorted(part)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60));
