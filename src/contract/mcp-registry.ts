import { Type } from '@sinclair/typebox';
import { DEFAULT_PAGE_LIMIT, Instant, MAX_PAGE_LIMIT, named, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const auth = { scope: 'agents:read', publicReads: true } as const;
const tag = 'Discovery';
const open = { additionalProperties: true };

/** Open for additional members: the MCP registry defines the document, and this schema names those that are there. */
const ServerJson = named(
  'McpServer',
  Type.Object(
    {
      $schema: Type.String(),
      name: Type.String({ examples: ['com.example.market/agt_unit_converter_v1'] }),
      title: Type.String(),
      description: Type.String({ description: 'At most 100 characters' }),
      version: Type.String(),
      websiteUrl: Type.String(),
      remotes: Type.Array(Type.Object({ type: Type.Literal('streamable-http'), url: Type.String() }), {
        minItems: 1,
      }),
      _meta: Type.Object({}, open),
    },
    { ...open, description: 'A `server.json` of the MCP registry' },
  ),
);

const RegistryEntry = named(
  'McpRegistryEntry',
  strictObject({
    server: ServerJson,
    _meta: strictObject({
      'io.modelcontextprotocol.registry/official': strictObject({
        status: Type.Literal('active'),
        publishedAt: Timestamp,
        updatedAt: Timestamp,
        isLatest: Type.Literal(true),
      }),
    }),
  }),
);

const RegistryPage = named(
  'McpRegistryPage',
  strictObject({
    servers: Type.Array(RegistryEntry),
    metadata: strictObject({
      count: Type.Integer({ minimum: 0, description: 'Number of servers on this page' }),
      nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page' })),
    }),
  }),
);

const includeDeleted = {
  include_deleted: Type.Optional(
    Type.Boolean({ description: 'Has no effect: agents that are not listed are never shown' }),
  ),
};
const serverParam = {
  server_name: text({
    maxLength: 400,
    description: 'The name of the server, URL-encoded: `com.example.market%2Fagt_unit_converter_v1`',
  }),
};

export const listRegistryServers = defineOperation({
  id: 'listRegistryServers',
  method: 'get',
  path: '/v0.1/servers',
  tag,
  summary: 'List the MCP servers of the market, as an MCP registry does',
  description:
    'The read-only API of the MCP registry (v0.1): the server of the whole market, then one for each listed agent, by id. ' +
    'Each has one version, the serving one. An agent that is suspended or no longer listed is gone from the list without a ' +
    'trace, so a mirror reads the whole list from time to time.',
  auth,
  query: strictObject({
    cursor: Type.Optional(text({ maxLength: 512, format: 'cursor' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_LIMIT, default: DEFAULT_PAGE_LIMIT })),
    search: Type.Optional(text({ maxLength: 200, description: 'A part of the name, in any case' })),
    updated_since: Type.Optional(Instant('Only servers that changed since then (RFC 3339)')),
    version: Type.Optional(text({ maxLength: 255, description: '`latest`, or a version such as `1.2.3`' })),
    ...includeDeleted,
  }),
  responses: { 200: RegistryPage },
});

export const listRegistryVersions = defineOperation({
  id: 'listRegistryVersions',
  method: 'get',
  path: '/v0.1/servers/{server_name}/versions',
  tag,
  summary: 'List the versions of an MCP server: the serving one',
  auth,
  params: strictObject(serverParam),
  query: strictObject(includeDeleted),
  responses: { 200: RegistryPage },
  errors: ['not_found'],
});

export const getRegistryServer = defineOperation({
  id: 'getRegistryServer',
  method: 'get',
  path: '/v0.1/servers/{server_name}/versions/{server_version}',
  tag,
  summary: 'Get an MCP server by its name and version',
  auth,
  params: strictObject({
    ...serverParam,
    server_version: text({ maxLength: 255, description: '`latest`, or the number of the serving version' }),
  }),
  query: strictObject(includeDeleted),
  responses: { 200: RegistryEntry },
  errors: ['not_found'],
});

export const mcpRegistryOperations = [listRegistryServers, listRegistryVersions, getRegistryServer] as const;
