import { Type } from '@sinclair/typebox';
import { named, Nullable, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const MOST_DAYS = 90;

const Keeping = named(
  'Keeping',
  strictObject({
    days: Type.Integer({
      minimum: 0,
      maximum: MOST_DAYS,
      description: 'Days for which inputs and outputs of calls are kept; 0: not at all',
    }),
  }),
);

const setting = { path: '/v1/auth/keeping', tag: 'Accounts', auth: 'session' } as const;

export const getKeeping = defineOperation({
  id: 'getKeeping',
  permission: 'view',
  method: 'get',
  ...setting,
  summary: 'Get for how long your account keeps the inputs and outputs of its calls',
  responses: { 200: Keeping },
  examples: { response: { days: 30 } },
});

export const setKeeping = defineOperation({
  id: 'setKeeping',
  permission: 'settings',
  method: 'put',
  ...setting,
  summary: 'Set for how long your account keeps the inputs and outputs of its calls',
  description:
    'For the calls from now on that your wallet pays, also those under your mandates, on every surface. 0 (the default) ' +
    'keeps nothing. Bodies are encrypted, and at most 256 KiB of each are kept; larger ones are not. Each is deleted at the ' +
    'end of the UTC day so many days after its call, whatever the agent declares about its own retention. What is kept ' +
    'already stays until its day, or until you erase it.',
  body: Keeping,
  responses: { 200: Keeping },
  examples: { request: { days: 30 }, response: { days: 30 } },
});

export const eraseKept = defineOperation({
  id: 'eraseKept',
  permission: 'settings',
  method: 'delete',
  ...setting,
  path: '/v1/auth/keeping/bodies',
  summary: 'Erase all inputs and outputs that your account keeps',
  description:
    'None of them can be read any more when this answers, also not as answers for repeated idempotency keys. Attachments ' +
    'of disputes stay, because the other side has read them. The setting stays as it is.',
  responses: { 204: null },
});

const Body = named(
  'KeptBody',
  strictObject({
    value: Type.Unknown({ description: 'JSON, or a string for a body that was not JSON' }),
    content_type: Type.Optional(Type.String({ description: 'Only for a body that was not JSON' })),
    encoding: Type.Optional(
      Type.Literal('base64', { description: 'Only for a body that is neither JSON nor UTF-8 text' }),
    ),
  }),
);

const ofCall = {
  path: '/v1/invocations/{invocation_id}/bodies',
  tag: 'Invocation',
  auth: { scope: 'agents:invoke' },
  params: strictObject({ invocation_id: text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$' }) }),
  errors: ['not_found'],
} as const;

const Part = Type.Union([Type.Literal('input'), Type.Literal('output')]);

export const getBodies = defineOperation({
  id: 'getBodies',
  permission: 'call',
  method: 'get',
  ...ofCall,
  summary: 'Get the input and output of one of your calls, as far as they are kept',
  description:
    'Only for the account that paid the call, while `days` of `PUT /v1/auth/keeping` was above 0 when it ran. A failed call ' +
    'has no output. The developer of the agent sees neither, unless you attach them to a dispute.',
  responses: {
    200: named(
      'CallBodies',
      strictObject({
        invocation_id: Type.String(),
        kept_until: Type.Union([Timestamp, Type.Null()], {
          description: 'When they are deleted; null if nothing is kept',
        }),
        input: Nullable(Body),
        output: Nullable(Body),
        too_large: Type.Array(Part, { description: 'The parts of more than 256 KiB, which are not kept' }),
      }),
    ),
  },
  examples: {
    response: {
      invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      kept_until: '2026-12-03T00:00:00.000Z',
      input: { value: { quantity: '26.2 mi', to: 'km' } },
      output: { value: { quantity: 42.1648128, unit: 'km', text: '42.1648128 km', measure: 'length' } },
      too_large: [],
    },
  },
});

export const eraseBodies = defineOperation({
  id: 'eraseBodies',
  method: 'delete',
  ...ofCall,
  summary: 'Erase the input and output of one of your calls',
  description:
    'Deletes what is kept, and the answer that is stored for a repeated idempotency key: such a repetition then gets ' +
    '`output: null, output_expired: true`. What the call cost and its evidence stay.',
  responses: { 204: null },
});

export const keptBodyOperations = [getKeeping, setKeeping, eraseKept, getBodies, eraseBodies];
