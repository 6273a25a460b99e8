import { Type } from '@sinclair/typebox';
import { strictObject, text } from '../../contract/common';
import { compileCheck } from './validator';

const Schema = strictObject({
  name: text({ minLength: 1, maxLength: 5 }),
  role: Type.Union([Type.Literal('buyer'), Type.Literal('developer')]),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  price: Type.Optional(
    Type.Union([
      strictObject({ model: Type.Literal('per_call'), credits: Type.Integer() }),
      strictObject({ model: Type.Literal('per_token'), rate: Type.String() }),
    ]),
  ),
  parent: Type.Optional(Type.Union([text({ maxLength: 3 }), Type.Null()])),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 2 }), { maxItems: 3 })),
});
const check = compileCheck(Schema, 'body');
const valid = { name: 'ada', role: 'buyer' };

describe('problems of a request', () => {
  it('are none when it is valid', () => {
    expect(
      check({ ...valid, limit: 1, parent: null, tags: ['a'], price: { model: 'per_call', credits: 1 } }),
    ).toEqual([]);
  });

  it('name every invalid field at once', () => {
    const problems = check({ role: 'operator', limit: 0, tags: ['a', 'bcd'], balance: 1 });
    expect(problems).toEqual(
      expect.arrayContaining([
        { loc: ['body', 'name'], msg: 'is required', type: 'required' },
        { loc: ['body', 'role'], msg: 'must be one of buyer, developer', type: 'enum' },
        { loc: ['body', 'limit'], msg: 'must be >= 1', type: 'minimum' },
        { loc: ['body', 'tags', 1], msg: 'must have at most 2 characters', type: 'maxLength' },
        { loc: ['body', 'balance'], msg: 'is not a known field', type: 'unknown_field' },
      ]),
    );
    expect(problems).toHaveLength(5);
  });

  it('have one element for a field that breaks several rules', () => {
    expect(check({ ...valid, name: '' }).map(({ loc }) => loc)).toEqual([['body', 'name']]);
    expect(check({ ...valid, role: 7 })).toHaveLength(1);
  });

  it('say in a sentence how many items a list takes', () => {
    const lists = Type.Object({
      all: Type.Array(Type.String(), { minItems: 1, maxItems: 2 }),
      some: Type.Array(Type.String(), { minItems: 2, maxItems: 3, uniqueItems: true }),
    });
    const messages = (value: object) => compileCheck(lists, 'body')(value).map(({ msg }) => msg);
    expect(messages({ all: [], some: ['a'] })).toEqual([
      'must have at least 1 item',
      'must have at least 2 items',
    ]);
    expect(messages({ all: ['a', 'b', 'c'], some: ['a', 'b', 'a'] })).toEqual([
      'must have at most 2 items',
      'must not have an item twice',
    ]);
  });

  it('look inside the branch of a union that was meant', () => {
    expect(check({ ...valid, parent: 'long' })).toEqual([
      { loc: ['body', 'parent'], msg: 'must have at most 3 characters', type: 'maxLength' },
    ]);
    expect(check({ ...valid, parent: 5 })).toEqual([
      { loc: ['body', 'parent'], msg: 'must be string or null', type: 'union' },
    ]);
  });

  it.each(['a\u0000b', '\ud800', '\udc00x'])('refuse text that Postgres cannot hold: %j', (name) => {
    expect(check({ ...valid, name })).toEqual([
      { loc: ['body', 'name'], msg: 'must not contain NUL characters or lone surrogates', type: 'format' },
    ]);
  });

  it('treat __proto__ and inherited names as unknown fields', () => {
    const hostile = JSON.parse('{"name":"a","role":"buyer","__proto__":{"limit":0},"toString":1}') as object;
    expect(check(hostile).map(({ loc }) => loc)).toEqual([
      ['body', '__proto__'],
      ['body', 'toString'],
    ]);
    expect(check(Object.create(valid) as object).map(({ loc }) => loc)).toContainEqual(['body', 'name']);
  });

  it('do not echo more than a little of a long name', () => {
    const [problem] = check({ ...valid, ['x'.repeat(10_000)]: 1 });
    expect(JSON.stringify(problem).length).toBeLessThan(200);
  });

  it('stop early for a document that is huge', () => {
    const tags = Array.from({ length: 100_000 }, () => 'wrong');
    expect(check({ ...valid, tags, name: '' }, 100_003).length).toBeGreaterThan(0);
    expect(check({ ...valid, tags, name: '' }).length).toBeLessThanOrEqual(200);
  });
});

it('writes defaults into a query when asked to', () => {
  const query: Record<string, unknown> = {};
  expect(
    compileCheck(strictObject({ limit: Type.Integer({ default: 20 }) }), 'query', { defaults: true })(query),
  ).toEqual([]);
  expect(query).toEqual({ limit: 20 });
});
