import type { FieldProblem } from '../../domain/errors';

/**
 * A request from the pool to a schema worker. Values are text, or UTF-8 bytes when they are large. `schema` is omitted
 * if the worker may have the compiled schema. `limitMs`: processor time of a step.
 */
export type SchemaRequest =
  | {
      op: 'validate';
      key: string;
      schema: string | undefined;
      value: string | Uint8Array;
      limitMs: number;
    }
  | { op: 'admit'; schema: string; limitMs: number }
  | { op: 'sample'; schema: string; count: number; seed: number; generate: boolean; limitMs: number };

export type SchemaReply =
  | { kind: 'problems'; problems: FieldProblem[] }
  | { kind: 'samples'; samples: string[] }
  /** The worker does not have the compiled schema; send the request again with the schema's text. */
  | { kind: 'schema_needed' }
  /** A step exceeded its time or the memory of the thread. */
  | { kind: 'ended'; reason: 'deadline' | 'memory' };
