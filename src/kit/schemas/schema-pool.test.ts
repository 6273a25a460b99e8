/** The schema worker runs compiled code: `npm run build` first (`npm test` does). */
import { countLowThreads, itOnLinux } from '../../../test/support/stack/threads';
import { createSchemaPool, type SchemaPool } from './schema-pool';
import { realTime } from '../../../test/support/waits';
import { part } from '../../../test/support/ledger/counts';

const DEPTH = part(200_000, 1_000_000);

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

/** `d0` refers twice to `d1`, and so on: 2^depth steps on any value. */
function doubling(depth: number, wrap = (allOf: unknown): unknown => ({ allOf })) {
  const $defs: Record<string, unknown> = { [`d${depth}`]: { type: 'string' } };
  for (let level = 0; level < depth; level += 1) {
    const $ref = `#/$defs/d${level + 1}`;
    $defs[`d${level}`] = wrap([{ $ref }, { $ref }]);
  }
  return { $defs, $ref: '#/$defs/d0' };
}

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

  it('reports text that is not JSON as a mismatch', async () => {
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

  it('compares many items in linear time', async () => {
    const items = Array.from({ length: 10_000 }, (_, a) => ({ a }));
    expect(await validate({ uniqueItems: true }, items)).toEqual({ valid: true });
    expect(await validate({ uniqueItems: true }, [...items, { a: 9_999 }])).toMatchObject({
      problems: [{ type: 'uniqueItems' }],
    });
  });

  it('names every invalid field of an input, within its time', async () => {
    const schema = {
      required: ['to', 'text'],
      properties: { to: { type: 'string' }, count: { minimum: 1 }, tags: { items: { type: 'string' } } },
      additionalProperties: false,
    };
    const verdict = await validate(schema, { count: 0, tags: ['a', 1, 2], colour: 'red' });
    const places = verdict.valid ? [] : verdict.problems.map(({ loc }) => loc.join('.')).sort();
    expect(places).toEqual(['colour', 'count', 'tags.1', 'tags.2', 'text', 'to']);
    const many = { items: { type: 'string' } };
    const all = await validate(
      many,
      Array.from({ length: 200_000 }, () => 1),
    );
    expect(all.valid || [all.reason, all.problems.length]).toEqual(['mismatch', 50]);
  });

  it('treats white space as ECMAScript does', async () => {
    expect(await validate({ pattern: '^a\\s[\\s]$' }, 'a\u00a0\u2003')).toEqual({ valid: true });
    expect(await validate({ pattern: '^\\S$' }, '\u3000')).toMatchObject({ valid: false });
  });

  it(`survives a value that is nested ${DEPTH} times`, async () => {
    const schema = { properties: { a: { $ref: '#' } } };
    const deep = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
    const verdict = await pool.validate('deep', JSON.stringify(schema), deep);
    expect(verdict).toMatchObject({ valid: false });
  });
});

