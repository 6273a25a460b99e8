/**
 * The parts of results whose work grows with the answer. Large answers are processed in a thread
 * (`bodies/body-task.ts`).
 */
import { MARKET_PREFIX } from '../../domain/calls/mcp-meta';
import { pageAtMarket } from '../../domain/calls/page-address';
import { asRecord, isRecord } from '../../domain/json-value';

/** What the marketplace adds to the result of an MCP server. */
export interface PassedFields {
  /** Fields before those of the server. */
  first: Record<string, unknown>;
  /** Keys of `_meta`, which the server cannot set. */
  meta: Record<string, unknown>;
  /**
   * What the market's own tool says about the call: its result has these fields with the server's answer as `output`.
   */
  call?: Record<string, unknown>;
  /** The tool has a page, which reads the structure of its server. What the market says is in `content` alone. */
  hasPage?: boolean;
}

/** JSON text as the content of a JSON string. */
export function quotedText(json: Buffer): Buffer {
  return Buffer.from(JSON.stringify(json.toString()));
}

/** A server's result with our fields. The server's `resultType`, and its keys with our prefix, are dropped. */
export function passedJson(json: Buffer, { first, meta, call, hasPage = false }: PassedFields): Buffer {
  const { _meta, resultType: _theirs, ...result } = asRecord(JSON.parse(json.toString()));
  const theirs = Object.entries(asRecord(_meta)).filter(([key]) => !key.startsWith(MARKET_PREFIX));
  const shown = call ? ofMarket(result, call, hasPage) : result;
  return Buffer.from(
    JSON.stringify({ ...first, ...shown, _meta: { ...Object.fromEntries(theirs), ...meta } }),
  );
}

/** A server's result in that of the market's tool, whose form is the same for all agents. */
function ofMarket(
  result: Record<string, unknown>,
  call: Record<string, unknown>,
  hasPage: boolean,
): Record<string, unknown> {
  const { content, structuredContent, isError } = result;
  const blocks = (Array.isArray(content) ? content : []).map((block) =>
    addressed(block, String(call['agent_id'])),
  );
  const about = { type: 'text', text: JSON.stringify(call) };
  if (hasPage) return { ...result, content: [...blocks, about] };
  if (isError === true) return { content: [...blocks, about], isError };
  const output = structuredContent ?? textOf(blocks);
  return {
    content: [...blocks, about],
    structuredContent: { ...call, ...(output !== undefined && { output }) },
  };
}

/** A block with the address of its page at the market. */
function addressed(block: unknown, agentId: string): unknown {
  if (!isRecord(block)) return block;
  const { uri, resource } = block;
  if (typeof uri === 'string') return { ...block, uri: pageAtMarket(agentId, uri) };
  return isRecord(resource) ? { ...block, resource: addressed(resource, agentId) } : block;
}

/** The texts of a result without structure; undefined if it has none. Images stay in `content`. */
function textOf(blocks: readonly unknown[]): string | undefined {
  const texts = blocks.map(asRecord).flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []));
  return texts.length === 0 ? undefined : texts.join('\n');
}
