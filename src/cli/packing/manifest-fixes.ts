/** Suggests fixes for manifest problems that can be applied without reading the documentation. */
import { Manifest } from '../../contract/manifest';
import type { FieldProblem } from '../../domain/errors';

interface Node {
  properties?: Record<string, Node>;
  items?: Node;
  enum?: readonly string[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
}

/** Example values per field path, as they are written in the file. */
const EXAMPLES: Record<string, string> = {
  schema_version: '"1.0"',
  agent_id: '"word-counter"',
  display_name: '"Word Counter"',
  description: '"Counts words, lines and characters of a text, in every language that has spaces."',
  version: '"1.0.0"',
  author: '"dev_ada", or leave it out: it is set when you publish',
  homepage: '"https://example.com"',
  category: '"productivity"',
  tags: '["text"]',
  pricing: '{"model": "per_call", "credits_per_call": 2}',
  'pricing.model': '"per_call"',
  'pricing.credits_per_call': '2',
  'pricing.credits_per_1k_tokens': '"0.5"',
  'pricing.credits_per_second': '"0.25"',
  'pricing.max_credits_per_call': '20',
  'pricing.free_tier_calls': '10',
  endpoint: '{"url": "https://agent.example.com"}',
  'endpoint.url': '"https://agent.example.com"',
  'endpoint.timeout_ms': '30000',
  'endpoint.max_payload_bytes': '1048576',
  input_schema: '{"type": "object", "properties": {"text": {"type": "string"}}}',
  'input_schema.type': '"object"',
  output_schema: '{"type": "object", "properties": {"words": {"type": "integer"}}}',
  data_handling: '{"pii_processed": false, "data_retention_days": 0, "residency": "eu"}',
  'data_handling.pii_processed': 'false',
  'data_handling.data_retention_days': '0',
  'data_handling.residency': '"eu"',
  'data_handling.subprocessors': '["api.example.com"]',
  capabilities: '{"streaming": false, "idempotent": true}',
  'capabilities.jobs': '{"max_seconds": 2400, "heartbeat_seconds": 120}',
  'capabilities.jobs.max_seconds': '2400',
  'capabilities.jobs.heartbeat_seconds': '120',
  'capabilities.jobs.probe_max_seconds': '30',
  'capabilities.jobs.milestones': '[{"name": "outline", "percent": 25}]',
};

export function fixFor(problem: FieldProblem, manifest: Record<string, unknown>): string {
  const { loc, type } = problem;
  const path = loc.join('.');
  const name = String(loc.at(-1) ?? '');
  const node = nodeAt(loc);
  const example = EXAMPLES[path];
  if (type === 'unsafe_url')
    return `use the public https:// address of your agent, such as ${EXAMPLES['endpoint.url']}`;
  if (type === 'unsafe_schema' || type === 'max_bytes')
    return 'change this part as the message says; /docs/reference/manifest at the marketplace has what a schema may contain';
  if (type === 'example_mismatch') return 'change the example, or the schema that it contradicts';
  if (type === 'above_max_seconds') return 'lower it, raise "max_seconds", or leave it out';
  if (type === 'breaking_change')
    return 'undo the change, raise the major number of "version", or pass --breaking';
  if (type === 'required') return example ? `add "${name}": ${example}` : `add "${name}"`;
  if (type === 'unknown_field') return renameOrRemove(name, nodeAt(loc.slice(0, -1)));
  if (type === 'not_allowed') return `remove "${name}", or change pricing.model`;
  return chooseValue(node, valueAt(manifest, loc)) ?? suchAs(example);
}

function suchAs(example: string | undefined): string {
  return example === undefined ? 'change it as the message says' : `write, for example, ${example}`;
}

/** Suggests a valid value from the field's schema: an enum member, a constant, a length or a range. */
function chooseValue(node: Node | undefined, value: unknown): string | undefined {
  if (node?.enum) {
    const near = typeof value === 'string' ? nearest(value, node.enum) : undefined;
    return near ? `write "${near}"` : `write one of ${node.enum.map((choice) => `"${choice}"`).join(', ')}`;
  }
  if (node?.const !== undefined) return `write ${JSON.stringify(node.const)}`;
  if (typeof value === 'string') {
    const { length } = value;
    const { minLength = 0, maxLength = Infinity } = node ?? {};
    if (length < minLength) return `it has ${length} characters: write at least ${minLength}`;
    if (length > maxLength) return `it has ${length} characters: shorten it to ${maxLength}`;
  }
  if (Array.isArray(value) && value.length > (node?.maxItems ?? Infinity))
    return `it has ${value.length}: keep at most ${node?.maxItems}`;
  if (node?.minimum !== undefined && node.maximum !== undefined)
    return `write a number from ${node.minimum} to ${node.maximum}`;
  return undefined;
}

function renameOrRemove(name: string, parent: Node | undefined): string {
  const near = nearest(name, Object.keys(parent?.properties ?? {}));
  return near ? `rename it to "${near}"` : `remove "${name}"`;
}

function nodeAt(loc: FieldProblem['loc']): Node | undefined {
  let node = Manifest as unknown as Node | undefined;
  for (const step of loc) {
    node = typeof step === 'number' ? node?.items : ownOf(node?.properties, step);
  }
  return node;
}

function valueAt(manifest: unknown, loc: FieldProblem['loc']): unknown {
  return loc.reduce<unknown>(
    (value, step) => ownOf(value as Record<string, unknown>, String(step)),
    manifest,
  );
}

function ownOf<T>(record: Record<string, T> | null | undefined, name: string): T | undefined {
  return record && typeof record === 'object' && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The known word that is closest to `word`, if its edit distance is at most a third of its length. */
function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(normal(word), normal(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.floor(best.candidate.length / 3) ? best.candidate : undefined;
}

function normal(word: string): string {
  return word.slice(0, 64).toLowerCase().replaceAll(/[-_ ]/g, '');
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
