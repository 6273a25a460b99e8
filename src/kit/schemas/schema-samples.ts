/**
 * Creates sample inputs from a schema for probes: first its own `examples`, then objects of the examples and defaults
 * of its properties, then generated values. Only valid, distinct samples are returned. Runs in the schema worker,
 * because generation can take long for a hostile schema.
 */
import type { GenerateSyncOptions, JsonSchema } from 'json-schema-faker' with { 'resolution-mode': 'import' };
import { compileSchema } from './schema-compiler';
import { asRecord } from '../../domain/json-value';

type SampleGenerator = (schema: JsonSchema, options: GenerateSyncOptions) => unknown;

/** Maximum length of a sample; longer ones are useless for probes. */
const MAX_SAMPLE_LENGTH = 262_144;

/** Time after which no more samples are made, if there are any. A loaded machine needs a part of it. */
const SAMPLE_MS = 4_000;

/** Loads the generator, which is an ES module. */
export async function loadSampleGenerator(): Promise<SampleGenerator> {
  const { generateSync } = await import('json-schema-faker');
  return generateSync;
}

/**
 * Returns up to `count` JSON texts; the same seed gives the same texts. Without `generate`, only values from the
 * schema itself.
 */
export function makeSamples(
  schema: Record<string, unknown>,
  generate: SampleGenerator | undefined,
  { count, seed }: { count: number; seed: number },
): string[] {
  const validate = compileSchema(schema);
  const samples = new Set<string>();
  const startedAt = performance.now();
  for (const candidate of candidates(schema, generate, count, seed)) {
    const text = JSON.stringify(candidate);
    if (text === undefined || text.length > MAX_SAMPLE_LENGTH) continue;
    if (validate(JSON.parse(text)).length === 0) samples.add(text);
    if (samples.size >= count || (samples.size > 0 && performance.now() - startedAt > SAMPLE_MS)) break;
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
      // The generator does not support every schema; the next seed may take another branch.
    }
  }
}

/** An object of each property's first example, default, constant or first enum value. */
function fromProperties(schema: Record<string, unknown>, onlyRequired: boolean): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const made: [string, unknown][] = [];
  for (const [name, property] of Object.entries(asRecord(schema.properties))) {
    if (onlyRequired && !required.includes(name)) continue;
    const { examples, default: fallback, const: constant, enum: choices } = asRecord(property);
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
