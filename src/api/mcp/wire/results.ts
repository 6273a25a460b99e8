/**
 * Responses of the MCP endpoint, as bytes. An agent's output is JSON text already, so it is written between the other
 * fields instead of being parsed again.
 */
import type { MarketError } from '../../../domain/errors';
import { PAYMENT_REQUIRED_KEYS, type PaymentRequired } from '../../../domain/calls/payment-required';
import type { CompletedCall } from '../../../engine/invoke';
import type { Era } from '../../../services/mcp/protocol';
import type { AgentTool } from '../../../services/mcp/mcp-tools';
import type { ServingVersion } from '../../../services/catalogue/serving-version-cache';
import { errorBody } from '../../answers/errors';
import type { AnswerTask } from '../../bodies/body-task';
import { passedJson } from '../../bodies/result-json';
import { MARKET_META } from '../../../domain/calls/mcp-meta';
import { PROTOCOL_META } from './protocol';
import type { Piece } from './reply';

type Json = Record<string, unknown>;
/** Writes JSON for an answer, large ones in a thread. */
export type WriteJson = (task: AnswerTask, output: Buffer) => Promise<Buffer>;

/** What a server says about itself. */
export type ServerIdentity = Pick<ServingVersion, 'agentId' | 'displayName' | 'version'>;

/** The server information. Each agent is its own server, and so is the market. */
export function serverInfo({ agentId, displayName, version }: ServerIdentity): Json {
  return { name: agentId, title: displayName, version };
}

/**
 * The result of a method other than a call. A `cacheable` result has a lifetime. `more`: further members of `_meta`.
 */
export function plainResult(
  era: Era,
  version: ServerIdentity,
  fields: readonly Piece[],
  cacheable = false,
  more: Json = {},
): Piece[] {
  const meta = { ...metaOf(era, version), ...more };
  const written = Object.keys(meta).length > 0 ? `,"_meta":${JSON.stringify(meta)}}` : '}';
  if (era === 'legacy') return ['{', ...fields, written];
  const cache = cacheable ? ',"ttlMs":60000,"cacheScope":"private"' : '';
  return ['{"resultType":"complete",', ...fields, cache, written];
}

/**
 * The result of our own tool: the output as text and, if the client accepts it, as `structuredContent`. A non-JSON
 * answer is stored as a JSON string, whose text is the answer.
 */
export async function ownResult(
  era: Era,
  version: ServerIdentity,
  tool: AgentTool,
  call: CompletedCall,
  write: WriteJson,
  more: Json = {},
): Promise<Piece[]> {
  const output = call.output;
  if (output === null) return expiredResult(era, version, call, more);
  const wanted = tool.structured[era];
  const isStructured = !call.plain && (wanted === 'always' || (wanted === 'if_object' && output[0] === 0x7b));
  return [
    ...head(era),
    '"content":[',
    ...(await contentOf(call, output, write)),
    ']',
    ...(isStructured ? [',"structuredContent":', output] : []),
    `,"_meta":${JSON.stringify({ ...callMeta(era, version, call), ...more })}}`,
  ];
}

/** JSON and text are text. Bytes are an image, audio, or the blob of an embedded resource, by their media type. */
export async function contentOf(
  { invocationId, plain }: Pick<CompletedCall, 'invocationId' | 'plain'>,
  output: Buffer,
  write: WriteJson,
): Promise<Piece[]> {
  if (!plain) return ['{"type":"text","text":', await write({ kind: 'quoted' }, output), '}'];
  if (!plain.isBase64) return ['{"type":"text","text":', output, '}'];
  const mimeType = plain.contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const [kind] = mimeType.split('/');
  const type = JSON.stringify(mimeType);
  if (kind === 'image' || kind === 'audio')
    return [`{"type":"${kind}","mimeType":${type},"data":`, output, '}'];
  const uri = JSON.stringify(`market://invocations/${invocationId}/output`);
  return [`{"type":"resource","resource":{"uri":${uri},"mimeType":${type},"blob":`, output, '}}'];
}

