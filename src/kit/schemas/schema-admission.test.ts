/** The rules of admission, as the worker applies them: `npm run build` first (`npm test` does). */
import fc from 'fast-check';
import { createSchemaPool, type SchemaPool } from './schema-pool';

let pool: SchemaPool;

beforeAll(() => {
  pool = createSchemaPool({ logger: { warn: () => undefined } });
});
afterAll(() => pool.close());

let keys = 0;
function validate(schema: unknown, value: unknown) {
  keys += 1;
  return pool.validate(`test:${keys}`, JSON.stringify(schema), JSON.stringify(value));
}

const reference = fc.constantFrom('#/$defs/a', '#/$defs/b', '#/$defs/c');

/** `d0` refers twice to `d1`, and so on: 2^depth steps on any value. */
function doubling(depth: number, wrap = (allOf: unknown): unknown => ({ allOf })) {
  const $defs: Record<string, unknown> = { [`d${depth}`]: { type: 'string' } };
  for (let level = 0; level < depth; level += 1) {
    const $ref = `#/$defs/d${level + 1}`;
    $defs[`d${level}`] = wrap([{ $ref }, { $ref }]);
  }
  return { $defs, $ref: '#/$defs/d0' };
}

/** Schemas of three definitions that refer to each other at random. */
const { schema: schemas } = fc.letrec<{ schema: Record<string, unknown>; sub: unknown }>((tie) => ({
  schema: fc.record({ $defs: fc.record({ a: tie('sub'), b: tie('sub'), c: tie('sub') }), $ref: reference }),
  sub: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.boolean(),
    fc.record({ type: fc.constantFrom('object', 'array', 'string', 'integer', ['null', 'object']) }),
    fc.record({ $ref: reference }),
    fc.record({ const: fc.jsonValue() }),
    fc.record({
      properties: fc.dictionary(fc.constantFrom('a', 'b', '$ref', '__proto__'), tie('sub'), { maxKeys: 3 }),
    }),
    fc.record({ items: tie('sub'), uniqueItems: fc.boolean() }),
    fc.record({ allOf: fc.array(tie('sub'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      anyOf: fc.array(tie('sub'), { minLength: 1, maxLength: 3 }),
      unevaluatedProperties: fc.boolean(),
    }),
    fc.record({ not: tie('sub') }),
    fc.record({ if: tie('sub'), then: tie('sub'), else: tie('sub') }),
    fc.record({ pattern: fc.string({ maxLength: 6 }), format: fc.constantFrom('date', 'email', 'x') }),
    fc.record({ dependentSchemas: fc.dictionary(fc.constantFrom('a', 'b'), tie('sub'), { maxKeys: 2 }) }),
  ),
}));

function nested(keyword: 'properties' | 'allOf', depth: number): unknown {
  let schema: unknown = { type: 'string' };
  for (let level = 0; level < depth; level += 1)
    schema = keyword === 'allOf' ? { allOf: [schema] } : { properties: { a: schema } };
  return schema;
}

const manyProperties = (count: number) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, true])),
});

