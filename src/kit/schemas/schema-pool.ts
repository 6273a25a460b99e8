/**
 * Worker threads for untrusted JSON Schemas (security reference §3, T28). Each step of a request has a hard limit
 * (`deadlineMs` for admission and for validation). A thread that exceeds its time or memory is terminated and
 * replaced; only its current request fails. Time in the queue does not count. Small values of small schemas are
 * validated in the process (`small-schemas.ts`).
 */
import type { FieldProblem } from '../../domain/errors';
import { BoundedMap } from '../bounded-map';
import { createAdmittedSchemas } from './admitted-schemas';
import { asMessage } from '../threads/thread-jobs';
import type { SchemaReply, SchemaRequest } from './schema-protocol';
import { MAX_VALUE_LENGTH, type SchemaCheck } from './compiled-schemas';
import { createSchemaThreads, type SchemaThreads } from './schema-threads';
import { createSmallSchemas } from './small-schemas';

export interface SchemaPoolOptions {
  /** Threads for ordinary work, beside that of slow work. With two, a stuck schema does not delay all others. */
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
/** Longer texts are sent as bytes, which take less to copy. */
const BYTES_FROM_LENGTH = 65_536;
const MAX_KNOWN_KEYS = 10_000;

const END_PROBLEMS: Record<'deadline' | 'memory', string> = {
  deadline: 'takes too long to check',
  memory: 'takes too much memory to check',
};

export function createSchemaPool({ size = 2, deadlineMs = 250, warm = true, logger }: SchemaPoolOptions) {
  const { submit, slowKeys, close } = createSchemaThreads({ size, warm, logger });
  const small = createSmallSchemas();
  const admitted = createAdmittedSchemas();
  const validateInThread = createThreadValidation(submit, deadlineMs);

  return {
    /**
     * Checks an untrusted schema before it is published. Returns its problems (type `unsafe_schema`, `loc` relative
     * to the schema); the schema is admitted when there are none. `developer` identifies who takes turns with others.
     */
    async admit(schema: unknown, developer: string): Promise<FieldProblem[]> {
      const text = JSON.stringify(schema) ?? 'null';
      if (admitted.has(developer, text)) return [];
      const request = { op: 'admit', schema: text, limitMs: deadlineMs } as const;
      const verdict = verdictOf(await submit(admissionKey(developer), request));
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
      if (problems) return verdictOf({ kind: 'problems', problems });
      return validateInThread(schemaKey, schemaJson, valueJson);
    },

    /**
     * What another thread needs to validate a value that it has parsed (`problemsOf`); null for a schema that exceeded
     * its limits lately, which is left to the slow thread.
     */
    checkFor: (schemaKey: string, schemaJson: string): SchemaCheck | null =>
      slowKeys.has(schemaKey) ? null : { key: schemaKey, schema: schemaJson, limitMs: deadlineMs },

    /** The verdict on a value whose validation exceeded its limits in another thread. */
    exceeded(schemaKey: string, reason: 'deadline' | 'memory'): SchemaVerdict {
      slowKeys.mark(schemaKey);
      return endedVerdict(reason);
    },

    /**
     * Generates up to `count` JSON texts that are valid under an admitted schema, its own examples first. Returns
     * fewer when the schema yields no more, and only values from the schema itself when generation takes too long
     * twice. The same seed gives the same texts. Rejects when there is no time to look at the schema's own values
     * either: that is a fault of this service, never of the schema's owner.
     */
    sample(
      schemaJson: string,
      { developer, ...wish }: { count: number; seed: number; developer: string },
    ): Promise<string[]> {
      return sampleOf(submit, { op: 'sample', schema: schemaJson, ...wish, limitMs: deadlineMs }, developer);
    },

    /** Terminates the threads and rejects waiting work. */
    close,
  };
}

export type SchemaPool = ReturnType<typeof createSchemaPool>;

function verdictOf(reply: SchemaReply): SchemaVerdict {
  if (reply.kind === 'ended') return endedVerdict(reply.reason);
  if (reply.kind !== 'problems') throw new Error(`unexpected reply ${reply.kind}`);
  const { problems } = reply;
  return problems.length === 0 ? { valid: true } : { valid: false, problems, reason: 'mismatch' };
}

function endedVerdict(reason: 'deadline' | 'memory'): SchemaVerdict {
  return { valid: false, problems: [{ loc: [], msg: END_PROBLEMS[reason], type: reason }], reason };
}

function toMessage(value: string | Buffer): string | Uint8Array {
  if (typeof value !== 'string') return asMessage(value);
  return value.length > BYTES_FROM_LENGTH ? new TextEncoder().encode(value) : value;
}

function createThreadValidation(submit: SchemaThreads['submit'], limitMs: number) {
  /** Keys that a thread has compiled. */
  const known = new BoundedMap<string, true>(MAX_KNOWN_KEYS);
  return async (key: string, schema: string, value: string | Buffer): Promise<SchemaVerdict> => {
    const request = { op: 'validate', key, value: toMessage(value), limitMs } as const;
    const reply = known.has(key) ? await submit(key, { ...request, schema: undefined }) : undefined;
    if (reply && reply.kind !== 'schema_needed') return verdictOf(reply);
    known.set(key, true);
    return verdictOf(await submit(key, { ...request, schema }));
  };
}

type SampleRequest = Omit<Extract<SchemaRequest, { op: 'sample' }>, 'generate'>;

async function sampleOf(
  submit: SchemaThreads['submit'],
  wish: SampleRequest,
  developer: string,
): Promise<string[]> {
  let isEnded = false;
  for (const generate of [true, true, false]) {
    const reply = await submit(admissionKey(developer), { ...wish, generate });
    if (reply.kind === 'samples' && (reply.samples.length > 0 || !isEnded)) return reply.samples;
    isEnded = true;
  }
  throw new Error('making inputs from a schema took too long');
}
