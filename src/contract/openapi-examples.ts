import type { Json } from './openapi-schemas';

/** Shorter examples stay where they are. */
const LEAST_LENGTH = 150;

interface Content {
  schema: { $ref?: string };
  example?: unknown;
  examples?: Json;
}

/**
 * Moves each example that several responses have to the components, and refers to it. Changes `paths`. Returns the
 * components by name: the schema of the example.
 */
export function shareExamples(paths: Record<string, Json>): Json {
  const byText = new Map<string, Content[]>();
  for (const content of Object.values(paths).flatMap((path) => Object.values(path).flatMap(contentsOf))) {
    if (content.example === undefined) continue;
    const text = JSON.stringify(content.example);
    byText.set(text, [...(byText.get(text) ?? []), content]);
  }
  const components: Json = {};
  for (const [text, contents] of byText) {
    const name = contents[0]?.schema.$ref?.split('/').at(-1);
    if (contents.length < 2 || text.length < LEAST_LENGTH) continue;
    if (name === undefined || Object.hasOwn(components, name)) continue;
    components[name] = { value: JSON.parse(text) as unknown };
    for (const content of contents) {
      delete content.example;
      content.examples = { example: { $ref: `#/components/examples/${name}` } };
    }
  }
  return components;
}

/** The contents of an operation's responses. */
function contentsOf(operation: unknown): Content[] {
  const { responses } = operation as { responses: Record<string, { content?: Record<string, Content> }> };
  return Object.values(responses).flatMap(({ content }) => Object.values(content ?? {}));
}

/**
 * Moves each response that several operations have to the components, and refers to it. Changes `paths`. Returns the
 * components by name: the first operation that has the response.
 */
export function shareResponses(paths: Record<string, Json>): Json {
  const byText = new Map<string, { responses: Json; status: string; id: string }[]>();
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const { operationId, responses } = operation as { operationId: string; responses: Json };
    for (const [status, response] of Object.entries(responses)) {
      const text = JSON.stringify(response);
      if (text.length < LEAST_LENGTH / 2 || text.startsWith('{"$ref":')) continue;
      byText.set(text, [...(byText.get(text) ?? []), { responses, status, id: operationId }]);
    }
  }
  const components: Json = {};
  for (const [text, places] of byText) {
    const name = `${(places[0]?.id ?? '').replace(/^./, (letter) => letter.toUpperCase())}Ok`;
    if (places.length < 2 || Object.hasOwn(components, name)) continue;
    components[name] = JSON.parse(text) as unknown;
    for (const { responses, status } of places)
      responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return components;
}
