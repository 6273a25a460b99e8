/** `logging/setLevel` of legacy clients (ADR 0327), at the servers of agents and of the market. */
import { LOG_LEVELS } from '../../services/mcp/caller';
import { levelKey, type NoticeDeps } from './notices';
import type { McpExchange } from './wire/mcp-request';
import { McpFault, RPC } from './wire/protocol';
import { isEliciting, newSessionId } from './wire/session';

/**
 * The level goes into a new id of the session, because the endpoint stores no sessions. This process remembers it for
 * clients that keep the old id.
 */
export function setLogLevel({ logLevels }: Pick<NoticeDeps, 'logLevels'>, request: McpExchange): void {
  const { id, message, req, reply } = request;
  const { level } = message.params;
  if (typeof level !== 'string' || !LOG_LEVELS.includes(level))
    throw new McpFault(RPC.invalidParams, `params.level must be one of ${LOG_LEVELS.join(', ')}.`);
  const sessionId = req.get('mcp-session-id');
  if (sessionId !== undefined && sessionId.length <= 128) logLevels.set(levelKey(request), level);
  reply.header('Mcp-Session-Id', newSessionId({ forms: isEliciting(sessionId), logLevel: level }));
  reply.result(id, ['{}']);
}
