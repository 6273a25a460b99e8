import type { Config } from '../../config';
import { getRegistryServer, listRegistryServers, listRegistryVersions } from '../../contract/mcp-registry';
import { DEFAULT_PAGE_LIMIT } from '../../contract/common';
import { MOST_COUNTED } from '../../domain/list-total';
import type { McpRegistry, RegistryServer } from '../../services/discovery/mcp-registry';
import { Answer } from '../answers/answer';
import { ASKED_AGAIN } from '../answers/known-tag';
import type { RouteBinder } from '../binding/route';
import { optionalInstantOf } from '../requests/instant';
import { readPage } from '../requests/list-page';

export interface McpRegistryRouteDeps {
  config: Config;
  mcpRegistry: McpRegistry;
}

const POSITION = [/^(?:market|agt_[a-z0-9_]{1,92})$/];

/** GET /v0.1/servers and the versions of a server: the read-only API of the MCP registry. */
export function mcpRegistryRoutes(binder: RouteBinder, { config, mcpRegistry }: McpRegistryRouteDeps): void {
  // Registries are read by pages of other origins too. Without accounts, every reader gets the same.
  const headers: Record<string, string> = config.PUBLIC_READS
    ? { 'Cache-Control': ASKED_AGAIN, 'Access-Control-Allow-Origin': '*' }
    : {};
  const answer = <Body>(body: Body) => new Answer(body, { headers });

  binder.bind(listRegistryServers, async ({ query }) => {
    const { limit = DEFAULT_PAGE_LIMIT, cursor, search, version } = query;
    const filter = { search, version, updatedSince: optionalInstantOf('updated_since', query.updated_since) };
    const { rows, next } = await readPage<RegistryServer>(
      { list: ['mcp-registry', filter], position: POSITION, limit, cursor },
      async ([after], most) => ({
        rows: await mcpRegistry.list(filter, after, most),
        total: MOST_COUNTED + 1,
      }),
      ({ id }) => [id],
    );
    return answer(pageView(rows, next));
  });
  binder.bind(listRegistryVersions, async ({ params }) =>
    answer(pageView([await mcpRegistry.get(params.server_name, 'latest')], null)),
  );
  binder.bind(getRegistryServer, async ({ params }) =>
    answer(entryView(await mcpRegistry.get(params.server_name, params.server_version))),
  );
}

function pageView(servers: readonly RegistryServer[], next: string | null) {
  return {
    servers: servers.map(entryView),
    metadata: { count: servers.length, ...(next !== null && { nextCursor: next }) },
  };
}

function entryView({ server, publishedAt, updatedAt }: RegistryServer) {
  return {
    server: server as typeof server & { remotes: { type: 'streamable-http'; url: string }[] },
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status: 'active' as const,
        publishedAt: publishedAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
        isLatest: true as const,
      },
    },
  };
}
