/** The official client of MCP with its tasks, in both eras, by the package `@modelcontextprotocol/ext-tasks`. */
import type { TestMarket, TestUser } from '../market';
import { MODERN, post } from './mcp';

type Tasks = typeof import('@modelcontextprotocol/ext-tasks/client', {
  with: { 'resolution-mode': 'import' },
});
type OnInput = NonNullable<NonNullable<Parameters<Tasks['withTasks']>[1]>['onInputRequest']>;
const CLIENT = { name: 'test', version: '1' };

/** A session of the client that takes tasks. `elicits`: it also answers questions. */
export async function openTaskSession(
  market: Pick<TestMarket, 'url'>,
  who: Pick<TestUser, 'cookie'>,
  agentId: string,
  era: 'legacy' | 'modern',
  onInputRequest?: OnInput,
) {
  // Both packages have to be the same kind of module: the second is an ES module only.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { createTaskSessionFromClient } = await import('@modelcontextprotocol/ext-tasks/client');
  const capabilities = onInputRequest ? { elicitation: { form: {} } } : {};
  const mode = era === 'modern' ? { pin: MODERN } : 'legacy';
  const client = new Client(CLIENT, { capabilities, versionNegotiation: { mode } });
  const url = new URL(`${market.url}/mcp/a/${agentId}`);
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { cookie: who.cookie } } }),
  );
  let ids = 0;
  const session = createTaskSessionFromClient(client, {
    endpointId: agentId,
    ...(onInputRequest && { onInputRequest }),
    ...(era === 'modern' && {
      v2RequestFraming: { protocolVersion: MODERN, clientInfo: CLIENT, clientCapabilities: capabilities },
      rawDispatch: async (request) => {
        ids += 1;
        const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
        const { body } = await post(
          market,
          who,
          agentId,
          { jsonrpc: '2.0', id: ids, method, params },
          {
            'mcp-protocol-version': MODERN,
            'mcp-method': method,
            'mcp-name': params.name ?? params.taskId,
          },
        );
        return body.error
          ? { kind: 'error', error: { code: Number(body.error.code), message: body.error.message } }
          : { kind: 'result', result: body.result as never };
      },
    }),
  });
  return {
    client,
    session,
    async close() {
      await session.close();
      await client.close();
    },
  };
}
