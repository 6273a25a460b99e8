import { Type } from '@sinclair/typebox';
import { named, Nullable, strictObject, Timestamp } from './common';
import { defineOperation } from './operation';
import { getStatus } from './status';

const CheckState = named('CheckState', Type.Union([Type.Literal('ok'), Type.Literal('failed')]));
const Readiness = named(
  'Readiness',
  strictObject({
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
    checks: strictObject({
      postgres: CheckState,
      temporal: CheckState,
      worker: CheckState,
      loops: CheckState,
    }),
    failing_loops: Type.Array(Type.String({ examples: ['lease sweep'] }), {
      description: 'Loops of the workers that do not do their work. They do not change `status`',
    }),
    workers: strictObject({
      reporting: Type.Integer({ minimum: 0, description: 'Worker processes that reported in the last 15 s' }),
      silent: Type.Integer({
        minimum: 0,
        description: 'Workers of the last hour that do not report any more: frozen, or killed',
      }),
      last_seen_at: Nullable(Timestamp),
    }),
  }),
);

export const health = defineOperation({
  id: 'health',
  method: 'get',
  path: '/health',
  tag: 'Health',
  summary: 'Check that the process is alive',
  auth: 'public',
  responses: { 200: strictObject({ status: Type.Literal('ok'), version: Type.String() }) },
  examples: { response: { status: 'ok', version: '0.1.0' } },
});

export const readiness = defineOperation({
  id: 'readiness',
  method: 'get',
  path: '/readiness',
  tag: 'Health',
  summary: 'Check that Postgres, Temporal and a worker work',
  auth: 'public',
  responses: { 200: Readiness, 503: Readiness },
  examples: {
    response: {
      status: 'ready',
      checks: { postgres: 'ok', temporal: 'ok', worker: 'ok', loops: 'ok' },
      failing_loops: [],
      workers: { reporting: 2, silent: 0, last_seen_at: '2026-11-02T00:00:00.000Z' },
    },
  },
});

export const openapi = defineOperation({
  id: 'openapi',
  method: 'get',
  path: '/openapi.json',
  tag: 'Health',
  summary: 'Get this OpenAPI document',
  auth: { scope: 'agents:read', publicReads: true },
  responses: { 200: Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true })) },
});

export const healthOperations = [health, readiness, getStatus, openapi];