describe('a schema that takes too long', () => {
  it.each([
    ['doubled references that slipped in', doubling(40), 'a'],
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
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('fails at its deadline, before its thread has ended', async () => {
    let ends = 0;
    const own = createSchemaPool({ logger: { warn: () => (ends += 1) } });
    const verdict = await own.validate('bomb', JSON.stringify(doubling(40)), '"a"');
    expect([verdict, ends]).toMatchObject([{ reason: 'deadline' }, 0]);
    await own.close();
  });

  itOnLinux('runs in one thread of a lower priority', async () => {
    const begun = countLowThreads();
    const own = createSchemaPool({ logger: { warn: () => undefined } });
    await own.admit({ type: 'object', description: 'x'.repeat(16_384) }, 'honest');
    expect(begun()).toBe(1);
    await own.close();
  });

  it('does not delay other tenants, however many of them come', async () => {
    const schema = JSON.stringify(doubling(40));
    await pool.validate('bomb', schema, '"a"');
    const bombs = Array.from({ length: 4 }, () => pool.validate('bomb', schema, '"a"'));
    await realTime(10, 'the bombs have reached the threads');
    const waits: number[] = [];
    for (let call = 0; call < 40; call += 1) {
      const startedAt = performance.now();
      expect(await pool.validate('honest', '{"type":"integer"}', '1')).toEqual({ valid: true });
      waits.push(performance.now() - startedAt);
      await realTime(25, 'calls have a rate');
    }
    waits.sort((a, b) => a - b);
    expect(waits[20]).toBeLessThan(100);
    expect(
      (await Promise.all(bombs)).every((verdict) => !verdict.valid && verdict.reason === 'deadline'),
    ).toBe(true);
    expect(ended.length).toBeGreaterThan(4);
  });

  it('reads the most expensive value of 10 MiB, and refuses one that could exceed its share of memory', async () => {
    const worst = (bytes: number) => Buffer.from(`[${'{},'.repeat(bytes / 3 - 1)}{}]`);
    expect(await pool.validate('memory', '{"type":"array"}', worst(10 * 1_048_576))).toEqual({ valid: true });
    expect(await pool.validate('memory', '{"type":"array"}', worst(12 * 1_048_576 + 3))).toMatchObject({
      reason: 'memory',
    });
  });
});

describe('schemas that are not admitted yet', () => {
  const names = (count: number) => Array.from({ length: count }, (_none, n) => `p${n}`);
  const large = {
    properties: Object.fromEntries(names(600).map((name, n) => [name, { type: 'string', maxLength: n }])),
  };

  /** Cheap to check, and not light by its structure. */
  const unusual = (title: string) => ({ title, type: 'array', uniqueItems: true });

  it('are checked without waiting for expensive ones of others, if they are ordinary', async () => {
    let admitted = 0;
    const hostile = [0, 1, 2].map(async (n) => {
      await pool.admit({ ...large, title: `first ${n}` }, 'hostile');
      admitted += 1;
    });
    const ordinary = { type: 'object', properties: { text: { type: 'string', maxLength: 80 } } };
    expect(await pool.admit(ordinary, 'new')).toEqual([]);
    expect(admitted).toBe(0);
    await Promise.all(hostile);
  });

  it('are not checked again once they were admitted', async () => {
    const own = createSchemaPool({ size: 1, deadlineMs: 20_000, logger: { warn: () => undefined } });
    expect(await own.admit({ type: 'string' }, 'dev')).toEqual([]);
    expect(await own.admit({ type: 'strange' }, 'dev')).not.toEqual([]);
    await own.close();
    expect(await own.admit({ type: 'string' }, 'dev')).toEqual([]);
    await expect(own.admit({ type: 'string' }, 'another')).rejects.toThrow('closed');
    await expect(own.admit({ type: 'strange' }, 'dev')).rejects.toThrow('closed');
  });

  it('take turns by developer', async () => {
    await pool.admit(unusual('first'), 'victim');
    let admitted = 0;
    const hostile = Array.from({ length: 7 }, async (_none, n) => {
      await pool.admit({ ...large, title: `second ${n}` }, 'hostile');
      admitted += 1;
    });
    expect(await pool.admit(unusual('second'), 'victim')).toEqual([]);
    // It waits for the one that is being compiled, and not for those that wait.
    expect(admitted).toBeLessThan(3);
    await Promise.all(hostile);
  });

  it.each([
    ['8,000 alternatives', { pattern: Array.from({ length: 8_000 }, (_none, n) => `a${n}`).join('|') }],
    [
      '1,800 repeats',
      { properties: Object.fromEntries(names(1_800).map((name, n) => [name, { pattern: `.{999}${n}` }])) },
    ],
  ])('may not have more patterns in all than can be compiled: %s', async (_what, schema) => {
    const quiet = performance.now();
    await pool.admit({ type: 'string' }, 'victim');
    const problems = await pool.admit(schema, 'hostile');
    expect(problems).toMatchObject([{ type: 'unsafe_schema' }]);
    expect(problems[0]?.msg).toContain('regular expressions of the schema too large');
    expect(performance.now() - quiet).toBeLessThan(2_000);
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
    const samples = await pool.sample(schema, { count: 4, seed: 7, developer: 'dev' });
    expect(samples.slice(0, 2)).toEqual(['{"n":2}', '{"n":3}']);
    expect(new Set(samples).size).toBe(4);
    expect(await pool.sample(schema, { count: 4, seed: 7, developer: 'dev' })).toEqual(samples);
    for (const sample of samples)
      expect(await pool.validate('samples', schema, sample)).toEqual({ valid: true });
  });

  it('are empty if the schema accepts nothing', async () => {
    expect(await pool.sample('{"not":{}}', { count: 3, seed: 1, developer: 'dev' })).toEqual([]);
  });

  it('are the examples in the schema if generation takes too long', async () => {
    const schema = {
      examples: ['own'],
      anyOf: [{ type: 'array', minItems: 50_000_000, items: { type: 'string' } }, { const: 'own' }],
    };
    const impatient = createSchemaPool({ size: 1, deadlineMs: 25, logger: { warn: () => undefined } });
    const samples = await impatient.sample(JSON.stringify(schema), { count: 3, seed: 1, developer: 'dev' });
    expect(samples).toContain('"own"');
    await impatient.close();
  });
});

it('answers small values in a fraction of a millisecond (2 ms on a busy machine)', async () => {
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
  expect(waits[1_000]).toBeLessThan(2);
});

it('rejects waiting work when it is closed', async () => {
  const own = createSchemaPool({ size: 1, logger: { warn: () => undefined } });
  const waiting = Promise.allSettled(['a', 'b'].map((key) => own.validate(key, '{"uniqueItems":true}', '1')));
  await own.close();
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(own.admit({}, 'dev')).rejects.toThrow('closed');
});
