/**
 * Worker thread that compiles and runs untrusted schemas. It holds only compiled schemas and processes one request at
 * a time. The pool (`schema-pool.ts`) terminates it when a step exceeds its time or memory limit. Runs compiled
 * (dist), in tests too.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { FieldProblem } from '../../domain/errors';
import { lowerThreadPriority } from '../threads/thread-priority';
import { checkSchema, compileSchema, metaSchemaValidator } from './schema-compiler';
import {
  enterPhase,
  PHASES,
  READY,
  type SchemaReply,
  type SchemaRequest,
  type SchemaWorkerData,
} from './schema-protocol';
import { loadSampleGenerator, makeSamples } from './schema-samples';

type Validator = (value: unknown) => FieldProblem[];

/** Compiled schemas take about 30 times the memory of their text. */
const CACHE_LIMITS = { entries: 256, textLength: 1_000_000 };

const { clock: shared, isSlow } = workerData as SchemaWorkerData;
const clock = new BigInt64Array(shared);
if (isSlow) lowerThreadPriority();
/** In least-recently-used order. */
const cache = new Map<string, { validate: Validator; textLength: number }>();
let cachedTextLength = 0;

function compiled(key: string, text: string | undefined): Validator | undefined {
  const known = cache.get(key);
  if (known) {
    cache.delete(key);
    cache.set(key, known);
    return known.validate;
  }
  if (text === undefined) return undefined;
  const entry = {
    validate: compileSchema(JSON.parse(text) as Record<string, unknown>),
    textLength: text.length,
  };
  cache.set(key, entry);
  cachedTextLength += entry.textLength;
  for (const [oldest, { textLength }] of cache) {
    if (cache.size <= CACHE_LIMITS.entries && cachedTextLength <= CACHE_LIMITS.textLength) break;
    cache.delete(oldest);
    cachedTextLength -= textLength;
  }
  return entry.validate;
}

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
  const { id } = request;
  enterPhase(clock, PHASES.compile);
  const validator = compiled(request.key, request.schema);
  if (!validator) return { id, kind: 'schema_needed' };
  enterPhase(clock, PHASES.load);
  const parsed = parseValue(request.value);
  if (!parsed)
    return { id, kind: 'problems', problems: [{ loc: [], msg: 'is not JSON', type: 'malformed_json' }] };
  enterPhase(clock, PHASES.execute);
  return { id, kind: 'problems', problems: validator(parsed.value) };
}

async function answer(request: SchemaRequest): Promise<SchemaReply> {
  if (request.op === 'validate') return validate(request);
  enterPhase(clock, PHASES.execute);
  const schema = JSON.parse(request.schema) as unknown;
  if (request.op === 'admit') {
    return { id: request.id, kind: 'problems', problems: checkSchema(schema) };
  }
  enterPhase(clock, PHASES.load);
  const generate = request.generate ? await loadSampleGenerator() : undefined;
  enterPhase(clock, PHASES.sample);
  const samples = makeSamples(schema as Record<string, unknown>, generate, request);
  return { id: request.id, kind: 'samples', samples };
}

const port = parentPort;
if (!port) throw new Error('the schema worker must run in a worker thread');
port.on('message', (request: SchemaRequest) => {
  void answer(request)
    .catch((error: unknown): SchemaReply => ({ id: request.id, kind: 'fault', message: String(error) }))
    .then((reply) => {
      enterPhase(clock, PHASES.idle);
      port.postMessage(reply);
    });
});
warmUp();
port.postMessage(READY);

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
