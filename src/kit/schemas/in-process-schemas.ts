import type { FieldProblem } from '../../domain/errors';
import type { SchemaVerdict } from './schema-pool';
import { checkSchema, compileSchema } from './schema-compiler';

/** The rules of the schema pool in this process, for programs that check schemas of their own user. */
export const inProcessSchemas = {
  admit: (schema: unknown): Promise<FieldProblem[]> => Promise.resolve(checkSchema(schema)),
  validate: (_key: string, schema: string, value: string | Buffer): Promise<SchemaVerdict> => {
    const problems = compileSchema(JSON.parse(schema) as Record<string, unknown>)(JSON.parse(String(value)));
    return Promise.resolve(
      problems.length === 0 ? { valid: true } : { valid: false, problems, reason: 'mismatch' },
    );
  },
};
