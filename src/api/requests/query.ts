import { Kind, type TObject, type TSchema } from '@sinclair/typebox';
import type { FieldProblem } from '../../domain/errors';

const DECIMAL = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$/;

/**
 * Converts query parameters to the types of the schema: decimal numbers, `true` and `false`, and arrays for repeatable
 * fields. Other values stay text, so that the schema refuses them. Unknown fields are problems, except for public
 * operations without a declared query.
 */
export function readQuery(
  schema: TObject | undefined,
  isPublic: boolean,
  query: Record<string, unknown>,
): { value: Record<string, unknown>; problems: FieldProblem[] } {
  if (!schema)
    return { value: {}, problems: isPublic ? [] : Object.keys(query).slice(0, 100).map(unknownField) };
  const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, raw] of Object.entries(query)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    value[name] = property ? coerce(property, raw) : raw;
  }
  return { value, problems: [] };
}

function unknownField(name: string): FieldProblem {
  return { loc: ['query', name.slice(0, 80)], msg: 'is not a known field', type: 'unknown_field' };
}

function coerce(schema: TSchema, raw: unknown): unknown {
  if (schema[Kind] === 'Array') {
    const items = schema['items'] as TSchema;
    return (Array.isArray(raw) ? raw : [raw]).map((item: unknown) => coerce(items, item));
  }
  if (typeof raw !== 'string') return raw;
  const { type } = schema as { type?: string };
  if ((type === 'integer' || type === 'number') && DECIMAL.test(raw)) return Number(raw);
  if (type === 'boolean' && (raw === 'true' || raw === 'false')) return raw === 'true';
  return raw;
}
