import { MAX_COST_CREDITS } from '../domain/calls/cost-ceiling';
import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';
import { TRUNCATIONS } from '../domain/catalogue/truncation';
import { INSTANT_PATTERN } from '../domain/instant';
import { MOST_COUNTED } from '../domain/list-total';

/** An object schema that refuses unknown fields (contract, "General": unknown fields are 422). */
export function strictObject<P extends TProperties>(
  properties: P,
  options: Record<string, unknown> = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/**
 * A string schema that refuses NUL characters and lone surrogates, which Postgres cannot store (format `text`,
 * checked by the API's validator). Use it for every request string that is stored or compared.
 */
export function text(options: {
  minLength?: number;
  maxLength: number;
  pattern?: string;
  format?: 'instant' | 'cursor';
  description?: string;
}) {
  return Type.String({ format: 'text', ...options });
}

/**
 * A body schema for documentation. The service validates the body itself, so that one 422 names every invalid field.
 */
export function checkedLater(schema: TObject) {
  const anything = Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'Any other object: refused with 422',
    },
  );
  return Type.Unsafe<Record<string, unknown>>(Type.Union([schema, anything]));
}

const SCHEMA_NAME = Symbol('schema name');

/** Gives a schema the name of a component of the OpenAPI document. Validation is not affected. */
export function named<S extends TSchema>(name: string, schema: S): S {
  return { ...schema, [SCHEMA_NAME]: name };
}

/** The name that `named` gave a schema. */
export function schemaName(schema: object): string | undefined {
  return (schema as { [SCHEMA_NAME]?: string })[SCHEMA_NAME];
}

/** ISO 8601 UTC timestamp with milliseconds. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-02T00:00:00.000Z'] });

/** Credits with at most two decimals. There is no `multipleOf`, because 19.99 is not a multiple of 0.01 in binary. */
export const Credits = named('Credits', Type.Number({ description: 'Credits, at most 2 decimals' }));

/** A time in a request. The format also refuses times that do not exist; the handler parses it with `parseInstant`. */
export const Instant = (description: string) =>
  text({ maxLength: 40, pattern: INSTANT_PATTERN, format: 'instant', description });

export const AgentId = named(
  'AgentId',
  text({
    maxLength: 96,
    pattern: '^agt_[a-z0-9_]+_v[0-9]+$',
    description: 'An agent: its slug and its major version, such as `agt_unit_converter_v1`',
  }),
);
export const Slug = named(
  'Slug',
  text({
    maxLength: 64,
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
    description: 'Name of an agent in addresses, such as `unit-converter`',
  }),
);
/** What ended a streamed answer early (docs/streaming.md). */
export const TruncatedBy = named(
  'Truncation',
  Type.Union([...TRUNCATIONS.map((by) => Type.Literal(by))], {
    description: 'What ended a streamed answer that was paid as far as it was delivered',
  }),
);
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The header that sets the ceiling of a call. */
export const MaxCostHeader = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: MAX_COST_CREDITS,
    description: 'Maximum cost of this call, in whole credits',
  }),
);

/** Default number of items per page. */
export const DEFAULT_PAGE_LIMIT = 20;
export const MAX_PAGE_LIMIT = 100;

/** Query parameters of every list. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_LIMIT, default: DEFAULT_PAGE_LIMIT })),
  cursor: Type.Optional(text({ maxLength: 512, format: 'cursor' })),
};

const NextCursor = named(
  'NextCursor',
  Nullable(Type.String({ description: 'Cursor of the next page; `null` on the last page' })),
);
const Total = named(
  'Total',
  Type.Integer({
    minimum: 0,
    description: `Number of items on all pages. Left out for lists of more than ${MOST_COUNTED} items`,
  }),
);

/** The response of every list: `{items, next_cursor, total?}`. */
export function page<T extends TSchema>(item: T) {
  const name = schemaName(item);
  const list = strictObject({
    items: Type.Array(item),
    next_cursor: NextCursor,
    total: Type.Optional(Total),
  });
  return name === undefined ? list : named(`${name}Page`, list);
}

export const Profile = named(
  'Profile',
  strictObject({
    user_id: Type.String({ examples: ['usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    email: Type.String(),
    displayName: Type.String(),
    role: Type.Union([Type.Literal('buyer'), Type.Literal('developer'), Type.Literal('operator')]),
    developer_id: Nullable(Type.String({ examples: ['dev_ada-lovelace'] })),
    registration_paid: Type.Boolean(),
    time_zone: Type.String({
      description: 'IANA time zone in which the days, weeks and months of budgets begin',
      examples: ['Europe/Berlin'],
    }),
    created_at: Timestamp,
  }),
);

/** Headers of a request for a document that has a tag: the answer is 304 to a client that has it. */
export const IfNoneMatch = strictObject({ 'If-None-Match': Type.Optional(Type.String()) });

/** One of some texts. */
export const enumOf = <T extends string>(values: readonly T[], description?: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...(description && { description }) });
