import type { TObject } from '@sinclair/typebox';
import type { Operation } from './operation';
import { pascal } from './openapi-responses';
import { described, type Json, type SchemaCollector } from './openapi-schemas';

/**
 * Parameters by operation. A parameter that several operations share becomes one component. Among different parameters
 * of one name, the most frequent one does, and the most frequent one in another place of the request.
 */
export function shareParameters(
  operations: readonly Operation[],
  collector: SchemaCollector,
): { components: Json; of: (operation: Operation) => Json[] } {
  const all = new Map(operations.map((operation) => [operation, parameters(operation, collector)]));
  const uses = new Map<string, number>();
  for (const parameter of [...all.values()].flat()) {
    const text = JSON.stringify(parameter);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const components: Record<string, Json> = {};
  const names = new Map<string, string>();
  for (const [text, count] of [...uses].sort(([, a], [, b]) => b - a)) {
    const parameter = JSON.parse(text) as Json & { name: string; in: string };
    const plain = pascal(parameter.name);
    const name = components[plain] ? `${plain}In${pascal(parameter.in)}` : plain;
    if (count < 2 || components[name]) continue;
    components[name] = plain === name ? parameter : { ...parameter, 'x-go-name': name };
    names.set(text, name);
  }
  const shared = (parameter: Json): Json => {
    const name = names.get(JSON.stringify(parameter));
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
  };
  return { components, of: (operation) => (all.get(operation) ?? []).map(shared) };
}

function parameters(operation: Operation, collector: SchemaCollector): Json[] {
  return [
    ...parametersIn('path', operation.params, collector),
    ...parametersIn('query', operation.query, collector),
    ...parametersIn('header', operation.headers, collector),
  ];
}

function parametersIn(
  where: 'path' | 'query' | 'header',
  schema: TObject | undefined,
  collector: SchemaCollector,
): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = described(name, collector.convert(property));
    return {
      name,
      in: where,
      required: where === 'path' || (schema?.required ?? []).includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}
