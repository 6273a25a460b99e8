import { pascal } from './openapi-responses';
import type { Json } from './openapi-schemas';

/**
 * The document with one name for one thing: generators give schemas and parameters one namespace, so a parameter with
 * the name of a schema gets another one.
 */
export function separateNames(document: Json): Json {
  const { components } = document as { components: { parameters: Json; schemas: Json } };
  const free = (name: string) => (name in components.schemas ? `${name}Parameter` : name);
  const text = JSON.stringify(document).replace(
    /"#\/components\/parameters\/(\w+)"/g,
    (_reference, name: string) => `"#/components/parameters/${free(name)}"`,
  );
  const renamed = JSON.parse(text) as { components: Json };
  const parameters = Object.entries(components.parameters).map(([name, part]) => [free(name), part]);
  return {
    ...renamed,
    components: { ...renamed.components, parameters: Object.fromEntries(parameters) as Json },
  };
}

/**
 * Adds names for generators of Go, which give every nested type the name of its schema and field, and every response
 * the name of its operation: without them, two types have one name, and the generated client does not compile.
 */
export function nameForGenerators(
  schemas: Record<string, Json>,
  operationIds: readonly string[],
): Record<string, Json> {
  const responses = new Set(operationIds.map((id) => `${pascal(id)}Response`));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const renamed = withTypeNames(name, schema, schemas);
      const answer = name.replace(/Response$/, 'Answer');
      return [name, responses.has(name) ? { ...renamed, 'x-go-name': answer } : renamed];
    }),
  );
}

/** The schema with a type name on every nested schema whose usual name is the name of a component. */
function withTypeNames(name: string, schema: Json, taken: Record<string, Json>): Json {
  if ('$ref' in schema) return schema;
  const { properties, items, allOf } = schema as {
    properties?: Record<string, Json>;
    items?: Json;
    allOf?: Json[];
  };
  return {
    ...schema,
    ...(properties && { properties: namedFields(name, properties, taken) }),
    ...(items && { items: withTypeNames(name, items, taken) }),
    ...(allOf && { allOf: allOf.map((part) => withTypeNames(name, part, taken)) }),
  };
}

function namedFields(
  name: string,
  properties: Record<string, Json>,
  taken: Record<string, Json>,
): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(properties).map(([field, part]) => {
      const usual = `${name}${pascal(field)}`;
      if ('$ref' in part || !taken[usual]) return [field, withTypeNames(usual, part, taken)];
      const free = `${usual}Value`;
      return [field, { ...withTypeNames(free, part, taken), 'x-go-type-name': free }];
    }),
  );
}
