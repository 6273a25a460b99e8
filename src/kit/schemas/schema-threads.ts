/**
 * The threads for untrusted schemas. Work waits in one line per key (usually one schema), and the key with the least
 * recent time goes first, so that a flood for one agent does not delay calls of another. Heavy work, and keys that
 * exceeded their limits lately, share one thread of a lower priority.
 */
import { createTenantThreads, type Loss, type ThreadKind } from '../threads/tenant-threads';
import { workerFile } from '../threads/worker-file';
import type { SchemaReply, SchemaRequest } from './schema-protocol';
import { createSlowKeys } from './slow-keys';
import { isLightSchema } from './small-schemas';

/** Longer values take much time and memory to parse, so they run one at a time. */
const HEAVY_FROM_LENGTH = 1_048_576;

/** Ordinary work, by key: usually one schema. */
const SCHEMAS: ThreadKind<SchemaRequest, SchemaReply> = {
  name: 'schema',
  script: workerFile(__dirname, 'schema-worker.js'),
  threads: 2,
  nice: 0,
  // The worst 10 MiB of JSON occupy 300 MB when parsed; terminating a thread during parsing takes long.
  memory: { maxOldGenerationSizeMb: 448, maxYoungGenerationSizeMb: 32, stackSizeMb: 16 },
  // The steps of a request have limits of their own, which are shorter.
  deadlineMs: 60_000,
  startMs: 30_000,
  turns: { patienceMs: Infinity, late: closedError },
  lost: lostReply,
  logged: (request) => (request.op === 'validate' ? { schemaKey: request.key } : {}),
};

/** One thread, of a lower priority, for heavy work and for keys that exceeded their limits lately. */
const SLOW_SCHEMAS: ThreadKind<SchemaRequest, SchemaReply> = {
  ...SCHEMAS,
  name: 'slow schema',
  threads: 1,
  nice: 10,
};

export interface SchemaThreadsOptions {
  /** Threads for ordinary work. */
  size: number;
  warm: boolean;
  logger: { warn(fields: object, message: string): void };
}

export function createSchemaThreads({ size, warm, logger }: SchemaThreadsOptions) {
  const ordinary = createTenantThreads({ ...SCHEMAS, threads: size, logger });
  const slow = createTenantThreads({ ...SLOW_SCHEMAS, logger });
  const slowKeys = createSlowKeys();
  if (warm) for (const threads of [ordinary, slow]) threads.warm();

  return {
    slowKeys,

    /**
     * Runs a request in the line of a key. Work whose key becomes slow while it waits is left to the slow thread.
     * Rejects for internal faults only.
     */
    async submit(key: string, request: SchemaRequest): Promise<SchemaReply> {
      const isSlow = () => isHeavy(request) || slowKeys.has(key);
      const reply = isSlow() ? undefined : await ordinary.askUnless(key, request, isSlow);
      const final = reply ?? (await slow.ask(key, request));
      if (final.kind === 'ended') slowKeys.mark(key);
      return final;
    },

    async close(): Promise<void> {
      await Promise.all([ordinary.close(), slow.close()]);
    },
  };
}

export type SchemaThreads = ReturnType<typeof createSchemaThreads>;

/**
 * Large values, and schemas that are not admitted yet, run one at a time. Light schemas are not among them, so that an
 * ordinary publication does not wait for a hostile schema of others (docs/internals/queues.md#publications).
 */
function isHeavy(request: SchemaRequest): boolean {
  if (request.op === 'admit') return !isLightSchema(request.schema);
  return request.op !== 'validate' || request.value.length > HEAVY_FROM_LENGTH;
}

function closedError(): Error {
  return new Error('the schema pool is closed');
}

/** A schema that exceeds its limits fails its request. That a thread ends in another way is a fault of the service. */
function lostReply({ reason, error }: Loss): SchemaReply {
  if (reason === 'deadline' || reason === 'memory') return { kind: 'ended', reason };
  throw reason === 'closed' ? closedError() : new Error('the schema worker ended', { cause: error });
}