describe('admission', () => {
  const bombs: [string, unknown, string?][] = [
    ['$async', { $async: true, type: 'object' }, '$async'],
    ['$async deep inside', { properties: { a: { items: { $async: true } } } }, 'properties.a.items.$async'],
    ['a reference to itself', { $ref: '#' }, ''],
    ['a circle of two', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }],
    ['a circle through anyOf', { anyOf: [{ type: 'string' }, { not: { $ref: '#' } }] }],
    ['a circle through $dynamicRef', { $dynamicAnchor: 'a', $dynamicRef: '#a' }],
    ['40 doubled references', doubling(40), ''],
    [
      '40 doubled references, each through a property',
      doubling(40, (allOf) => ({ properties: { a: { allOf } } })),
      '',
    ],
    ['500 nested properties', nested('properties', 500)],
    ['500 nested allOf', nested('allOf', 500)],
    ['33 levels', nested('properties', 33)],
    ['20,000 properties', manyProperties(20_000), ''],
    ['2,001 subschemas', manyProperties(2_000), ''],
    [
      'a program of a regular expression that is too large',
      { pattern: '^((a{1,1000}){1,1000}){1,1000}$' },
      'pattern',
    ],
    ['look-ahead', { pattern: '^(?=a)' }, 'pattern'],
    ['a back-reference', { patternProperties: { '(a)\\1': true } }, 'patternProperties.(a)\\1'],
    ['a remote reference', { $ref: 'https://example.com/s.json' }, '$ref'],
    ['a relative reference', { $ref: 'other.json' }, '$ref'],
    ['a dangling reference', { $ref: '#/$defs/none' }, '$ref'],
    ['a reference into an unknown keyword', { $ref: '#/x', x: {} }, '$ref'],
    ['$data', { properties: { a: { minimum: { $data: '1/b' } } } }, 'properties.a.minimum.$data'],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, '$schema'],
    ['a second $id', { $defs: { a: { $id: 'https://example.com/a' } } }, '$defs.a.$id'],
    ['draft 2019 recursion', { $recursiveRef: '#' }, '$recursiveRef'],
    ['an unknown type', { properties: { a: { type: 'text' } } }, 'properties.a.type'],
    ['more than 64 KiB', { description: 'x'.repeat(65_536) }, ''],
    ['a list', []],
    ['true', true],
    ['nothing', undefined],
  ];
  it.each(bombs.map(([name, schema, place]) => ({ name, schema, place })))(
    'refuses $name',
    async ({ schema, place }) => {
      const problems = await pool.admit(schema, 'dev');
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.every(({ type }) => type === 'unsafe_schema')).toBe(true);
      if (place !== undefined) expect(problems[0]?.loc.join('.')).toBe(place);
    },
  );

  it.each([
    [
      'a tree',
      {
        $defs: { node: { properties: { children: { items: { $ref: '#/$defs/node' } } } } },
        $ref: '#/$defs/node',
      },
    ],
    ['a tree from its root', { type: 'object', properties: { next: { $ref: '#' } } }],
    ['anchors', { $defs: { a: { $anchor: 'a', type: 'string' } }, properties: { x: { $ref: '#a' } } }],
    ['escaped pointers', { $defs: { 'a/b~c%': true }, properties: { x: { $ref: '#/$defs/a~1b~0c%25' } } }],
    [
      'properties named like keywords',
      { properties: { $ref: true, $async: true, $data: true, id: true, pattern: true } },
    ],
    ['$data as data', { const: { $data: 'x' }, examples: [{ $data: 1 }] }],
    [
      "the draft's own $id",
      {
        $id: 'https://json-schema.org/draft/2020-12/schema',
        $schema: 'https://json-schema.org/draft/2020-12/schema',
      },
    ],
    [
      'unknown keywords and formats',
      { 'x-ui': { $async: true }, format: 'lunar-phase', nullable: true, type: 'string' },
    ],
    ['ECMAScript escapes', { pattern: '^[\\u00e9\\/\\s]+$' }],
    ['32 levels', nested('properties', 31)],
    ['1,999 properties', manyProperties(1_999)],
    ['10,000 values of an enum', { enum: Array.from({ length: 10_000 }, (_, index) => index) }],
    ['13 doubled references', doubling(12)],
  ])('admits %s', async (_name, schema) => {
    expect(await pool.admit(schema, 'dev')).toEqual([]);
  });

  it('keeps tenants apart, even with the same $id', async () => {
    const $id = 'https://tenant.example/schema';
    expect(await pool.admit({ $id, type: 'string' }, 'dev')).toEqual([]);
    expect(await pool.admit({ $id, type: 'number' }, 'dev')).toEqual([]);
    expect(await validate({ $id, type: 'string' }, 'a')).toEqual({ valid: true });
    expect(await validate({ $id, type: 'number' }, 1)).toEqual({ valid: true });
  });

  it('admits no schema that cannot be run', async () => {
    let admitted = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(schemas, fc.jsonValue()), fc.jsonValue(), async (schema, value) => {
        if ((await pool.admit(schema, 'dev')).length > 0) return;
        admitted += 1;
        const verdict = await validate(schema, value);
        expect(verdict.valid || verdict.reason).not.toBe('memory');
      }),
      { numRuns: 400 },
    );
    expect(admitted).toBeGreaterThan(50);
  });
});
