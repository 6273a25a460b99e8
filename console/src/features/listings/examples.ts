/** Inputs to show for an agent: those that its developer gave, or one made from its schema. */
type Input = Record<string, unknown>;

interface Described {
  examples: readonly unknown[];
  input_schema: Record<string, unknown> | null;
}

const isObject = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The inputs that the developer gave. */
export const examplesOf = ({ examples }: Described): Input[] => examples.filter(isObject);

/** The first input of the developer; else one made from the schema, which the agent may not understand. */
export function exampleOf(listing: Described): Input {
  const [given] = examplesOf(listing);
  if (given) return given;
  const made = listing.input_schema === null ? {} : sampleOf(listing.input_schema, listing.input_schema, 0);
  return isObject(made) ? made : {};
}

const MOST_LEVELS = 6;
const MOST_CHARACTERS = 60;
const BY_FORMAT: Record<string, string> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** A small value of a schema: what is required, with the values that the schema itself names. */
function sampleOf(schema: Input, root: Input, level: number): unknown {
  const named = ['const', 'default'].find((keyword) => keyword in schema);
  if (named !== undefined) return schema[named];
  const choices = [schema['enum'], schema['examples']].find((list) => Array.isArray(list) && list.length > 0);
  if (choices) return (choices as unknown[])[0];
  if (level > MOST_LEVELS) return null;
  const part = partOf(schema, root);
  if (part) return sampleOf(part, root, level + 1);
  const type = Array.isArray(schema['type']) ? (schema['type'] as unknown[])[0] : schema['type'];
  if (type === 'object' || isObject(schema['properties'])) return objectOf(schema, root, level);
  if (type === 'array') return listOf(schema, root, level);
  if (type === 'integer' || type === 'number') return Number(schema['minimum'] ?? 1);
  if (type === 'boolean') return true;
  return type === 'null' ? null : textOf(schema);
}

/** The schema that a reference or the first of several alternatives names. */
function partOf(schema: Input, root: Input): Input | undefined {
  const reference = schema['$ref'];
  if (typeof reference === 'string' && reference.startsWith('#/')) {
    let found: unknown = root;
    for (const name of reference.slice(2).split('/')) found = isObject(found) ? found[name] : undefined;
    return isObject(found) ? found : undefined;
  }
  const [first] = ['oneOf', 'anyOf'].flatMap((keyword) => (schema[keyword] as unknown[] | undefined) ?? []);
  return isObject(first) && !isObject(schema['properties']) ? first : undefined;
}

function objectOf(schema: Input, root: Input, level: number): Input {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const chosen = Object.entries(properties).filter(
    ([name]) => required.length === 0 || required.includes(name),
  );
  return Object.fromEntries(
    chosen.map(([name, property]) => [name, isObject(property) ? sampleOf(property, root, level + 1) : null]),
  );
}

function listOf(schema: Input, root: Input, level: number): unknown[] {
  const { items } = schema;
  return isObject(items) ? [sampleOf(items, root, level + 1)] : [];
}

function textOf({ format, minLength = 0, maxLength = MOST_CHARACTERS }: Input): string {
  const text = BY_FORMAT[String(format)] ?? 'Hello';
  return text.padEnd(Math.min(Number(minLength), MOST_CHARACTERS), '.').slice(0, Number(maxLength));
}

/** Whether an agent takes the messages of a chat, and answers the last one. */
export function takesMessages({ input_schema: schema }: Pick<Described, 'input_schema'>): boolean {
  const properties = isObject(schema?.['properties']) ? schema['properties'] : {};
  const messages = properties['messages'];
  return isObject(messages) && messages['type'] === 'array' && onlyNeeds(schema, ['messages', 'session_id']);
}

function onlyNeeds(schema: Input | null, names: readonly string[]): boolean {
  const required = schema?.['required'];
  return !Array.isArray(required) || required.every((name) => names.includes(String(name)));
}

/** The messages of an input, if it has some. */
export function messagesOf(input: Input): unknown[] | undefined {
  const { messages } = input;
  return Array.isArray(messages) && messages.length > 0 ? (messages as unknown[]) : undefined;
}
