/**
 * Worker thread that compiles and runs untrusted schemas. It holds only compiled schemas and processes one request at
 * a time. It is ended when a step exceeds its time or memory limit (`schema-pool.ts`). Runs compiled (dist), in tests
 * too.
 */
import { serveJobs } from '../threads/thread-jobs';
import { within } from '../threads/thread-time';
import { validatorOf } from './compiled-schemas';
import { checkSchema, metaSchemaValidator } from './schema-compiler';
import type { SchemaReply, SchemaRequest } from './schema-protocol';
import { loadSampleGenerator, makeSamples } from './schema-samples';

/** Limit for parsing. 10 MiB takes about 0.1 s, hostile input about 1 s; the limit is a safety net. */
const LOAD_LIMIT_MS = 15_000;
/**
 * Limit for making samples, in multiples of the limit of a step. The samples end much earlier by themselves; only one
 * value that takes too long, or a machine that is too busy, reaches the limit.
 */
const SAMPLE_LIMITS = 48;

function parseValue(value: string | Uint8Array): { value: unknown } | undefined {
  try {
    const text =
      typeof value === 'string'
        ? value
        : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8');
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function validate(request: Extract<SchemaRequest, { op: 'validate' }>): SchemaReply {
  const validator = validatorOf(request, request.schema);
  if (!validator) return { kind: 'schema_needed' };
  const parsed = within(LOAD_LIMIT_MS, () => parseValue(request.value));
  if (!parsed)
    return { kind: 'problems', problems: [{ loc: [], msg: 'is not JSON', type: 'malformed_json' }] };
  return { kind: 'problems', problems: within(request.limitMs, () => validator(parsed.value)) };
}

async function makeExamples(request: Extract<SchemaRequest, { op: 'sample' }>): Promise<SchemaReply> {
  const schema = JSON.parse(request.schema) as Record<string, unknown>;
  const generate = request.generate ? await loadSampleGenerator() : undefined;
  const samples = within(request.limitMs * SAMPLE_LIMITS, () => makeSamples(schema, generate, request));
  return { kind: 'samples', samples };
}

warmUp();
serveJobs<SchemaRequest, SchemaReply>((request) => {
  if (request.op === 'validate') return validate(request);
  if (request.op === 'sample') return makeExamples(request);
  const problems = within(request.limitMs, () => checkSchema(JSON.parse(request.schema)));
  return { kind: 'problems', problems };
});

/** Warms up the thread. A cold thread compiles three times slower, which would count against its first schema. */
function warmUp(): void {
  metaSchemaValidator();
  const property = {
    type: ['string', 'null'],
    pattern: '^a',
    maxLength: 9,
    anyOf: [{ const: 'a' }, { minLength: 1 }],
  };
  const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, property]));
  for (let round = 0; round < 4; round += 1) checkSchema({ type: 'object', properties, required: names });
}
