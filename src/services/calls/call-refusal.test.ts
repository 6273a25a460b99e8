import { MarketError } from '../../domain/errors';
import { OverloadError } from '../../kit/concurrency/lanes';
import { errorCodeOf } from './call-refusal';

it.each([
  [new MarketError('insufficient_credits'), 'insufficient_credits'],
  [new OverloadError('all database connections are busy'), 'overloaded'],
  [Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }), 'not_ready'],
  [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), 'not_ready'],
  [Object.assign(new Error('relation does not exist'), { code: '42P01' }), 'internal_error'],
  ['thrown text', 'internal_error'],
])('counts %p under the code of the answer', (error, code) => {
  expect(errorCodeOf(error)).toBe(code);
});
