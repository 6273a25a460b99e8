import { breakingChanges } from './breaking-changes';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const input = (before: object, after: object) => found({ input_schema: before }, { input_schema: after });
const output = (before: object, after: object) => found({ output_schema: before }, { output_schema: after });
const found = (before: object, after: object) =>
  breakingChanges(before, after).map(({ loc, what }) => `${loc.join('.')} ${what}`);

it.each([
  ['a new required field', object({ a: text }), object({ a: text, b: text }, { required: ['b'] }), 'input_schema.properties.b is now required'],
  ['a field that becomes required', object({ a: text }), object({ a: text }, { required: ['a'] }), 'input_schema.properties.a is now required'],
  ['a field that is gone from a closed object', object({ a: text }, { additionalProperties: false }), object({}, { additionalProperties: false }), 'input_schema.properties.a is no longer accepted'],
  ['an object that closes', object({ a: text }), object({ a: text }, { additionalProperties: false }), 'input_schema.additionalProperties refuses fields that were accepted'],
  ['another type', object({ a: text }), object({ a: { type: 'integer' } }), 'input_schema.properties.a.type changes from "string" to "integer"'],
  ['fewer types', object({ a: { type: ['string', 'null'] } }), object({ a: text }), 'input_schema.properties.a.type changes from ["string","null"] to "string"'],
  ['a type where there was none', object({ a: {} }), object({ a: text }), 'input_schema.properties.a.type changes from nothing to "string"'],
  ['number to integer', object({ a: { type: 'number' } }), object({ a: { type: 'integer' } }), 'input_schema.properties.a.type changes from "number" to "integer"'],
  ['fewer choices', object({ a: { enum: ['x', 'y'] } }), object({ a: { enum: ['y'] } }), 'input_schema.properties.a.enum no longer accepts "x"'],
  ['choices where there were none', object({ a: text }), object({ a: { ...text, const: 'x' } }), 'input_schema.properties.a.const limits the values'],
  ['a lower maximum', object({ a: { ...text, maxLength: 9 } }), object({ a: { ...text, maxLength: 8 } }), 'input_schema.properties.a.maxLength changes from 9 to 8'],
  ['a new minimum', object({ a: text }), object({ a: { ...text, minLength: 1 } }), 'input_schema.properties.a.minLength changes from nothing to 1'],
  ['a pattern', object({ a: text }), object({ a: { ...text, pattern: '^x' } }), 'input_schema.properties.a.pattern differs: buyers may depend on it'],
  ['elements of a list', object({ a: { type: 'array', items: text } }), object({ a: { type: 'array', items: { type: 'integer' } } }), 'input_schema.properties.a.items.type changes from "string" to "integer"'],
  ['another union', object({ a: { anyOf: [text] } }), object({ a: { anyOf: [{ type: 'null' }] } }), 'input_schema.properties.a.anyOf differs: buyers may depend on it'],
])('an input breaks by %s', (_name, before, after, expected) => {
  expect(input(before, after)).toEqual([expected]);
}); // prettier-ignore

it.each([
  ['an optional field', object({ a: text }), object({ a: text, b: text })],
  ['a field that is no longer required', object({ a: text }, { required: ['a'] }), object({ a: text })],
  ['more types', object({ a: text }), object({ a: { type: ['string', 'null'] } })],
  ['integer to number', object({ a: { type: 'integer' } }), object({ a: { type: 'number' } })],
  ['more choices', object({ a: { enum: ['x'] } }), object({ a: { enum: ['x', 'y'] } })],
  ['no choices', object({ a: { enum: ['x'], ...text } }), object({ a: text })],
  ['a higher maximum', object({ a: { ...text, maxLength: 9 } }), object({ a: { ...text, maxLength: 10 } })],
  ['no maximum', object({ a: { ...text, maxLength: 9 } }), object({ a: text })],
  ['notes and the order of members', object({ a: { title: 't', ...text } }), { properties: { a: { ...text, description: 'd', examples: ['x'] } }, type: 'object' }],
])('an input does not break by %s', (_name, before, after) => {
  expect(input(before, after)).toEqual([]);
}); // prettier-ignore

it('an output breaks where an input does not', () => {
  const before = object(
    { a: { enum: ['x'] }, b: text, n: { type: 'integer', maximum: 5 } },
    { required: ['a', 'b'] },
  );
  const after = object({ a: { enum: ['x', 'y'] }, n: { type: 'number', maximum: 6 } }, { required: ['a'] });
  expect(output(before, after)).toEqual([
    'output_schema.properties.b is no longer always there',
    'output_schema.properties.a.enum can now be "y"',
    'output_schema.properties.b is no longer described',
    'output_schema.properties.n.type changes from "integer" to "number"',
    'output_schema.properties.n.maximum changes from 5 to 6',
  ]);
  expect(output(object({ a: text }), object({ a: text, b: text }, { required: ['b'] }))).toEqual([]);
  expect(output(object({ a: text }, { additionalProperties: false }), object({ a: text }))).toEqual([]);
});

it('a price breaks when it rises, and a capability when it is gone', () => {
  const price = (pricing: object, capabilities: object = {}) => ({ pricing, capabilities });
  const perCall = { model: 'per_call', credits_per_call: 2, free_tier_calls: 10 };
  expect(found(price(perCall), price({ ...perCall, credits_per_call: 3, free_tier_calls: 5 }))).toEqual([
    'pricing.credits_per_call rises from 2 to 3',
    'pricing.free_tier_calls falls from 10 to 5',
  ]);
  expect(found(price(perCall), price({ model: 'per_second', credits_per_second: '0.1' }))).toEqual([
    'pricing.model changes from "per_call" to "per_second"',
  ]);
  const metered = { model: 'per_second', credits_per_second: '0.5', max_credits_per_call: 20 };
  expect(
    found(price(metered), price({ ...metered, credits_per_second: '0.25', max_credits_per_call: 21 })),
  ).toEqual(['pricing.max_credits_per_call rises from 20 to 21']);
  expect(found(price(perCall, { streaming: true }), price(perCall, {}))).toEqual([
    'capabilities.streaming is no longer declared',
  ]);
  expect(found(price(perCall), price({ ...perCall, credits_per_call: 1 }, { streaming: true }))).toEqual([]);
  const [jobs, longer] = [{ jobs: { max_seconds: 60 } }, { jobs: { max_seconds: 600 } }];
  // A listing without jobs has null.
  expect(found(price(perCall, { jobs: null }), price(perCall, jobs))).toEqual([
    'capabilities.jobs is declared now: calls may outlast their callers',
  ]);
  expect(found(price(perCall, jobs), price(perCall, longer))).toEqual([]);
  const paid = { jobs: { max_seconds: 60, milestones: [{ name: 'draft', percent: 50 }] } };
  expect(found(price(perCall, paid), price(perCall, jobs))).toEqual([]);
  expect(found(price(perCall, jobs), price(perCall, paid))).toEqual([
    'capabilities.jobs.milestones rise from 0 to 50 percent of the price: a failed job may cost more',
  ]);
  expect(found(price(perCall, jobs), price(perCall))).toEqual([]);
});
