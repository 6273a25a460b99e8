import type { Request } from 'express';
import { topUp } from '../../contract/billing';
import { createKey } from '../../contract/keys';
import { MarketError } from '../../domain/errors';
import { withHeaderProblems } from '../requests/idempotency-key';
import { bodyCheckOf } from './body-check';

const places = (operation: Parameters<typeof bodyCheckOf>[0], body: unknown) =>
  bodyCheckOf(operation)?.(body, 10).map(({ loc }) => loc.join('.'));

it('lists what the service would refuse beside what is malformed', () => {
  const key = { name: 'k', scopes: ['nothing'], expires_at: '2020-01-01' };
  expect(places(createKey, key)).toEqual(['body.scopes.0', 'body.expires_at']);
  expect(places(createKey, { ...key, name: '', more: 1 })?.sort()).toEqual([
    'body.expires_at',
    'body.more',
    'body.name',
    'body.scopes.0',
  ]);
  expect(places(topUp, { amountPaise: 'x', currency: 'EUR' })).toEqual(['body.amountPaise', 'body.currency']);
});

it('names a field once, and leaves what is wrong alone to the service', () => {
  expect(places(createKey, { name: '', scopes: ['agents:read'], expires_at: 'soon' })).toEqual([
    'body.name',
    'body.expires_at',
  ]);
  expect(places(createKey, { name: 'k', scopes: ['agents:read'], expires_at: '2020-01-01' })).toEqual([]);
  expect(places(topUp, [])).toEqual(['body']);
});

it('adds an invalid Idempotency-Key to the problems of a body', () => {
  const problem = { loc: ['body', 'currency'], msg: 'must be text', type: 'type' };
  const error = new MarketError('validation_failed', { detail: [problem] });
  const asked = (key: string | undefined) =>
    withHeaderProblems(error, topUp, { get: () => key } as unknown as Request);
  expect(asked('a b')).toMatchObject({
    code: 'validation_failed',
    detail: [problem, { loc: ['header', 'Idempotency-Key'], type: 'invalid_header' }],
  });
  expect([asked('ok'), asked(undefined)]).toEqual([error, error]);
  expect(withHeaderProblems(error, createKey, { get: () => 'a b' } as unknown as Request)).toBe(error);
});
