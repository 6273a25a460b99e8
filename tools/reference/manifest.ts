import type { TSchema } from '@sinclair/typebox';
import { Manifest } from '../../src/contract/manifest';
import { createPolicy } from '../../src/egress/policy';
import { inProcessSchemas } from '../../src/kit/schemas/in-process-schemas';
import { compileCheck } from '../../src/kit/schemas/validator';
import { manifestProblems } from '../../src/services/catalogue/manifest-check';
import { FIELD_HELP, type FieldHelp } from './manifest-help';
import { code, generated, table } from './table';

interface Field {
  path: string;
  schema: TSchema;
  isRequired: boolean;
}

/** A manifest that can be published; its values are the examples of the page. */
export const MANIFEST_EXAMPLE: Record<string, unknown> = {
  schema_version: '1.0',
  agent_id: 'word-counter',
  display_name: 'Word counter',
  description: 'Counts the words of a text. Words are separated by white space.',
  version: '1.0.0',
  author: 'dev_ada-lovelace',
  homepage: 'https://example.com/word-counter',
  category: 'data-processing',
  tags: ['text', 'count'],
  pricing: { model: 'per_call', credits_per_call: 2, free_tier_calls: 10 },
  endpoint: { url: 'https://agent.example.com', timeout_ms: 30_000, max_payload_bytes: 1_048_576 },
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output_schema: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
  examples: [{ input: { text: 'to be or not to be' }, output: { words: 6 }, match: 'exact', tolerance: 0 }],
  input_role: 'data',
  data_handling: {
    pii_processed: false,
    data_retention_days: 0,
    residency: 'eu',
    subprocessors: ['Example Cloud'],
  },
  capabilities: { streaming: false, idempotent: true, a2a_invocable: true },
};

/** docs/reference/manifest.md: every field, with the error of the service for a wrong value. */
export async function manifestPage(): Promise<string> {
  const rows = await Promise.all(
    fieldsOf(Manifest, '').map(async ({ path, schema, isRequired }) => {
      const help = FIELD_HELP[path];
      if (!help) throw new Error(`${path} has no line in tools/reference/manifest-help.ts`);
      const need = isRequired ? 'required' : (help.need ?? defaultOf(schema));
      const error = help.takesAnything ? 'none' : await errorOf(path, help);
      return [code(path), need, limitsOf(schema), exampleOf(path, help), help.meaning, error];
    }),
  );
  return `${generated(
    'The manifest',
    '`src/contract/manifest.ts` and `tools/reference/manifest-help.ts`',
    'A manifest describes one version of an agent: JSON, at most 256 KiB, published by `POST /v1/developer/agents` or `market publish`. Unknown\nmembers are refused. A refusal lists every wrong field at once (422, `detail`); the last column shows a wrong value and the message of the\nservice. `market validate` gives the same messages, with lines and fixes, without a marketplace. The examples must match both schemas.',
    'In paths, `[]` stands for each member of a list.',
  )}

${table(['Field', 'Required or default', 'Limits', 'Example', 'Meaning', 'A wrong value and its error'], rows)}

## A whole manifest

\`\`\`json
${JSON.stringify(MANIFEST_EXAMPLE, null, 2)}
\`\`\`

## Schemas

\`input_schema\` and \`output_schema\` are JSON Schema draft 2020-12. Each has at most 64 KiB, 32 levels and 2,000 subschemas. References must
stay inside the schema, and patterns must be matchable in linear time. The input is an object. [JSON Schema](json-schema.md) lists what is
refused, what is an annotation, and the result of the official test suite.

## Pricing

Each model requires its own fields and refuses those of the others. [Pricing models](pricing.md) has worked figures.
`;
}

function fieldsOf(schema: TSchema, prefix: string): Field[] {
  const required = new Set<string>((schema['required'] as string[] | undefined) ?? []);
  const properties = (schema['properties'] ?? {}) as Record<string, TSchema>;
  return Object.entries(properties).flatMap(([name, inner]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const items = inner['items'] as TSchema | undefined;
    const children = items ? fieldsOf(items, `${path}[]`) : fieldsOf(inner, path);
    return [{ path, schema: inner, isRequired: required.has(name) }, ...children];
  });
}

function defaultOf(schema: TSchema): string {
  return schema['default'] === undefined ? 'none' : code(JSON.stringify(schema['default']));
}

/** Limits in words; patterns are explained in the meaning. */
function limitsOf(schema: TSchema): string {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema as Record<string, number | undefined>;
  const values = (schema['enum'] ?? (schema['const'] === undefined ? [] : [schema['const']])) as string[];
  const items = schema['items'] as TSchema | undefined;
  const number = (value: number) => value.toLocaleString('en');
  return [
    values.map((value) => code(value)).join(', '),
    minimum !== undefined && maximum !== undefined && `${number(minimum)} to ${number(maximum)}`,
    minimum !== undefined && maximum === undefined && `at least ${number(minimum)}`,
    maxLength !== undefined && `${minLength ? `${number(minLength)} to ` : 'at most '}${number(maxLength)} characters`,
    maxItems !== undefined && `at most ${number(maxItems)} members${items?.['maxLength'] === undefined ? '' : ` of ${number(items['maxLength'] as number)} characters`}`,
    schema['type'] === 'boolean' && '`true`, `false`',
    schema['type'] === 'object' && 'object',
  ].filter(Boolean).join('; '); // prettier-ignore
}

function exampleOf(path: string, help: FieldHelp): string {
  const value = help.example ?? valueAt(MANIFEST_EXAMPLE, path);
  const text = JSON.stringify(value);
  return value === undefined ? '' : text.length > 44 ? 'below' : code(text);
}

function valueAt(document: unknown, path: string): unknown {
  return path.replaceAll('[]', '.0').split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document); // prettier-ignore
}

/** What the service says about a manifest with a wrong value in this place. */
async function errorOf(path: string, { wrong }: FieldHelp): Promise<string> {
  const manifest = structuredClone(MANIFEST_EXAMPLE);
  const names = path.replaceAll('[]', '.0').split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce<Record<string, unknown>>((value, name, index) => {
    value[name] ??= structuredClone(FIELD_HELP[names.slice(0, index + 1).join('.')]?.example);
    return value[name] as Record<string, unknown>;
  }, manifest);
  if (wrong === undefined) delete parent[last];
  else parent[last] = wrong;
  const found = await manifestProblems(
    {
      checkDocument: compileCheck(Manifest, 'manifest'),
      schemas: inProcessSchemas,
      policy: createPolicy({ EGRESS_ALLOW: '', EGRESS_DENY: '', PUBLIC_ORIGIN: 'https://market.invalid' }),
    },
    manifest,
    'reference',
  );
  const place = path.replaceAll('[]', '.0');
  const own = found.find(({ loc }) => loc.join('.').startsWith(place) || place.startsWith(loc.join('.')));
  if (!own) throw new Error(`${path}: the wrong value of the reference is accepted`);
  return `${wrong === undefined ? 'absent' : code(JSON.stringify(wrong))}: ${own.msg}`;
}
