import type { Json } from './openapi-schemas';

interface ObjectSchema {
  type: 'object';
  properties: Record<string, Json>;
  required?: string[];
}

/** Fewer common fields are a coincidence and no common base. */
const LEAST_FIELDS = 6;

/**
 * Simplifies schemas that occur only in responses. They allow further fields, because a client must ignore fields that
 * it does not know. A schema that has all fields of another one is written as the other one plus its own fields.
 */
export function simplifyResponses(schemas: Record<string, Json>, paths: Json): Record<string, Json> {
  const inRequests = reachable(schemas, requestParts(paths));
  const open = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, inRequests.has(name) ? schema : opened(schema)]),
  );
  const bases = Object.entries(open).filter(
    ([name, schema]) =>
      !inRequests.has(name) && isObject(schema) && Object.keys(schema.properties).length >= LEAST_FIELDS,
  ) as unknown as [string, ObjectSchema][];
  return Object.fromEntries(
    Object.entries(open).map(([name, schema]) => {
      if (inRequests.has(name) || !isObject(schema)) return [name, schema];
      const found = bases.filter(([other, base]) => other !== name && contains(schema, base));
      const [best] = found.sort(([, a], [, b]) => size(b) - size(a));
      return [name, best ? extension(schema, ...best) : schema];
    }),
  );
}

const size = (schema: ObjectSchema) => Object.keys(schema.properties).length;

function isObject(schema: Json): schema is Json & ObjectSchema {
  return schema['type'] === 'object' && typeof schema['properties'] === 'object';
}

/** True if every field of `base` is a field of `schema` with the same definition, and `schema` has more. */
function contains(schema: ObjectSchema, base: ObjectSchema): boolean {
  return (
    size(schema) > size(base) &&
    Object.entries(base.properties).every(
      ([name, field]) =>
        JSON.stringify(schema.properties[name]) === JSON.stringify(field) &&
        schema.required?.includes(name) === base.required?.includes(name),
    )
  );
}

function extension(schema: Json & ObjectSchema, name: string, base: ObjectSchema): Json {
  const { type, properties, required, ...rest } = schema;
  const own = Object.entries(properties).filter(([field]) => !(field in base.properties));
  const ownRequired = required?.filter((field) => !(field in base.properties)) ?? [];
  const more = {
    type,
    properties: Object.fromEntries(own),
    ...(ownRequired.length > 0 && { required: ownRequired }),
  };
  return { ...rest, allOf: [{ $ref: `#/components/schemas/${name}` }, more] };
}

/** Removes `additionalProperties: false` at every depth. */
function opened(schema: Json): Json {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'additionalProperties' && value === false ? undefined : value,
    ),
  ) as Json;
}

/** Request bodies and parameters of all operations. */
function requestParts(paths: Json): unknown[] {
  return Object.values(paths as Record<string, Record<string, Json>>).flatMap((methods) =>
    Object.values(methods).flatMap(({ requestBody, parameters }) => [requestBody, parameters]),
  );
}

/** Names of the schemas that `parts` reference, directly or through other schemas. */
function reachable(schemas: Record<string, Json>, parts: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      visit(schemas[name] ?? null);
    }
  };
  visit(parts);
  return names;
}
