import { Ajv2020 } from 'ajv/dist/2020';
import { toFieldProblems } from './schema-problems';

const ajv = new Ajv2020({ allErrors: true, strict: false });
const problemsOf = (schema: object) => {
  void ajv.validateSchema(schema);
  return toFieldProblems(ajv.errors ?? [], schema).map(({ loc, msg }) => [loc.join('.'), msg]);
};
const TYPES = 'array, boolean, integer, null, number, object, string';

it.each(['text', 'String', '', 7, null])('names the types that a schema may have, once, for %j', (type) => {
  expect(problemsOf({ type: 'object', properties: { word: { type } } })).toEqual([
    ['properties.word.type', `must be one of ${TYPES}, or a list of them`],
  ]);
});

it('keeps the problem of each member of a list', () => {
  const problems = problemsOf({ type: ['string', 'text'] });
  expect(problems.some(([loc]) => loc?.startsWith('type'))).toBe(true);
});

it('keeps the problems of a value that must match one of several forms', () => {
  const check = ajv.compile({ anyOf: [{ required: ['a'] }, { type: 'string' }] });
  check({});
  expect(toFieldProblems(check.errors ?? [], {}).map(({ type }) => type)).toEqual([
    'required',
    'type',
    'anyOf',
  ]);
});
