import type { TObject } from '@sinclair/typebox';
import type { Config } from '../../config';
import { mcpAgent } from '../../contract/mcp';
import { MarketError } from '../../domain/errors';
import { createLane, type Lane } from '../../kit/lane';
import { parseStrictJson } from '../../kit/strict-json';
import type { ServingVersion, ServingVersions } from '../../services/serving-version-cache';
import { isJsonUtf8 } from '../body';
import { eraOf } from '../mcp/era';
import { idOf, toMessage } from '../mcp/message';
import { answerRequest } from '../mcp/methods';
import { refuseStrangeOrigin } from '../mcp/origin';
import { McpFault, RPC } from '../mcp/protocol';
import { sendFault } from '../mcp/results';
import type { ToolCallDeps } from '../mcp/tool-call';
import { HANDLED, type HandlerInput, type RouteBinder } from '../route';
import { ownOrigins } from '../setting-lists';

export interface McpRouteDeps extends ToolCallDeps {
  servingVersions: ServingVersions;
  config: Config;
}

/** Larger bodies are read one after another. */
const LARGE_BODY_BYTES = 256 * 1024;
const largeBodies = createLane();

type Input = Pick<HandlerInput<TObject, TObject, unknown>, 'req' | 'res' | 'principal' | 'traceId' | 'hops'>;

/** POST /mcp/a/{agent_id}: an MCP server for each agent, both eras on one address, without a state of its own. */
export function mcpRoutes(binder: RouteBinder, deps: McpRouteDeps): void {
  binder.router.use('/mcp/a', refuseStrangeOrigin(ownOrigins(deps.config)));
  binder.bind(mcpAgent, async (input) => {
    const { req, res, params } = input;
    const version = await deps.servingVersions.ofAgent(params.agent_id);
    if (!isJsonUtf8(req.headers['content-type'])) throw new MarketError('unsupported_media_type');
    const bytes = await input.readBytes();
    let body: unknown;
    try {
      const lane = bytes.length > LARGE_BODY_BYTES ? largeBodies : undefined;
      body = lane ? await lane.run(() => parse(bytes)) : parse(bytes);
      await answer(deps, input, { body, version, lane });
    } catch (error) {
      if (!(error instanceof McpFault)) throw error;
      sendFault(res, idOf(body), error);
    }
    return HANDLED;
  });
}

interface Received {
  body: unknown;
  version: ServingVersion;
  lane: Lane | undefined;
}

async function answer(deps: McpRouteDeps, input: Input, { body, version, lane }: Received): Promise<void> {
  const { req, res, principal, traceId, hops } = input;
  const message = toMessage(body);
  const era = eraOf(message, req.headers);
  const { id } = message;
  if (id === undefined) {
    // a notification is taken and means nothing to a server without sessions
    res.statusCode = 202;
    res.end();
    return;
  }
  await answerRequest(deps, { id, message, era, version, principal, traceId, hops, lane, req, res });
}

function parse(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes).value;
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    throw new McpFault(RPC.parseError, error.message, { status: 400 });
  }
}
