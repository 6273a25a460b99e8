/**
 * The required part of the official suite of JSON Schema, as calls are validated: admitted, then checked by the pool.
 */
import { createSchemaPool, type SchemaPool } from '../../src/kit/schemas/schema-pool';
import { readSuite, wholeSchema } from '../../tools/reference/json-schema';

let pool: SchemaPool;
beforeAll(() => {
  pool = createSchemaPool({ logger: { warn: () => undefined } });
});
afterAll(() => pool.close());

const suite = readSuite();

/** The constructs of the suite that publishing refuses, by the sentence that names them. */
const REFUSALS = [
  '$id is allowed only at the top level',
  '$ref must point into the same schema ("#…")',
  'must be draft 2020-12 (https://json-schema.org/draft/2020-12/schema)',
];

it('has the files and cases of the suite', () => {
  expect(suite).toHaveLength(46);
  expect(suite.flatMap(([, groups]) => groups.flatMap(({ tests }) => tests)).length).toBeGreaterThan(1_250);
});

describe.each(suite)('%s', (file, groups) => {
  it.each(groups.map((group) => [group.description, group] as const))('%s', async (description, group) => {
    const schema = wholeSchema(group.schema);
    const problems = await pool.admit(schema, 'dev');
    if (problems.length > 0) {
      expect(REFUSALS).toContain(problems[0]?.msg);
      return;
    }
    const key = `${file} ${description}`;
    for (const { description: what, data, valid } of group.tests) {
      const verdict = await pool.validate(key, JSON.stringify(schema), JSON.stringify(data));
      expect([what, verdict.valid]).toEqual([what, valid]);
    }
  });
});
