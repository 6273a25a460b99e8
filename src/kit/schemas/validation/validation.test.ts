import { checkSchema } from '../schema-compiler';
import { isMultipleOf } from './decimal';
import { compileValidation } from './validation';

const isValid = (schema: unknown, value: unknown) => compileValidation(schema)(value).length === 0;
const places = (schema: unknown, value: unknown) =>
  compileValidation(schema)(value).map(({ loc, type }) => `${loc.join('.')} ${type}`);

describe('multipleOf', () => {
  it.each([
    [19.99, 0.01],
    [1.13, 0.01],
    [0.07, 0.01],
    [4.35, 0.01],
    [8.61, 0.01],
    [0.3, 0.1],
    [0.7, 0.1],
    [-2.3, 0.1],
    [1e308, 0.5],
    [1e-7, 1e-8],
    [0, 0.01],
    [5e-324, 5e-324],
  ])('%d is a multiple of %d', (value, divisor) => {
    expect(isMultipleOf(value, divisor)).toBe(true);
  });

  it.each([
    [19.991, 0.01],
    [0.1 + 0.2, 0.1],
    [1e308, 0.123456789],
    [7, 2],
    [1e-9, 1e-8],
    [3.5, 2],
  ])('%d is no multiple of %d', (value, divisor) => {
    expect(isMultipleOf(value, divisor)).toBe(false);
  });
});

describe('validation', () => {
  it('counts what contains and a lone if evaluated', () => {
    const items = { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false };
    expect(isValid(items, [1, 2, 'foo'])).toBe(false);
    expect(isValid(items, [1, 'foo'])).toBe(true);
    const members = { if: { patternProperties: { foo: { type: 'string' } } }, unevaluatedProperties: false };
    expect(isValid(members, { foo: 'a' })).toBe(true);
    expect(isValid(members, { foo: 1 })).toBe(false);
    expect(isValid(members, { bar: 'a' })).toBe(false);
  });

  it('resolves a dynamic reference to an anchor outside the root', () => {
    const schema = {
      type: 'array',
      items: { $dynamicRef: '#items' },
      $defs: { foo: { $dynamicAnchor: 'items', type: 'string' } },
    };
    expect(checkSchema(schema)).toEqual([]);
    expect(isValid(schema, ['foo'])).toBe(true);
    expect(isValid(schema, [1])).toBe(false);
  });

  it('applies rules to members that objects inherit', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"number"},"toString":{"type":"number"}},"required":["constructor"]}',
    ) as unknown;
    expect(places(schema, JSON.parse('{"__proto__":"foo","toString":"a"}'))).toEqual([
      'constructor required',
      '__proto__ type',
      'toString type',
    ]);
    expect(isValid(schema, JSON.parse('{"__proto__":1,"constructor":1}'))).toBe(true);
  });

  it.each([
    ['nullable beside enum', { enum: ['x'], nullable: true }, 'x', null],
    ['nullable beside a type', { type: 'string', nullable: true }, 'x', null],
    ['a format', { type: 'string', format: 'date-time' }, '2026-11-25T10:00:00', 1],
    ['contentEncoding', { type: 'string', contentEncoding: 'base64' }, '!', 1],
    ['the dependencies of earlier drafts', { dependencies: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    ['a member that a list of examples has twice', { enum: [1, 1.0, { a: [1] }] }, { a: [1] }, { a: [2] }],
    ['a decimal that is an integer', { type: 'integer' }, 1.0, 1.5],
    ['code points', { maxLength: 1, minLength: 1 }, '😀', 'ab'],
  ])('reads %s', (_name, schema, good, bad) => {
    expect(checkSchema(schema)).toEqual([]);
    expect(isValid(schema, good)).toBe(true);
    expect(isValid(schema, bad)).toBe(false);
  });

  it('reports the branch that was meant', () => {
    const schema = {
      anyOf: [
        { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'string' } } },
        { type: 'null' },
      ],
    };
    expect(places(schema, { b: 1 })).toEqual(['a required', 'b type']);
    expect(places(schema, 1)).toEqual([' anyOf']);
    expect(places({ oneOf: [true, true] }, 1)).toEqual([' oneOf']);
    expect(places({ properties: { x: schema } }, { x: { a: 1 } })).toEqual(['x.a type']);
  });

  it('ends early for a value with countless problems', () => {
    const value = Array.from({ length: 100_000 }, () => ({ a: 1 }));
    expect(compileValidation({ items: { required: ['b'], properties: { a: false } } })(value)).toHaveLength(
      50,
    );
  });
});

it.each([
  [{ $defs: { a: { $anchor: 'x' }, b: { $dynamicAnchor: 'x' } } }, '$defs.b.$dynamicAnchor'],
  [{ $defs: { a: { $id: 'https://a.example/b' } } }, '$defs.a.$id'],
  [{ pattern: '\\Aa' }, 'pattern'],
])('refuses %j when it is published', (schema, place) => {
  expect(checkSchema(schema).map(({ loc }) => loc.join('.'))).toEqual([place]);
});
