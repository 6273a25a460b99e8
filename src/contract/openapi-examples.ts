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
