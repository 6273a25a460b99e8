import { Type } from '@sinclair/typebox';
import { named, Nullable, page, pageQuery, strictObject, Timestamp } from './common';
import { InvocationId } from './invocations';
import { defineOperation } from './operation';

export const listJobPieces = defineOperation({
  id: 'listJobPieces',
  method: 'get',
  path: '/v1/invocations/{invocation_id}/pieces',
  tag: 'Jobs',
  summary: 'List the pieces of the answer of a job, in their order',
  description:
    'What the agent has called back before the end of the job, while it runs and as long as its answer is kept after that. ' +
    'A piece with `milestone` proves a milestone. `piece` is null once it is no longer stored.',
  auth: { scope: 'agents:invoke' },
  params: strictObject({ invocation_id: InvocationId }),
  query: strictObject(pageQuery),
  responses: {
    200: page(
      named(
        'PieceOfJob',
        strictObject({
          number: Type.Integer({ minimum: 1 }),
          milestone: Nullable(Type.String({ description: 'The milestone that it proves' })),
          piece: Type.Unknown({ description: 'Any JSON; null if it is no longer stored' }),
          sha256: Type.String({ description: 'SHA-256 of the JSON of the piece, in hex' }),
          at: Timestamp,
        }),
      ),
    ),
  },
  errors: ['not_found'],
  examples: {
    response: {
      items: [
        {
          number: 1,
          milestone: 'outline',
          piece: { headings: ['Market', 'Competitors'] },
          sha256: 'd1f0b9a4c9c4a6c0b8a0b3a1c5a4d3c7e2f5e1d0c9b8a7f6e5d4c3b2a1f0e9d8',
          at: '2026-11-02T09:12:30.000Z',
        },
      ],
      next_cursor: null,
      total: 1,
    },
  },
});

export const jobPieceOperations = [listJobPieces];
