import type { FieldProblem } from '../../domain/errors';
import type { ThreadCell } from '../threads/thread-time';

/** A request from the pool to a schema worker. Values are text, or UTF-8 bytes when they are large. */
export type SchemaRequest =
  | { id: number; op: 'validate'; key: string; schema: string | undefined; value: string | Uint8Array }
  | { id: number; op: 'admit'; schema: string }
  | { id: number; op: 'sample'; schema: string; count: number; seed: number; generate: boolean };

export interface SchemaWorkerData {
  clock: SharedArrayBuffer;
  thread: ThreadCell;
  /** True for the thread of slow work, which has a lower priority. */
  isSlow: boolean;
}

export type SchemaReply =
  | { id: number; kind: 'problems'; problems: FieldProblem[] }
  | { id: number; kind: 'samples'; samples: string[] }
  /** The worker no longer has the compiled schema; send the request again with the schema's text. */
  | { id: number; kind: 'schema_needed' }
  /** An internal fault, not caused by the schema or the value. */
  | { id: number; kind: 'fault'; message: string };

/** Sent once, when the worker is loaded and warmed up. */
export const READY = 'ready';

/**
 * The phases of a worker. The current phase and its start time are in shared memory, so that the pool can enforce
 * limits without a message per step. `load` is linear in the number of bytes, which is limited elsewhere. `compile`
 * processes schemas that admission has already found cheap. `sample` stops by itself long before its limit.
 */
export const PHASES = { idle: 0, load: 1, compile: 2, execute: 3, sample: 4 } as const;
export type Phase = (typeof PHASES)[keyof typeof PHASES];

const PHASE = 0;
const SINCE = 1;

export function newPhaseClock(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
}

export function enterPhase(clock: BigInt64Array, phase: Phase): void {
  Atomics.store(clock, PHASE, BigInt(PHASES.idle));
  Atomics.store(clock, SINCE, process.hrtime.bigint());
  Atomics.store(clock, PHASE, BigInt(phase));
}

export function readPhase(clock: BigInt64Array): { phase: Phase; elapsedMs: number } {
  const phase = Number(Atomics.load(clock, PHASE)) as Phase;
  return { phase, elapsedMs: Number(process.hrtime.bigint() - Atomics.load(clock, SINCE)) / 1e6 };
}
