/**
 * Plans the calls of an MCP agent's tools. Verification calls what does no harm: tools that are read-only or idempotent
 * by their annotations, with inputs made from their schemas, and any tool with the examples that its owner gives, which
 * are the owner's word that it may be called so.
 */
import { asRecord, isRecord } from '../../domain/json-value';
import type { ManifestExample } from '../../domain/catalogue/manifest';
import type { Tool } from '../../domain/catalogue/tools/tool-list';
import type { UntestedReason } from '../../domain/catalogue/tools/tool-tests';
import { CONFORMANCE_CALLS } from '../../domain/verification/verification';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import { sha256Hex } from '../../kit/json/canonical-json';
import { wrongInputs } from '../probes/invalid-inputs';
import type { LivePlan } from '../probes/live-plan';
import { sentence, withSentence } from '../probes/text-fields';

export type ToolSchemas = Pick<SchemaPool, 'admit' | 'validate' | 'sample'>;

/** What is known of an agent whose tools are called. */
export interface ToolSource {
  /** As its server lists them. */
  tools: readonly Tool[];
  /** Of its registration: `input` is a call, `{tool, arguments}`. */
  examples: readonly ManifestExample[];
  takesJobs: boolean;
  /** Takes turns with others when schemas are read. */
  developer: string;
  seed: number;
}

/** A tool that is called. The schemas are JSON, and admitted; null if the tool has none that can be used. */
interface CalledTool {
  name: string;
  input: string | null;
  output: string | null;
  /** Inputs may be made; otherwise only the examples are sent. */
  isHarmless: boolean;
}

export interface ToolPlan {
  called: ReadonlyMap<string, CalledTool>;
  /** Why the others are not called, by name. */
  left: ReadonlyMap<string, UntestedReason>;
  examples: LivePlan['examples'];
  made: string[];
  spares: string[][];
  invalid: LivePlan['invalid'];
}

/** Tools that a run calls; calls of each tool of a long list, and inputs that replace refused ones. */
const MOST_TOOLS = 50;
const MANY_TOOLS = 10;
const SPARE_INPUTS = 3;
const MOST_EXAMPLES_OF_TOOL = 3;
const MOST_INVALID = 3;

/**
 * True for a tool that may be called with any valid input. A destructive tool is not harmless because it is idempotent.
 */
export function isHarmless({ annotations }: Tool): boolean {
  const { readOnlyHint, idempotentHint, destructiveHint } = asRecord(annotations);
  return readOnlyHint === true || (idempotentHint === true && destructiveHint !== true);
}

export const toolInput = (name: string, given: unknown): string =>
  JSON.stringify({ tool: name, arguments: given });

/** The tool that an input names, and its arguments as JSON. */
export function calledBy(input: string | Buffer): { name: string; given: string } {
  const call = asRecord(JSON.parse(input.toString()));
  return { name: String(call['tool']), given: JSON.stringify(call['arguments'] ?? {}) };
}

/** Draws the calls of a run. The same seed, list and examples give the same plan. */
export async function planTools(
  schemas: ToolSchemas,
  source: ToolSource,
  random: () => number,
): Promise<ToolPlan> {
  const { called, left } = await chosen(schemas, source);
  const examples = [...called.keys()].flatMap((name) => examplesOf(source, name));
  const each = callsOfEach(called.size);
  const made: string[] = [];
  const spares: string[][] = [];
  const invalid: LivePlan['invalid'][number][] = [];
  for (const tool of called.values()) {
    if (!tool.isHarmless || tool.input === null) continue;
    const count = each + SPARE_INPUTS;
    const wish = { count, seed: source.seed, developer: source.developer };
    const inputs = await schemas.sample(tool.input, wish);
    const known = examplesOf(source, tool.name).map(({ text }) => text);
    const own: string[] = [];
    for (const given of inputs) {
      const natural = withSentence(given, sentence(random));
      const isBetter = natural !== undefined && (await accepts(schemas, tool, natural));
      own.push(toolInput(tool.name, JSON.parse(isBetter ? natural : given)));
    }
    const fresh = [...new Set(own)].filter((text) => !known.includes(text));
    const first = fresh.splice(0, Math.max(1, each - known.length));
    if (first.length === 0 && known.length === 0) {
      called.delete(tool.name);
      left.set(tool.name, 'no_input');
    }
    first.forEach((_, at) => spares.push(fresh.filter((__, n) => n % first.length === at)));
    made.push(...first);
    if (invalid.length < MOST_INVALID) invalid.push(...(await wrongOf(schemas, tool, inputs)));
  }
  return { called, left, examples, made, spares, invalid: invalid.slice(0, MOST_INVALID) };
}

/** True if the schema of the tool takes the arguments. Only harmless tools get other inputs than their examples. */
export async function accepts(
  schemas: Pick<ToolSchemas, 'validate'>,
  tool: CalledTool | undefined,
  given: string,
): Promise<boolean> {
  if (!tool?.isHarmless || tool.input === null) return false;
  return (await schemas.validate(sha256Hex(tool.input), tool.input, given)).valid;
}

function callsOfEach(tools: number): number {
  if (tools > MANY_TOOLS) return 1;
  return Math.max(2, Math.floor(CONFORMANCE_CALLS / Math.max(1, tools)));
}

function examplesOf({ examples }: ToolSource, name: string): LivePlan['examples'][number][] {
  return examples
    .filter(({ input }) => input['tool'] === name)
    .slice(0, MOST_EXAMPLES_OF_TOOL)
    .map(({ input, output, match = 'exact', tolerance = 0 }) => ({
      text: toolInput(name, input['arguments'] ?? {}),
      expected: output === undefined ? null : { output, match, tolerance },
    }));
}

async function chosen(schemas: ToolSchemas, source: ToolSource) {
  const called = new Map<string, CalledTool>();
  const left = new Map<string, UntestedReason>();
  for (const tool of source.tools) {
    const name = String(tool['name']);
    if (called.has(name) || left.has(name)) continue;
    const examples = examplesOf(source, name).length;
    const needsTask = asRecord(tool['execution'])['taskSupport'] === 'required' && !source.takesJobs;
    if (needsTask) left.set(name, 'needs_task');
    else if (!isHarmless(tool) && examples === 0) left.set(name, 'undeclared');
    else if (called.size >= MOST_TOOLS) left.set(name, 'too_many');
    else {
      const input = await admitted(schemas, tool['inputSchema'], source.developer);
      const output = await admitted(schemas, tool['outputSchema'], source.developer);
      if (input === null && examples === 0) left.set(name, 'no_input');
      else called.set(name, { name, input, output, isHarmless: isHarmless(tool) });
    }
  }
  return { called, left };
}

async function admitted(schemas: ToolSchemas, schema: unknown, developer: string): Promise<string | null> {
  if (!isRecord(schema)) return null;
  return (await schemas.admit(schema, developer)).length === 0 ? JSON.stringify(schema) : null;
}

/** Arguments that the tool must refuse. Text that is no JSON cannot be sent. */
async function wrongOf(
  schemas: ToolSchemas,
  tool: CalledTool,
  inputs: readonly string[],
): Promise<LivePlan['invalid'][number][]> {
  const full = inputs.filter((text) => Object.keys(asRecord(JSON.parse(text))).length > 0).slice(0, 1);
  const wrong = await wrongInputs(full, (given) => accepts(schemas, tool, given));
  return wrong
    .filter(({ input }) => input !== 'not_json')
    .map(({ input, text }) => ({ input, text: toolInput(tool.name, JSON.parse(text)) }));
}
