/** The schema worker runs compiled code: `npm run build` first (`npm test` does). */
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSchemaPool, type SchemaPool } from './schema-pool';

let pool: SchemaPool;
const ended: unknown[] = [];

beforeAll(() => {
  pool = createSchemaPool({ logger: { warn: (fields) => ended.push(fields) } });
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
      const problems = await pool.admit(schema);
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
    expect(await pool.admit(schema)).toEqual([]);
  });

  it('has no two tenants in each other’s way, even with the same $id', async () => {
    const $id = 'https://tenant.example/schema';
    expect(await pool.admit({ $id, type: 'string' })).toEqual([]);
    expect(await pool.admit({ $id, type: 'number' })).toEqual([]);
    expect(await validate({ $id, type: 'string' }, 'a')).toEqual({ valid: true });
    expect(await validate({ $id, type: 'number' }, 1)).toEqual({ valid: true });
  });

  it('never lets a schema through that then cannot be run', async () => {
    let admitted = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(schemas, fc.jsonValue()), fc.jsonValue(), async (schema, value) => {
        if ((await pool.admit(schema)).length > 0) return;
        admitted += 1;
        const verdict = await validate(schema, value);
        expect(verdict.valid || verdict.reason).not.toBe('memory');
      }),
      { numRuns: 400 },
    );
    expect(admitted).toBeGreaterThan(50);
  });
});

describe('validation', () => {
  it('names the place of a problem, with numbers for places in lists', async () => {
    const schema = {
      properties: { rows: { items: { required: ['id'], properties: { id: { type: 'integer' } } } } },
    };
    expect(await validate(schema, { rows: [{ id: 1 }, { id: '2' }] })).toEqual({
      valid: false,
      reason: 'mismatch',
      problems: [{ loc: ['rows', 1, 'id'], msg: 'must be integer', type: 'type' }],
    });
    expect(await validate(schema, { rows: [{}] })).toMatchObject({
      problems: [{ loc: ['rows', 0, 'id'], type: 'required' }],
    });
  });

  it('does not take inherited members for the value’s own', async () => {
    expect(await validate({ required: ['toString'] }, {})).toMatchObject({ valid: false });
    expect(await pool.validate('proto', '{"additionalProperties":false}', '{"__proto__":1}')).toMatchObject({
      valid: false,
    });
  });

  it('takes bytes as well as text, and leaves them to the caller', async () => {
    const bytes = Buffer.from('{"a":1}');
    expect(await pool.validate('bytes', '{"type":"object"}', bytes)).toEqual({ valid: true });
    expect(bytes.toString()).toBe('{"a":1}');
    const long = Buffer.from(JSON.stringify('é'.repeat(100_000)));
    expect(await pool.validate('long', '{"maxLength":100000}', long)).toEqual({ valid: true });
    expect(await pool.validate('long', '{"maxLength":100000}', long.toString())).toEqual({ valid: true });
  });

  it('calls what is not JSON a mismatch', async () => {
    expect(await pool.validate('json', '{}', '{"a":')).toMatchObject({
      reason: 'mismatch',
      problems: [{ type: 'malformed_json' }],
    });
  });

  it('runs hostile expressions in linear time', async () => {
    for (const pattern of ['^(a+)+$', '^(\\w+\\s?)*$', '(x+x+)+y']) {
      const verdict = await validate({ pattern }, `${'a'.repeat(20_000)}${'x'.repeat(20_000)}!`);
      expect(verdict).toMatchObject({ valid: false, reason: 'mismatch' });
    }
  });

  it('knows the white space of ECMAScript', async () => {
    expect(await validate({ pattern: '^a\\s[\\s]$' }, 'a\u00a0\u2003')).toEqual({ valid: true });
    expect(await validate({ pattern: '^\\S$' }, '\u3000')).toMatchObject({ valid: false });
  });

  it('does not fall over a value that is nested a million times', async () => {
    const schema = { properties: { a: { $ref: '#' } } };
    const deep = `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`;
    const verdict = await pool.validate('deep', JSON.stringify(schema), deep);
    expect(verdict).toMatchObject({ valid: false });
  });
});

