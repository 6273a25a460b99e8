import type { TObject } from '@sinclair/typebox';
import type { Config } from '../../config';
import { mcpAgent } from '../../contract/mcp';
import { MarketError } from '../../domain/errors';
import { parseStrictJson } from '../../kit/json/strict-json';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import { isJsonUtf8 } from '../requests/body';
import { onBody } from '../requests/large-bodies';
import { eraOf } from '../mcp/era';
import { toMessage } from '../mcp/message';
import { answerRequest } from '../mcp/methods';
import { refuseStrangeOrigin } from '../mcp/origin';
import { McpFault, RPC, type McpMessage, type RpcId } from '../mcp/protocol';
import { sendFault } from '../mcp/results';
import type { ToolCallDeps } from '../mcp/tool-call';
import { HANDLED, type HandlerInput, type RouteBinder } from '../binding/route';
import { ownOrigins } from '../setting-lists';

export interface McpRouteDeps extends ToolCallDeps {
  servingVersions: ServingVersions;
  config: Config;
}

type Input = Pick<HandlerInput<TObject, TObject, unknown>, 'req' | 'readBytes'>;

/** POST /mcp/a/{agent_id}: a stateless MCP server per agent; both eras use the same address. */
export function mcpRoutes(binder: RouteBinder, deps: McpRouteDeps): void {
  binder.router.use('/mcp/a', refuseStrangeOrigin(ownOrigins(deps.config)));
  binder.bind(mcpAgent, async (input) => {
    const { req, res, params, principal, traceId, hops } = input;
    const version = await deps.servingVersions.ofAgent(params.agent_id, principal.userId);
    let id: RpcId | undefined;
    try {
      const { message, bodyBytes } = await receive(input);
      ({ id } = message);
      const era = eraOf(message, req.headers);
      if (id === undefined) {
        // A notification is accepted and ignored, because the server has no sessions.
        res.status(202).end();
        return HANDLED;
      }
      const caller = { principal, traceId, hops, req, res };
      await answerRequest(deps, { id, message, era, version, bodyBytes, ...caller });
    } catch (error) {
      if (!(error instanceof McpFault)) throw error;
      sendFault(res, error.id ?? id ?? null, error);
    }
    return HANDLED;
  });
}

/** Reads the message of a body, without keeping its bytes. */
async function receive({ req, readBytes }: Input): Promise<{ message: McpMessage; bodyBytes: number }> {
  if (!isJsonUtf8(req.headers['content-type'])) throw new MarketError('unsupported_media_type');
  const bytes = await readBytes();
  const message = await onBody(bytes.length, () => toMessage(parse(bytes)));
  return { message, bodyBytes: bytes.length };
}

function parse(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes).value;
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    throw new McpFault(RPC.parseError, error.message, { status: 400 });
  }
}
