/**
 * What the release 2025-12-11 of `server.json` requires of a remote server, written after
 * https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json (modelcontextprotocol/static at 12022ab).
 * The market writes no `packages`, so they are forbidden here. Members that the format does not name are refused,
 * although it permits them, so that a misspelled one is found.
 */
const uri = { type: 'string', format: 'uri' };
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

export const SERVER_JSON_SCHEMA = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version', 'remotes'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: text(100),
    description: text(100),
    version: { ...text(255), not: { enum: ['latest'] } },
    websiteUrl: uri,
    icons: {
      type: 'array',
      items: {
        type: 'object',
        required: ['src'],
        properties: { src: { ...uri, maxLength: 255, pattern: '^https://' } },
      },
    },
    remotes: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'url'],
        additionalProperties: false,
        properties: {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', pattern: '^https?://[^\\s]+$' },
        },
      },
    },
    _meta: {
      type: 'object',
      properties: { 'io.modelcontextprotocol.registry/publisher-provided': { type: 'object' } },
    },
  },
} as const;
