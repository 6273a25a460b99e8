import { Type } from '@sinclair/typebox';
import { AGENT_NOTICE_KINDS, type AgentNoticeKind } from '../domain/catalogue/agent-notice';
import { AgentId, named, page, pageQuery, strictObject, Timestamp } from './common';
import { defineOperation } from './operation';

const AgentNotice = named(
  'AgentNotice',
  strictObject({
    notice_id: Type.String({ examples: ['ntc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    code: Type.Unsafe<AgentNoticeKind>({ type: 'string', enum: AGENT_NOTICE_KINDS }),
    message: Type.String(),
    version: Type.String({ description: 'The version that was observed' }),
    first_seen_at: Timestamp,
  }),
);

/** Notices for the owner of an agent, for example that it repeats its upstream credential. */
export const listAgentNotices = defineOperation({
  id: 'listAgentNotices',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/notices',
  tag: 'Publishing',
  summary: 'List notices about one of your agents',
  description:
    'One notice for each version and code, at its first observation; newest first. When an agent repeats ' +
    'its upstream credential in an answer, the credential is masked before the answer is validated, stored ' +
    'or delivered.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  params: strictObject({ agent_id: AgentId }),
  query: strictObject(pageQuery),
  responses: { 200: page(AgentNotice) },
  errors: ['not_found'],
  examples: {
    response: {
      items: [
        {
          notice_id: 'ntc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
          code: 'credential_in_answer',
          message:
            'The agent repeated its upstream credential in an answer. It was masked before the answer reached the caller.',
          version: '1.0.0',
          first_seen_at: '2026-11-02T00:00:00.000Z',
        },
      ],
      next_cursor: null,
      total: 1,
    },
  },
});

export const noticeOperations = [listAgentNotices];
