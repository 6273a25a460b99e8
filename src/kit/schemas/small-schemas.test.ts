import { schemaWeight } from './schema-weight';
import { createSmallSchemas, SMALL } from './small-schemas';

const rows = {
  type: 'object',
  required: ['rows'],
  properties: { rows: { items: { $ref: '#/$defs/row' } } },
  $defs: {
    row: { required: ['id'], properties: { id: { type: 'integer' }, name: { pattern: '^[a-z]+$' } } },
  },
};

function small(schema: unknown, value: string, key = JSON.stringify(schema)) {
  return createSmallSchemas()(key, JSON.stringify(schema), value);
}

describe('small schemas', () => {
  it('gives the problems that a thread would give', () => {
    expect(small(rows, '{"rows":[{"id":1,"name":"abc"}]}')).toEqual([]);
    expect(small(rows, '{"rows":[{"id":1},{"id":"2"}]}')).toEqual([
      { loc: ['rows', 1, 'id'], msg: 'must be integer', type: 'type' },
    ]);
    expect(small(rows, '{"rows":')).toEqual([{ loc: [], msg: 'is not JSON', type: 'malformed_json' }]);
  });

  it.each([
    ['recursion', { properties: { child: { $ref: '#' } } }],
    ['recursion through definitions', { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } }],
    ['uniqueItems', { uniqueItems: true }],
    ['many decimals', { allOf: Array.from({ length: 20 }, () => ({ multipleOf: 0.01 })) }],
    ['an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here' } } }],
    ['a dynamic reference', { $dynamicRef: '#here' }],
    ['large patterns', { pattern: '[a-z]{200}' }],
    ['a long list', { enum: Array.from({ length: 1_100 }, (_, n) => n) }],
  ])('leaves %s to a thread', (_name, schema) => {
    expect(small(schema, '"x"')).toBeUndefined();
  });

  it('leaves references that double to a thread, without expanding them', () => {
    const $defs: Record<string, unknown> = { d60: { type: 'string' } };
    for (let level = 0; level < 60; level += 1) {
      const $ref = `#/$defs/d${level + 1}`;
      $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] };
    }
    expect(schemaWeight({ $defs, $ref: '#/$defs/d0' })).toBeGreaterThan(2 ** 60);
    expect(small({ $defs, $ref: '#/$defs/d0' }, '"x"')).toBeUndefined();
  });

  it('leaves long values, and values that need much validation, to a thread', () => {
    const weight = schemaWeight(rows);
    expect(small({}, JSON.stringify('x'.repeat(SMALL.valueLength)))).toBeUndefined();
    const longest = Math.floor(SMALL.work / 600);
    const heavy = { enum: Array.from({ length: 600 }, (_, n) => n) };
    expect(small(heavy, JSON.stringify('x'.repeat(longest)))).toBeUndefined();
    expect(small(heavy, JSON.stringify('x'.repeat(longest / 2)))).toHaveLength(1);
    expect(weight).toBeLessThan(SMALL.weight / 5);
  });

  it('spends a twentieth of its time on compiling, and keeps what is compiled', () => {
    let nowMs = 0;
    const validation = createSmallSchemas(() => (nowMs += 1));
    expect(validation('a', '{"type":"string"}', '"x"')).toEqual([]);
    expect(validation('b', '{"type":"string"}', '"x"')).toBeUndefined();
    expect(validation('a', '{"type":"string"}', '1')).toHaveLength(1);
    nowMs += 100;
    expect(validation('b', '{"type":"string"}', '"x"')).toEqual([]);
  });

  it('gives a schema that took long three times to threads, for a minute', () => {
    let stepMs = 1;
    let nowMs = 0;
    const validation = createSmallSchemas(() => (nowMs += stepMs));
    const validate = () => validation('a', '{"type":"string"}', '"x"');
    validate();
    stepMs = 20;
    expect([validate(), validate(), validate()]).toEqual([[], [], []]);
    expect(validate()).toBeUndefined();
    nowMs += 60_000;
    stepMs = 1;
    expect(validate()).toEqual([]);
  });

  it('ends soon for the most expensive work that it accepts', () => {
    const branches = Array.from({ length: 40 }, (_, n) => ({ required: [`p${n}`], minProperties: 1 }));
    const schema = { items: { anyOf: [...branches, { type: 'object' }] } };
    const longest = Math.floor(SMALL.work / schemaWeight(schema));
    const value = `[${Array.from({ length: longest / 10 }, () => '{"a":1}').join()}]`;
    const tookMs = Array.from({ length: 5 }, () => {
      const validation = createSmallSchemas(() => 0);
      validation('a', JSON.stringify(schema), '[]');
      const startedAt = performance.now();
      expect(validation('a', JSON.stringify(schema), value)).toEqual([]);
      return performance.now() - startedAt;
    });
    expect(Math.min(...tookMs)).toBeLessThan(50);
  });
});
