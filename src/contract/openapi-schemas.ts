import type { TSchema } from '@sinclair/typebox';
import { schemaName } from './common';
import { FIELD_DESCRIPTIONS } from './openapi-descriptions';

export type Json = Record<string, unknown>;

/** Collects the named schemas of a document while schemas are converted. */
export interface SchemaCollector {
  /** The component schemas by name, sorted. */
  schemas: () => Record<string, Json>;
  /**
   * Converts a TypeBox schema to plain JSON. Named schemas become references to components. `name` is used for a schema
   * without a name of its own. Throws when two different schemas have one name.
   */
  convert: (schema: TSchema, name?: string) => Json;
}

/** Keywords whose value is one schema, a list of schemas, or schemas by name. All other values are copied. */
const ONE = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames']);
/** The service's own checks, which are no registered formats. */
const OWN_FORMATS = new Set<unknown>(['text', 'instant', 'cursor']);
const LIST = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems']);

export function createSchemaCollector(): SchemaCollector {
  const known = new Map<string, Json>();

  function convert(schema: TSchema, fallback?: string): Json {
    const name = schemaName(schema) ?? fallback;
    if (name === undefined) return body(schema);
    const converted = body(schema);
    const earlier = known.get(name);
    if (earlier && JSON.stringify(earlier) !== JSON.stringify(converted))
      throw new Error(`two different schemas are named ${name}`);
    known.set(name, converted);
    return { $ref: `#/components/schemas/${name}` };
  }

  function body(schema: TSchema): Json {
    const entries = Object.entries(schema as Json).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'examples' && schema['format'] === 'date-time') return []; // the format says enough
      if (key === 'format' && OWN_FORMATS.has(value)) return [];
      if (ONE.has(key) && isSchema(value)) return [[key, convert(value)]];
      if (LIST.has(key)) return [[key, (value as TSchema[]).map((part) => convert(part))]];
      if (key === 'properties') return [[key, properties(value as Record<string, TSchema>)]];
      if (key === 'patternProperties') return [['additionalProperties', anyProperty(value as object)]];
      return [[key, value]];
    });
    const plain = JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Json;
    return simpler(plain);
  }

  /** TypeBox writes a record of any keys as one pattern. */
  function anyProperty(patterns: object): Json {
    return convert(Object.values(patterns)[0] as TSchema);
  }

  function properties(fields: Record<string, TSchema>): Json {
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, described(name, convert(field))]),
    );
  }

  return {
    convert,
    schemas: () => Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Adds the general description of a field's name where its schema has none of its own. */
export function described(name: string, schema: Json): Json {
  const text = Object.hasOwn(FIELD_DESCRIPTIONS, name) ? FIELD_DESCRIPTIONS[name] : undefined;
  if (text === undefined || '$ref' in schema || 'description' in schema) return schema;
  return { ...schema, description: text };
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null;
}

/** Writes a union of literals as `enum`, and a union of a plain type with null as a list of types. */
function simpler(schema: Json): Json {
  const { anyOf, ...rest } = schema as { anyOf?: Json[] };
  if (!anyOf) return schema;
  if (anyOf.every((part) => typeof part['const'] === 'string' && Object.keys(part).length <= 2))
    return { type: 'string', enum: anyOf.map((part) => part['const']), ...rest };
  const [first, second] = anyOf;
  const isNullable = anyOf.length === 2 && second?.['type'] === 'null' && typeof first?.['type'] === 'string';
  if (!isNullable || first['type'] === 'object' || 'const' in first) return schema;
  const values = first['enum'] as unknown[] | undefined;
  return { ...first, ...rest, type: [first['type'], 'null'], ...(values && { enum: [...values, null] }) };
}
