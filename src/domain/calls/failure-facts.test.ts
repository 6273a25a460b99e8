import { refusesInput, refusesRequest, schemaFacts, wordsOfRefusal } from './failure-facts';

const said = (message: unknown) => wordsOfRefusal({ error: { message } });

describe('the words of a refusal', () => {
  it('are the message of the error, on one line', () => {
    expect(said('I do not take\n\tthis text.')).toBe('I do not take this text.');
    expect(said('safe\u202eevil\u0000')).toBe('safe evil');
    expect(said('Ünïcode 数 👍')).toBe('Ünïcode 数 👍');
  });

  it('have at most 500 characters', () => {
    const long = said('👍'.repeat(600)) ?? '';
    expect([...long]).toHaveLength(500);
    expect(long.endsWith('…')).toBe(true);
  });

  it.each([
    [null],
    ['text'],
    [{ message: 'not in error' }],
    [{ error: 'a text' }],
    [{ error: { message: 1 } }],
    [{ error: { message: ' \n ' } }],
  ])('are missing in every other body: %j', (body) => {
    expect(wordsOfRefusal(body)).toBeNull();
  });
});

it.each([
  [400, true],
  [422, true],
  [429, true],
  [401, false],
  [403, false],
  [407, false],
  [500, false],
  [302, false],
])('status %d refuses the request of the buyer: %s', (status, expected) => {
  expect(refusesRequest(status)).toBe(expected);
});

it('names the place that violates a schema', () => {
  expect(schemaFacts({ loc: ['items', 0, 'a/b~c'], msg: 'must be string' })).toEqual({
    schemaPath: '/items/0/a~1b~0c',
    problem: 'must be string',
  });
  expect(schemaFacts({ loc: [], msg: 'must be object' }).schemaPath).toBe('/');
  expect(schemaFacts({ loc: ['x'.repeat(400)], msg: 'm' }).schemaPath).toHaveLength(300);
  expect(schemaFacts(undefined)).toEqual({ schemaPath: null, problem: null });
});

it.each([
  [400, true],
  [404, true],
  [422, true],
  [401, false],
  [403, false],
  [408, false],
  [409, false],
  [429, false],
  [500, false],
  [200, false],
])('status %d refuses the input: %s', (status, expected) => {
  expect(refusesInput(status)).toBe(expected);
});
