import { Type } from '@sinclair/typebox';
import { TOOL_LIST_STATES, type ToolListState } from '../domain/catalogue/tools/tool-list';
import { AgentId, named, Nullable, page, pageQuery, strictObject, Timestamp, enumOf } from './common';
import { defineOperation } from './operation';

const auth = { scope: 'agents:read', publicReads: true } as const;
const tag = 'Trust';
const params = strictObject({ agent_id: AgentId });

const ListId = Type.String({ examples: ['tls_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] });
const Digest = Type.String({
  description: 'SHA-256 of the canonical JSON (RFC 8785) of the tools, sorted by name',
  examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
});
const RunId = Nullable(Type.String({ description: 'The verification run that saw the list' }));

export const AgentToolList = named(
  'AgentToolList',
  strictObject({
    agent_id: AgentId,
    version: Type.String(),
    list_id: ListId,
    tools_digest: Digest,
    run_id: RunId,
    verified_at: Timestamp,
    taken_over: Type.Boolean({
      description: 'True if the agent served before lists were verified, and no run has seen this one yet',
    }),
    is_change_waiting: Type.Boolean({
      description: 'The server lists other tools, which wait for a verification',
    }),
    unavailable: Type.Array(Type.String(), {
      description: 'Tools of the list that the server no longer lists: calls of them fail, free of charge',
    }),
    tools: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'The definitions as the server wrote them: untrusted text',
    }),
    signature: Type.String({
      description:
        'Compact JWS (ES256). Its payload is the canonical JSON of `agent_id`, `version`, `tools_digest`, `run_id` and ' +
        '`verified_at`. Its protected header names the key (a `kid` of /.well-known/jwks.json), the `agent_id` and `typ` ' +
        '`tool-list+jws`',
    }),
  }),
);

export const ToolListChange = named(
  'ToolListChange',
  strictObject({
    list_id: ListId,
    version: Type.String(),
    state: enumOf<ToolListState>(
      TOOL_LIST_STATES,
      'candidate: waits for a verification; replaced: buyers were served it before another one',
    ),
    tools_digest: Digest,
    tool_count: Type.Integer({ minimum: 0 }),
    run_id: RunId,
    seen_at: Timestamp,
    decided_at: Nullable(Timestamp),
    reason: Nullable(Type.String({ description: 'Why the list was refused' })),
    changes: Type.Array(
      strictObject({
        name: Type.String(),
        kind: enumOf(['added', 'removed', 'changed'] as const),
        texts: Type.Array(
          strictObject({
            path: Type.String({ examples: ['/inputSchema/properties/city/description'] }),
            before: Nullable(Type.String()),
            after: Nullable(Type.String()),
          }),
        ),
        more: Type.Integer({ minimum: 0, description: 'Changed texts that are left out' }),
      }),
      { description: 'What differs from the list that was verified before: untrusted text, up to a size' },
    ),
    more: Type.Integer({ minimum: 0, description: 'Changed tools that are left out' }),
  }),
);

export const getAgentTools = defineOperation({
  id: 'getAgentTools',
  method: 'get',
  path: '/v1/agents/{agent_id}/tools',
  tag,
  summary: 'Get the verified list of tools of an agent that is an MCP server',
  description:
    'Buyers are served these definitions and no others. `not_found` for agents that are no MCP servers, and before the ' +
    'first list was verified.',
  auth,
  params,
  responses: { 200: AgentToolList },
  errors: ['not_found'],
});

export const listToolChanges = defineOperation({
  id: 'listToolChanges',
  method: 'get',
  path: '/v1/agents/{agent_id}/tool-changes',
  tag,
  summary: 'List the changes of an agent’s tools, newest first',
  description:
    'Each list that a verification has seen, or that waits for one, with what differs from the one before. Empty for ' +
    'agents that are no MCP servers. The owner also sees the lists of versions that never served.',
  auth,
  params,
  query: strictObject(pageQuery),
  responses: { 200: page(ToolListChange) },
  errors: ['not_found'],
});

export const toolListOperations = [getAgentTools, listToolChanges];
