/**
 * Worker threads for untrusted JSON Schemas (security reference §3, T28). Each step of a request has a hard limit
 * (`deadlineMs` for admission and for validation). A thread that exceeds its time or memory is terminated and
 * replaced; only its current request fails. Time in the queue does not count. Small values of small schemas are
 * validated in the process (`small-schemas.ts`).
 */
import type { FieldProblem } from '../../domain/errors';
import { createAdmittedSchemas } from './admitted-schemas';
import { createSchemaDispatcher } from './schema-dispatcher';
import type { ThreadRequest } from './schema-thread';
import { createSmallSchemas, isLightSchema } from './small-schemas';

export interface SchemaPoolOptions {
  /** Number of threads. With at least 2, a stuck schema does not delay all others. */
  size?: number;
  /** Limit for checking a schema, and for validating a value, in milliseconds. */
  deadlineMs?: number;
  /** Starts the threads before there is work (default). */
  warm?: boolean;
  logger: { warn(fields: object, message: string): void };
}

export type SchemaVerdict =
  { valid: true } | { valid: false; problems: FieldProblem[]; reason: 'mismatch' | 'deadline' | 'memory' };

/** Queue key of a developer's schemas that are not admitted yet, apart from the keys of calls. */
const admissionKey = (developer: string) => ` admission ${developer}`;
/** Longer values take much time and memory to parse, so they run one at a time. */
const HEAVY_FROM_LENGTH = 1_048_576;
/** No payload of the service is longer, and the parsed value of this length fits a thread's memory. */
const MAX_VALUE_LENGTH = 12 * 1_048_576;

const END_PROBLEMS: Record<'deadline' | 'memory', string> = {
  deadline: 'takes too long to check',
  memory: 'takes too much memory to check',
};

export function createSchemaPool({ size = 2, deadlineMs = 250, warm = true, logger }: SchemaPoolOptions) {
  const dispatcher = createSchemaDispatcher({ size, deadlineMs, warm, logger });
  const small = createSmallSchemas();
  const admitted = createAdmittedSchemas();

  async function run(key: string, request: ThreadRequest): Promise<SchemaVerdict> {
    const outcome = await dispatcher.submit(key, isHeavy(request), request);
    if (outcome.kind === 'ended') return endedVerdict(outcome.reason);
    if (outcome.reply.kind !== 'problems') throw new Error(`unexpected reply ${outcome.reply.kind}`);
    return verdictOf(outcome.reply.problems);
  }

  return {
    /**
     * Checks an untrusted schema before it is published. Returns its problems (type `unsafe_schema`, `loc` relative
     * to the schema); the schema is admitted when there are none. `developer` identifies who takes turns with others.
     */
    async admit(schema: unknown, developer: string): Promise<FieldProblem[]> {
      const text = JSON.stringify(schema) ?? 'null';
      if (admitted.has(developer, text)) return [];
      const verdict = await run(admissionKey(developer), { op: 'admit', schema: text });
      if (!verdict.valid) return verdict.problems.map((problem) => ({ ...problem, type: 'unsafe_schema' }));
      admitted.add(developer, text);
      return [];
    },

    /**
     * Validates a JSON text against an admitted schema. `schemaKey` must identify the schema permanently (its hash,
     * or the id of an immutable object). `loc` is relative to the value. Text that is not JSON is a mismatch of type
     * `malformed_json`. Rejects for internal faults only.
     */
    async validate(
      schemaKey: string,
      schemaJson: string,
      valueJson: string | Buffer,
    ): Promise<SchemaVerdict> {
      if (valueJson.length > MAX_VALUE_LENGTH) return endedVerdict('memory');
      const problems = small(schemaKey, schemaJson, valueJson);
      if (problems) return verdictOf(problems);
      return run(schemaKey, { op: 'validate', key: schemaKey, schema: schemaJson, value: valueJson });
    },

    /**
     * Generates up to `count` JSON texts that are valid under an admitted schema, its own examples first. Returns
     * fewer when the schema yields no more, and only values from the schema itself when generation takes too long
     * twice. The same seed gives the same texts. Rejects when there is no time to look at the schema's own values
     * either: that is a fault of this service, never of the schema's owner.
     */
    async sample(
      schemaJson: string,
      { developer, ...wish }: { count: number; seed: number; developer: string },
    ): Promise<string[]> {
      let isEnded = false;
      for (const generate of [true, true, false]) {
        const request = { op: 'sample' as const, schema: schemaJson, ...wish, generate };
        const outcome = await dispatcher.submit(admissionKey(developer), true, request);
        if (outcome.kind === 'reply' && outcome.reply.kind === 'samples') {
          const { samples } = outcome.reply;
          if (samples.length > 0 || !isEnded) return samples;
        }
        isEnded = true;
      }
      throw new Error('making inputs from a schema took too long');
    },

    /** Terminates the threads and rejects waiting work. */
    close: dispatcher.close,
  };
}

export type SchemaPool = ReturnType<typeof createSchemaPool>;

/**
 * Large values, and schemas that are not admitted yet, run one at a time. Light schemas are not among them, so that an
 * ordinary publication does not wait for a hostile schema of others (docs/internals/queues.md#publications).
 */
function isHeavy(request: ThreadRequest): boolean {
  if (request.op === 'admit') return !isLightSchema(request.schema);
  return request.op !== 'validate' || request.value.length > HEAVY_FROM_LENGTH;
}

function verdictOf(problems: FieldProblem[]): SchemaVerdict {
  return problems.length === 0 ? { valid: true } : { valid: false, problems, reason: 'mismatch' };
}

function endedVerdict(reason: 'deadline' | 'memory'): SchemaVerdict {
  return { valid: false, problems: [{ loc: [], msg: END_PROBLEMS[reason], type: reason }], reason };
}
