/**
 * Divides the body of a JSON-RPC message into its small part and the arguments of a tool call, prepared as the input of
 * the call. It depends on the body alone, so it runs in a thread for large bodies (`bodies/body-task.ts`).
 */
import { MarketError } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';
import { canonicalJson } from '../../kit/json/canonical-json';
import { shortArguments } from '../../kit/streams/mcp-mirrors';
import type { PreparedInput } from '../../services/calls/agent/input-check';
import { prepareInput } from './prepares';

export interface DivideOptions {
  /** True for an agent that is an MCP server: its input names the tool. */
  namesTool: boolean;
  /** True when a mandate comes with the request, whose proof may cover the canonical input. */
  hasMandate: boolean;
  /** The key of `_meta` that carries a mandate. */
  mandateKey: string;
  /** The tools of the market's own server. */
  market?: MarketTools;
}

/** Tools of the market. Others are those of pinned agents, whose arguments are the input. */
interface MarketTools {
  own: readonly string[];
  /** The tool that calls any agent: the input is one of its arguments. */
  call: string;
}

/** The message without the arguments of a tool call. `input` is absent if the message is no call with arguments. */
export interface DividedMessage {
  body: unknown;
  input?: PreparedInput;
  /** Canonical input; empty without a mandate. */
  canonical?: string;
  /** The arguments that headers can repeat: short values and the objects around them. */
  shortArguments?: Record<string, unknown>;
}

/** Everything but the arguments is parsed on the event loop once more. */
const MAX_REST_LENGTH = 256 * 1024;

/** Throws `payload_too_large` if everything but the arguments is too large. */
export function divideMessage(body: unknown, options: DivideOptions): DividedMessage {
  const { method, params } = asRecord(body);
  const { arguments: sent, ...others } = asRecord(params);
  const given = sent ?? {};
  const { name, _meta } = others;
  if (method !== 'tools/call' || typeof name !== 'string' || !isRecord(given)) return { body: small(body) };
  const { market } = options;
  if (market?.own.includes(name)) return ofMarket(body, name === market.call ? given : undefined);
  const input = options.namesTool ? { tool: name, arguments: given } : given;
  const canonical = canonicalJson(input);
  const hasMandate = options.hasMandate || Object.hasOwn(asRecord(_meta), options.mandateKey);
  return {
    body: small({ ...asRecord(body), params: others }),
    input: prepareInput(input, canonical),
    canonical: hasMandate ? canonical : '',
    shortArguments: shortArguments(given),
  };
}

/** A message to the market. Only the input of an agent is divided from it, since other arguments are small. */
function ofMarket(body: unknown, call: Record<string, unknown> | undefined): DividedMessage {
  const { input: given, ...args } = call ?? {};
  if (!isRecord(given)) return { body: small(body) };
  const { tool } = args;
  const { params } = asRecord(body);
  return {
    // The input is checked with the other arguments: an empty object stands for it.
    body: small({
      ...asRecord(body),
      params: { ...asRecord(params), arguments: { ...args, input: {} } },
    }),
    input: prepareInput(typeof tool === 'string' ? { tool, arguments: given } : given),
  };
}

function small(body: unknown): unknown {
  if (JSON.stringify(body).length <= MAX_REST_LENGTH) return body;
  throw new MarketError('payload_too_large', {
    message: `A message may have at most ${MAX_REST_LENGTH} characters beside params.arguments.`,
  });
}