/** The result of an MCP server that needs input, with our keys added to its `_meta`. */
export function askingPieces(
  era: Era,
  version: ServerIdentity,
  call: CompletedCall,
  result: Record<string, unknown>,
): Piece[] {
  const { first, meta } = { first: { resultType: 'input_required' }, meta: callMeta(era, version, call) };
  return [passedJson(Buffer.from(JSON.stringify(result)), { first, meta }).toString()];
}

/** An MCP agent's own result, with our keys added to its `_meta`. Agents cannot set keys with our prefix. */
export async function passedResult(
  era: Era,
  version: ServerIdentity,
  call: CompletedCall,
  write: WriteJson,
  more: Json = {},
): Promise<Piece[]> {
  if (call.output === null) return expiredResult(era, version, call, more);
  const fields = { first: resultType(era), meta: { ...callMeta(era, version, call), ...more } };
  return [await write({ kind: 'mcp_result', ...fields }, call.output)];
}

/** The result of a replay whose stored answer has expired. The call was paid, but there is no output any more. */
function expiredResult(era: Era, version: ServerIdentity, call: CompletedCall, more: Json): Piece[] {
  const text = JSON.stringify({ output: null, output_expired: true });
  const meta = { ...callMeta(era, version, call), [MARKET_META.outputExpired]: true, ...more };
  return [
    JSON.stringify({ ...resultType(era), content: [{ type: 'text', text }], isError: true, _meta: meta }),
  ];
}

export interface FailedCall {
  era: Era;
  version: ServerIdentity;
  error: MarketError;
  traceId: string;
  /** Undefined if no payment is missing. */
  tool?: AgentTool;
  /** The x402 form of a 402. */
  payment?: PaymentRequired | undefined;
  /** Further members of `_meta`. */
  more?: Json;
}

/**
 * The result of a failed call: our error body as text. A missing payment comes before it, where x402 clients look:
 * `structuredContent`, and the first text. Without `structuredContent` if the tool declares its output, because clients
 * would validate it.
 */
export function errorResult({ era, version, error, traceId, tool, payment, more }: FailedCall): Piece[] {
  const texts = [...(payment ? [payment] : []), errorBody(error, traceId)];
  const meta = {
    ...metaOf(era, version),
    [MARKET_META.errorCode]: error.code,
    [MARKET_META.errorMessage]: error.message,
    ...(error.invocationId !== undefined && { [MARKET_META.invocationId]: error.invocationId }),
    [MARKET_META.traceId]: traceId,
    [MARKET_META.creditsCharged]: 0,
    ...(payment && { [PAYMENT_REQUIRED_KEYS.mcp]: payment }),
    ...more,
  };
  const result = {
    ...resultType(era),
    content: texts.map((text) => ({ type: 'text', text: JSON.stringify(text) })),
    ...(payment && !tool?.declaresOutput[era] && { structuredContent: payment }),
    isError: true,
    _meta: meta,
  };
  return [JSON.stringify(result)];
}

/** The member that modern results begin with. */
export function resultType(era: Era): Json {
  return era === 'modern' ? { resultType: 'complete' } : {};
}

function head(era: Era): Piece[] {
  return era === 'modern' ? ['{"resultType":"complete",'] : ['{'];
}

/** The members of `_meta` of every result of the era. */
export function metaOf(era: Era, version: ServerIdentity): Json {
  return era === 'modern' ? { [PROTOCOL_META.serverInfo]: serverInfo(version) } : {};
}

/** The members of `_meta` of the result of a call. */
export function callMeta(era: Era, version: ServerIdentity, call: CompletedCall): Json {
  return {
    ...metaOf(era, version),
    [MARKET_META.invocationId]: call.invocationId,
    [MARKET_META.traceId]: call.traceId,
    [MARKET_META.creditsCharged]: call.usage.chargedCredits,
    ...(call.truncatedBy && { [MARKET_META.truncated]: true }),
    ...(call.replayed && { [MARKET_META.replayed]: true }),
    ...(call.plain && { [MARKET_META.contentType]: call.plain.contentType }),
  };
}
