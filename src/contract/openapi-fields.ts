import { pascal } from './openapi-responses';
import type { Json } from './openapi-schemas';

/**
 * Least gain, in characters, for which a field becomes a component, which costs a definition and a reference at each
 * place.
 */
const LEAST_GAIN = 100;
const SCALARS = ['string', 'integer', 'number', 'boolean'];

/**
 * Moves each plain field that many schemas define alike, such as `created_at`, to a schema of its own, and refers to
 * it. The schema is named after the field. If several definitions have one name, the one that saves most is moved.
 */
export function shareFields(schemas: Record<string, Json>): Record<string, Json> {
  const uses = new Map<string, Map<string, number>>();
  for (const [name, field] of Object.values(schemas).flatMap(fieldsOf)) {
    if (!isPlain(field)) continue;
    const texts = uses.get(name) ?? new Map<string, number>();
    const text = JSON.stringify(field);
    uses.set(name, texts.set(text, (texts.get(text) ?? 0) + 1));
  }
  const moved = new Map<string, string>();
  for (const [name, texts] of uses) {
    if (Object.hasOwn(schemas, pascal(name))) continue;
    const [best] = [...texts].sort((a, b) => gain(name, b) - gain(name, a));
    if (best && gain(name, best) >= LEAST_GAIN) moved.set(name, best[0]);
  }
  const shared = Object.entries(schemas).map(([name, schema]): [string, Json] => [
    name,
    withReferences(schema, moved),
  ]);
  const fields = [...moved].map(([name, text]): [string, Json] => [pascal(name), JSON.parse(text) as Json]);
  return Object.fromEntries([...shared, ...fields].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${pascal(name)}` });

function gain(name: string, [text, count]: [string, number]): number {
  const length = JSON.stringify(reference(name)).length;
  return count * (text.length - length) - text.length - pascal(name).length - 4;
}

/** A text, a number, a truth value, or one of these or null. */
function isPlain(field: Json): boolean {
  const types = [field['type']].flat().filter((type) => type !== 'null');
  return types.length === 1 && SCALARS.includes(types[0] as string);
}

/** The fields of a schema and of its parts, at every depth. */
function fieldsOf(schema: Json): [string, Json][] {
  const found: [string, Json][] = [];
  visit(schema, (properties) => found.push(...(Object.entries(properties) as [string, Json][])));
  return found;
}

function withReferences(schema: Json, moved: ReadonlyMap<string, string>): Json {
  const copy = structuredClone(schema);
  visit(copy, (properties) => {
    for (const [name, field] of Object.entries(properties))
      if (moved.get(name) === JSON.stringify(field)) properties[name] = reference(name);
  });
  return copy;
}

/** Calls `take` with the fields of a schema and of each schema in it. Examples and defaults are no schemas. */
function visit(schema: unknown, edit: (properties: Json) => void): void {
  if (Array.isArray(schema)) for (const part of schema) visit(part, edit);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not } = schema as Record<
    string,
    unknown
  >;
  for (const part of [items, additionalProperties, allOf, anyOf, oneOf, not]) visit(part, edit);
  if (typeof properties !== 'object' || properties === null) return;
  for (const field of Object.values(properties)) visit(field, edit);
  edit(properties as Json);
}
