/**
 * Inputs made from a schema, for probes: its own `examples` first, then an object of the examples and defaults of its
 * properties, then generated ones; each is checked against the schema and only valid, distinct ones are returned.
 * Runs in the schema worker: generation can take long for a hostile schema.
 */
import type { GenerateSyncOptions, JsonSchema } from 'json-schema-faker' with { 'resolution-mode': 'import' };
import { compileSchema } from './schema-compiler';

type SampleGenerator = (schema: JsonSchema, options: GenerateSyncOptions) => unknown;

/** Larger samples are of no use in a probe. */
const MAX_SAMPLE_LENGTH = 262_144;

/** The generator is an ES module. */
export async function loadSampleGenerator(): Promise<SampleGenerator> {
  const { generateSync } = await import('json-schema-faker');
  return generateSync;
}

/** Up to `count` JSON texts; the same seed gives the same texts. Without `generate`, those the schema itself holds. */
export function makeSamples(
  schema: Record<string, unknown>,
  generate: SampleGenerator | undefined,
  { count, seed }: { count: number; seed: number },
): string[] {
  const validate = compileSchema(schema);
  const samples = new Set<string>();
  for (const candidate of candidates(schema, generate, count, seed)) {
    const text = JSON.stringify(candidate);
    if (text === undefined || text.length > MAX_SAMPLE_LENGTH) continue;
    if (validate(JSON.parse(text)).length === 0) samples.add(text);
    if (samples.size >= count) break;
  }
  return [...samples];
}

function* candidates(
  schema: Record<string, unknown>,
  generate: SampleGenerator | undefined,
  count: number,
  seed: number,
): Generator<unknown> {
  if (Array.isArray(schema.examples)) yield* schema.examples;
  if (Object.hasOwn(schema, 'default')) yield schema.default;
  yield fromProperties(schema, false);
  yield fromProperties(schema, true);
  for (let attempt = 0; generate && attempt < count * 6; attempt += 1) {
    try {
      yield generate(schema, {
        seed: seed + attempt,
        optionalsProbability: [0.5, 1, 0][attempt % 3] ?? 0.5,
        maxDepth: 6,
        maxDefaultItems: 3,
      });
    } catch {
      // This generator does not know every schema; the next seed may take another branch.
    }
  }
}

/** An object of the first example, default or constant of each property. */
function fromProperties(schema: Record<string, unknown>, onlyRequired: boolean): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const made: [string, unknown][] = [];
  for (const [name, property] of Object.entries(asObject(schema.properties))) {
    if (onlyRequired && !required.includes(name)) continue;
    const { examples, default: fallback, const: constant, enum: choices } = asObject(property);
    const value = [firstOf(examples), fallback, constant, firstOf(choices)].find(
      (known) => known !== undefined,
    );
    if (value !== undefined) made.push([name, value]);
  }
  return Object.fromEntries(made);
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? (list as unknown[])[0] : undefined;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
