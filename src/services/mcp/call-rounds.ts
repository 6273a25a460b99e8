/** The rounds of a tool call whose server asks its user (ADR 0329), and what its refusals mean for the buyer. */
import { MarketError } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';
import type { UnpassedProblem, UnpassedRequest } from '../../domain/jobs/unpassed';
import { type JsonObject, MISSING_CAPABILITY, refusedBy, type RpcReply } from './protocol';
import type { McpTarget } from './target';

/** Throws with the reason if a client cannot be asked what a tool asks. */
export function requirePassable(
  { refused }: { refused: UnpassedProblem | null },
  { caller, onUnpassed }: McpTarget,
): void {
  if (refused) onUnpassed?.(refused.kind);
  const reason = refused?.words ?? (caller?.elicits || caller?.ask ? null : ASKS_NOBODY);
  if (reason !== null) throw new MarketError('agent_error', { agentMessage: reason });
}

const MOST_ROUNDS = 8;

/** Sends a call, and again with the answers of a user who is asked on the stream of a legacy client. */
export async function answered(
  { caller }: McpTarget,
  params: JsonObject,
  send: (params: JsonObject) => Promise<RpcReply>,
): Promise<RpcReply> {
  let reply = await send(params);
  for (let round = 1; round <= MOST_ROUNDS && caller?.ask; round += 1) {
    const { json, asks } = (reply.kind === 'result' && reply.tool?.json && reply.tool) || {};
    if (!json || !asks || asks.refused !== null) return reply;
    const { inputRequests, requestState } = JSON.parse(json.toString()) as JsonObject;
    const inputResponses: JsonObject = {};
    for (const [key, form] of Object.entries(asRecord(inputRequests)))
      inputResponses[key] = await caller.ask(asRecord(asRecord(form)['params']));
    reply = await send({ ...params, inputResponses, ...(requestState !== undefined && { requestState }) });
  }
  if (reply.kind === 'result' && reply.tool?.json && reply.tool.asks && caller?.ask)
    throw new MarketError('agent_error', { agentMessage: 'The tool asks its user again and again.' });
  return reply;
}

const PAGE = 'a page to open (elicitation of mode url)';
const ASKS_NOBODY =
  'The tool asks its user before it answers. Call it by an MCP client that declares elicitation.';

/** What a server needs of its client that no buyer has, by the name of the capability. */
const NEEDED: ReadonlyMap<string, UnpassedRequest> = new Map([
  ['sampling', 'sampling'],
  ['roots', 'roots'],
  [PAGE, 'page'],
]);

/**
 * A server that needs what was not offered says so: its buyer reads it. `unpassed`: why a request that the server made
 * before did not pass, which is the likely reason of the refusal.
 */
export function refusalOf(
  { status, code, data }: Extract<RpcReply, { kind: 'refused' }>,
  { unpassed, onUnpassed }: Pick<McpTarget, 'unpassed' | 'onUnpassed'>,
): MarketError {
  const failure = refusedBy({ status, code });
  if (code !== MISSING_CAPABILITY)
    return unpassed?.reason === undefined
      ? failure
      : new MarketError('agent_error', { cause: failure.cause, agentMessage: unpassed.reason });
  const { elicitation, ...others } = asRecord(asRecord(data)['requiredCapabilities']);
  const needed = [
    ...Object.keys(others),
    ...(isRecord(elicitation) && isRecord(elicitation['url']) ? [PAGE] : []),
  ];
  for (const name of needed) onUnpassed?.(NEEDED.get(name) ?? 'other');
  const agentMessage =
    needed.length === 0
      ? ASKS_NOBODY
      : `The MCP server needs ${needed.join(', ').slice(0, 200)} of its client, which the marketplace does not pass on.`;
  return new MarketError('agent_error', { cause: failure.cause, agentMessage });
}
