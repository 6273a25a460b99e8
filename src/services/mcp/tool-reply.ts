/** The reply to a tool call. It depends on the message alone, so a thread reads large ones. */
import { isRecord } from '../../domain/json-value';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { agentFailure, type JsonObject, replyIn, SERVER_INFO, type ToolResult } from './protocol';

/** A result, or the code of a refusal (null if it is not a JSON-RPC error). */
export type ToolReply = ({ kind: 'result' } & ToolResult) | { kind: 'refused'; code: number | null };

/** Returns the reply to request `id`; undefined if the message is none. Throws `agent_error` if it is invalid. */
export function readToolReply(message: unknown, id: number): ToolReply | undefined {
  const reply = replyIn(message, id, { status: 200, sessionId: null });
  if (reply?.kind !== 'result') return reply && { kind: 'refused', code: reply.code };
  return { kind: 'result', ...toolResultOf(completeResult(reply.result)) };
}

/** An absent `resultType` means complete. Other values of modern servers need features that we did not offer. */
export function completeResult(result: JsonObject): JsonObject {
  const { resultType = 'complete' } = result;
  if (resultType !== 'complete') throw agentFailure('not a complete result');
  return withoutServerInfo(result);
}

/** A server of any era may name itself in a result. Buyers see the agent, not the server behind it. */
function withoutServerInfo(result: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = result;
  if (!isRecord(meta) || !(SERVER_INFO in meta)) return result;
  const { [SERVER_INFO]: _hidden, ...others } = meta;
  return { ...rest, ...(Object.keys(others).length > 0 && { _meta: others }) };
}

function toolResultOf(result: JsonObject): ToolResult {
  const { content, isError = false } = result;
  const hasContent = Array.isArray(content) ? content.every(isRecord) : 'structuredContent' in result;
  if (!hasContent || typeof isError !== 'boolean') throw agentFailure('not the result of a tool');
  return { json: Buffer.from(JSON.stringify(result)), sha256: sha256Hex(canonicalJson(result)), isError };
}
