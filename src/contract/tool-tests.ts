import { Type } from '@sinclair/typebox';
import { FACT_LIMIT } from '../domain/evidence/evidence-facts';
import { UNTESTED_REASONS, type UntestedReason } from '../domain/catalogue/tools/tool-tests';
import { enumOf, named, Nullable, strictObject } from './common';

export const ToolTests = named(
  'ToolTests',
  strictObject(
    {
      total: Type.Integer({ minimum: 0, description: 'Tools that the server lists' }),
      tested: Type.Integer({
        minimum: 0,
        description:
          'Tools of which an answer to a valid input conformed; only these earn points for behaviour',
      }),
      summary: Type.String({ examples: ['3 of 5 tools tested'] }),
      tools: Type.Array(
        strictObject({
          name: Type.String({ description: 'In visible characters, cut after 60' }),
          calls: Type.Integer({ minimum: 0, description: 'Calls with valid inputs' }),
          answered: Type.Integer({ minimum: 0, description: 'Answers that conform' }),
          reason: Nullable(enumOf<UntestedReason>(UNTESTED_REASONS, 'Why the tool counts as not tested')),
          why: Nullable(Type.String({ description: 'The reason, in words' })),
        }),
        { maxItems: FACT_LIMIT },
      ),
    },
    { description: 'Which tools of an MCP agent the run has called; null for other agents' },
  ),
);
