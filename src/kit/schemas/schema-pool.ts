/**
 * Worker threads for JSON Schemas of strangers (security reference §3, T28). Each step of a request has a hard limit
 * (admission and validation `deadlineMs`); a thread over its limit, or over its memory, is ended and replaced, and
 * only the request it worked on learns of it. Waiting in the queue does not count.
 */
import type { FieldProblem } from '../../domain/errors';
import { createSchemaDispatcher } from './schema-dispatcher';
import type { ThreadRequest } from './schema-thread';

export interface SchemaPoolOptions {
  /** Number of threads; at least 2 keep one stuck schema from delaying all others. */
  size?: number;
  /** Milliseconds that checking a schema, and that validating a value, may take. */
  deadlineMs?: number;
  /** Start the threads before there is work (default). */
  warm?: boolean;
  logger: { warn(fields: object, message: string): void };
}

export type SchemaVerdict =
  { valid: true } | { valid: false; problems: FieldProblem[]; reason: 'mismatch' | 'deadline' | 'memory' };

/** Publishers wait in one line, besides the calls. */
const ADMISSION_KEY = ' admission';
/** Reading larger values takes long and much memory: one at a time. */
const HEAVY_FROM_LENGTH = 1_048_576;
/** Nothing that the service carries is larger; what JSON of this size may become fits the memory of a thread. */
const MAX_VALUE_LENGTH = 12 * 1_048_576;

const END_PROBLEMS: Record<'deadline' | 'memory', string> = {
  deadline: 'takes too long to check',
  memory: 'takes too much memory to check',
};

export function createSchemaPool({ size = 2, deadlineMs = 250, warm = true, logger }: SchemaPoolOptions) {
  const dispatcher = createSchemaDispatcher({ size, deadlineMs, warm, logger });

  async function run(key: string, request: ThreadRequest): Promise<SchemaVerdict> {
    const outcome = await dispatcher.submit(key, isHeavy(request), request);
    if (outcome.kind === 'ended') return endedVerdict(outcome.reason);
    if (outcome.reply.kind !== 'problems') throw new Error(`unexpected reply ${outcome.reply.kind}`);
    const { problems } = outcome.reply;
    return problems.length === 0 ? { valid: true } : { valid: false, problems, reason: 'mismatch' };
  }

  return {
    /**
     * The problems that keep a schema from being published (type `unsafe_schema`, `loc` relative to the schema); an
     * empty list admits it.
     */
    async admit(schema: unknown): Promise<FieldProblem[]> {
      const text = JSON.stringify(schema) ?? 'null';
      const verdict = await run(ADMISSION_KEY, { op: 'admit', schema: text });
      if (verdict.valid) return [];
      return verdict.problems.map((problem) => ({ ...problem, type: 'unsafe_schema' }));
    },

    /**
     * Validates a JSON text against an admitted schema. `schemaKey` names the schema for ever (its hash, or an id of
     * something immutable). `loc` of the problems is relative to the value; a text that is not JSON is a mismatch of
     * type `malformed_json`. Rejects only for faults of ours.
     */
    async validate(
      schemaKey: string,
      schemaJson: string,
      valueJson: string | Buffer,
    ): Promise<SchemaVerdict> {
      if (valueJson.length > MAX_VALUE_LENGTH) return endedVerdict('memory');
      return run(schemaKey, { op: 'validate', key: schemaKey, schema: schemaJson, value: valueJson });
    },

    /**
     * Up to `count` JSON texts that are valid by an admitted schema, its examples first; fewer when the schema yields
     * no more. When generating takes too long, only what the schema itself holds. The same seed gives the same texts.
     */
    async sample(schemaJson: string, options: { count: number; seed: number }): Promise<string[]> {
      for (const generate of [true, false]) {
        const request = { op: 'sample' as const, schema: schemaJson, ...options, generate };
        const outcome = await dispatcher.submit(ADMISSION_KEY, true, request);
        if (outcome.kind === 'reply' && outcome.reply.kind === 'samples') return outcome.reply.samples;
      }
      return [];
    },

    /** Ends the threads; what still waits is rejected. */
    close: dispatcher.close,
  };
}

export type SchemaPool = ReturnType<typeof createSchemaPool>;

/** Schemas that nobody has admitted yet, and large values, go one at a time. */
function isHeavy(request: ThreadRequest): boolean {
  return request.op !== 'validate' || request.value.length > HEAVY_FROM_LENGTH;
}

function endedVerdict(reason: 'deadline' | 'memory'): SchemaVerdict {
  return { valid: false, problems: [{ loc: [], msg: END_PROBLEMS[reason], type: reason }], reason };
}
