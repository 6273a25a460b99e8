/** The parts of the OpenAPI document that the Python client is written from. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface Body {
  $ref?: string;
  required?: boolean;
  description?: string;
  content?: Record<string, { schema?: Schema }>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

export interface Document {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> } & Record<string, Record<string, unknown>>;
}

/** The part that a `$ref` names, or the part itself. */
export function resolved<T extends { $ref?: string }>(document: Document, part: T): T {
  if (part.$ref === undefined) return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  return document.components[kind]?.[name] as T;
}

/** The name of the schema that a `$ref` names. */
export const refName = (ref: string) => ref.split('/').at(-1) ?? '';

/** `listOwnAgents` and `Idempotency-Key` become `list_own_agents` and `idempotency_key`. */
export const snake = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase();

/** `latest_run` becomes `LatestRun`. */
export const pascal = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');

/** A Python docstring, on one line if it fits, else wrapped. */
export function docstring(text: string, indent: string): string {
  const safe = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").trim();
  const lines = wrap(safe, 100 - indent.length);
  const [first = '', ...rest] = lines;
  const end = safe.endsWith('"') ? ' ' : '';
  if (rest.length === 0) return `${indent}"""${first}${end}"""`;
  return [`${indent}"""${first}`, ...rest.map((line) => (line ? indent + line : '')), `${indent}"""`].join(
    '\n',
  );
}

/** Breaks each paragraph into lines of at most `width` characters. */
function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line && line.length + word.length + 1 > width) {
        lines.push(line);
        line = word;
      } else line = line ? `${line} ${word}` : word;
    }
    return [...lines, line];
  });
}
