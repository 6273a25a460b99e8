import { Type } from '@sinclair/typebox';
import type { RouteBinder } from '../../../src/api/binding/route';
import { pageQuery, strictObject, text } from '../../../src/contract/common';
import { defineOperation } from '../../../src/contract/operation';

export const echo = defineOperation({
  id: 'echo',
  method: 'post',
  path: '/v1/echo/{thing_id}',
  tag: 'Test',
  summary: 'Answers with what came in',
  auth: { scope: 'agents:invoke' },
  bodyLimitBytes: 12 * 1024 * 1024,
  params: strictObject({ thing_id: text({ maxLength: 40, pattern: '^thing_[a-z]+$' }) }),
  query: strictObject({
    ...pageQuery,
    tag: Type.Optional(Type.Array(text({ maxLength: 8 }))),
    dry: Type.Optional(Type.Boolean()),
  }),
  body: strictObject({
    input: Type.Record(Type.String(), Type.Unknown()),
    note: Type.Optional(text({ maxLength: 20 })),
  }),
  responses: { 200: Type.Object({}, { additionalProperties: true }) },
});

const slow = defineOperation({
  id: 'slow',
  method: 'get',
  path: '/v1/slow',
  tag: 'Test',
  summary: 'Answers when the test lets it',
  auth: 'session',
  permission: 'self',
  responses: { 200: strictObject({ done: Type.Literal(true) }) },
});

const broken = defineOperation({
  id: 'broken',
  method: 'get',
  path: '/v1/broken',
  tag: 'Test',
  summary: 'Fails in the way that the query names',
  auth: 'public',
  query: strictObject({ way: text({ maxLength: 20 }) }),
  responses: { 200: strictObject({ ok: Type.Literal(true) }) },
});

/** Operations that only tests have, to see the pipeline at work without a resource behind it. */
export function testRoutes(gate: { wait: () => Promise<void> } = { wait: () => Promise.resolve() }) {
  return (binder: RouteBinder): void => {
    binder.bind(echo, async ({ params, query, body }) => ({ params, query, body }));
    binder.bind(slow, async () => {
      await gate.wait();
      return { done: true as const };
    });
    binder.bind(broken, async ({ query }) => {
      if (query.way === 'throw') throw new Error('secret detail');
      if (query.way === 'principal') throw new TypeError('x', { cause: new Error('password=hunter2') });
      return { ok: true, leaked: 'secret detail' } as unknown as { ok: true };
    });
  };
}
