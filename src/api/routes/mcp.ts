import type { TObject } from '@sinclair/typebox';
import type { Config } from '../../config';
import { mcpAgent } from '../../contract/mcp';
import { MarketError } from '../../domain/errors';
import type { CallGate } from '../../services/calls/call-gate';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import { isJsonUtf8 } from '../bodies/body';
import { onBody } from '../bodies/large-bodies';
import { agentGate } from '../requests/call-gates';
import { eraOf } from '../mcp/era';
import { toMessage } from '../mcp/message';
import { answerRequest } from '../mcp/methods';
import { refuseStrangeOrigin } from '../mcp/origin';
import { challengeForToken } from '../oauth/challenge';
import { McpFault, RPC, type McpMessage, type RpcId } from '../mcp/protocol';
import { sendFault } from '../mcp/results';
import type { ToolCallDeps } from '../mcp/tool-call';
import { HANDLED, type HandlerInput, type RouteBinder } from '../binding/route';
import { ownOrigins } from '../setting-lists';

export interface McpRouteDeps extends ToolCallDeps {
  servingVersions: ServingVersions;
  callGate: CallGate;
  config: Config;
}

type Input = Pick<HandlerInput<TObject, TObject, unknown>, 'req' | 'readBytes' | 'perform'>;

/** POST /mcp/a/{agent_id}: a stateless MCP server per agent; both eras use the same address. */
export function mcpRoutes(binder: RouteBinder, deps: McpRouteDeps): void {
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  binder.router.use('/mcp/a', challengeForToken(origin), refuseStrangeOrigin(ownOrigins(deps.config)));
  binder.bind(
    mcpAgent,
    async (input) => {
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
    },
    agentGate(deps.callGate),
  );
}

/** Reads the message of a body, without keeping its bytes. The rules for JSON are checked at the caller's expense. */
async function receive({
  req,
  readBytes,
  perform,
}: Input): Promise<{ message: McpMessage; bodyBytes: number }> {
  if (!isJsonUtf8(req.headers['content-type'])) throw new MarketError('unsupported_media_type');
  return readBytes(async (body) => {
    try {
      const { bytes } = await perform<{ bytes: Buffer }>({ kind: 'check' }, body);
      const parse = () => toMessage(JSON.parse(bytes.toString('utf8')));
      return { message: await onBody(bytes.length, parse), bodyBytes: bytes.length };
    } catch (error) {
      if (!(error instanceof MarketError) || error.code !== 'malformed_json') throw error;
      throw new McpFault(RPC.parseError, error.message, { status: 400 });
    }
  });
}
