interface Described {
  examples?: unknown;
  input_schema?: unknown;
}

/**
 * Inputs to show for a version: those of the examples of its document, then those of its input schema. An input that is
 * in both is there once.
 */
export function exampleInputs(document: Described): unknown[] {
  const { input_schema: schema } = document;
  const given = listOf(document.examples).map((example) => memberOf(example, 'input'));
  const inputs = [...given, ...listOf(memberOf(schema, 'examples'))].filter((input) => input !== undefined);
  return [...new Map(inputs.map((input) => [JSON.stringify(input), input])).values()];
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