describe('a schema that takes too long', () => {
  it.each([
    ['doubled references that slipped in', doubling(40), 'a'],
    ['uniqueItems of many objects', { uniqueItems: true }, Array.from({ length: 30_000 }, (_, a) => ({ a }))],
    [
      'branches that multiply with the depth of the value',
      { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } },
      JSON.parse(`${'{"a":'.repeat(40)}{}${'}'.repeat(40)}`) as unknown,
    ],
  ])('is ended at its deadline: %s', async (_name, schema, value) => {
    const startedAt = performance.now();
    const verdict = await validate(schema, value);
    expect(verdict).toMatchObject({ valid: false, reason: 'deadline', problems: [{ type: 'deadline' }] });
    expect(performance.now() - startedAt).toBeGreaterThan(240);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('delays nobody else, however many of them come', async () => {
    const schema = JSON.stringify(doubling(40));
    await pool.validate('bomb', schema, '"a"');
    const bombs = Array.from({ length: 8 }, () => pool.validate('bomb', schema, '"a"'));
    await sleep(10);
    const waits: number[] = [];
    for (let call = 0; call < 40; call += 1) {
      const startedAt = performance.now();
      expect(await pool.validate('honest', '{"type":"integer"}', '1')).toEqual({ valid: true });
      waits.push(performance.now() - startedAt);
      await sleep(25);
    }
    waits.sort((a, b) => a - b);
    expect(waits[20]).toBeLessThan(50);
    expect(
      (await Promise.all(bombs)).every((verdict) => !verdict.valid && verdict.reason === 'deadline'),
    ).toBe(true);
    expect(ended.length).toBeGreaterThan(8);
  });

  it('reads the worst of 10 MiB, and nothing that could take more than its share of memory', async () => {
    const worst = (bytes: number) => Buffer.from(`[${'{},'.repeat(bytes / 3 - 1)}{}]`);
    expect(await pool.validate('memory', '{"type":"array"}', worst(10 * 1_048_576))).toEqual({ valid: true });
    expect(await pool.validate('memory', '{"type":"array"}', worst(12 * 1_048_576 + 3))).toMatchObject({
      reason: 'memory',
    });
  });
});

describe('samples', () => {
  it('are the examples first, valid, distinct and the same for the same seed', async () => {
    const schema = JSON.stringify({
      type: 'object',
      required: ['n'],
      properties: {
        n: { type: 'integer', minimum: 1, maximum: 5, examples: [3] },
        note: { type: 'string', maxLength: 5 },
      },
      additionalProperties: false,
      examples: [{ n: 2 }, { n: 'not valid' }],
    });
    const samples = await pool.sample(schema, { count: 4, seed: 7 });
    expect(samples.slice(0, 2)).toEqual(['{"n":2}', '{"n":3}']);
    expect(new Set(samples).size).toBe(4);
    expect(await pool.sample(schema, { count: 4, seed: 7 })).toEqual(samples);
    for (const sample of samples)
      expect(await pool.validate('samples', schema, sample)).toEqual({ valid: true });
  });

  it('are none when the schema accepts nothing', async () => {
    expect(await pool.sample('{"not":{}}', { count: 3, seed: 1 })).toEqual([]);
  });

  it('are what the schema itself holds when generating takes too long', async () => {
    const schema = {
      examples: ['own'],
      anyOf: [{ type: 'array', minItems: 50_000_000, items: { type: 'string' } }, { const: 'own' }],
    };
    expect(await pool.sample(JSON.stringify(schema), { count: 3, seed: 1 })).toContain('"own"');
  });
});

it('answers small values in well under a millisecond', async () => {
  const schema = JSON.stringify({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  });
  const waits: number[] = [];
  for (let call = 0; call < 2_000; call += 1) {
    const startedAt = performance.now();
    await pool.validate('small', schema, '{"text":"hello"}');
    waits.push(performance.now() - startedAt);
  }
  waits.sort((a, b) => a - b);
  expect(waits[1_000]).toBeLessThan(1);
});

it('rejects what waits when it is closed', async () => {
  const own = createSchemaPool({ size: 1, logger: { warn: () => undefined } });
  const waiting = Promise.allSettled([own.validate('a', '{}', '1'), own.validate('b', '{}', '1')]);
  await own.close();
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(own.admit({})).rejects.toThrow('closed');
});
