/**
 * Results that need input (2026-07-28, "Multi Round-Trip Requests"): an MCP server asks the user of a tool, and the
 * client sends the call again with the answers (ADR 0327). The server cannot tell buyers apart, so its `requestState`
 * is sealed for the caller and the agent.
 */
import { MarketError } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';
import { type Cipher, SealedValueError } from '../../kit/crypto/cipher';
import { sha256Hex } from '../../kit/json/canonical-json';
import type { Round } from '../../services/mcp/caller';
import type { McpRequest } from './wire/mcp-request';
import { McpFault, RPC } from './wire/protocol';

export interface RoundDeps {
  cipher: Pick<Cipher, 'seal' | 'unseal'>;
}

const PREFIX = 'round.';
const LONGEST_STATE = 262_144;

/** True for the state of a server's result. Any other state is the id of a call with a question (ADR 0312). */
export const isRoundState = (state: unknown): boolean =>
  typeof state === 'string' && state.startsWith(PREFIX);

const contextOf = ({ principal, version }: McpRequest) => ({
  purpose: 'mcp-request-state',
  user: principal.userId,
  agent: version.agentId,
});

/** Reads the answers of a client. Throws `McpFault` (-32602) for those that are malformed or of another caller. */
export async function readRound({ cipher }: RoundDeps, request: McpRequest): Promise<Round | null> {
  const { era, version, message } = request;
  if (era !== 'modern' || version.kind !== 'mcp') return null;
  const { inputResponses, requestState } = message.params;
  if (inputResponses === undefined && requestState === undefined) return null;
  if (inputResponses !== undefined && !isResponses(inputResponses))
    throw new McpFault(RPC.invalidParams, 'params.inputResponses must be an object of objects.');
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState: await unsealed(cipher, request, requestState) }),
  };
}

function isResponses(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && Object.values(value).every(isRecord);
}

async function unsealed(
  cipher: RoundDeps['cipher'],
  request: McpRequest,
  requestState: unknown,
): Promise<string> {
  const unknown = new McpFault(
    RPC.invalidParams,
    'params.requestState is not one of this account and agent.',
  );
  if (typeof requestState !== 'string' || requestState.length > LONGEST_STATE) throw unknown;
  try {
    const sealed = Buffer.from(requestState.slice(PREFIX.length), 'base64url');
    if (`${PREFIX}${sealed.toString('base64url')}` !== requestState) throw unknown;
    return (await cipher.unseal(sealed, contextOf(request))).toString();
  } catch (error) {
    throw error instanceof SealedValueError ? unknown : error;
  }
}

/** The key of a call with answers: it is another call than the one that asked, and its repetitions join it. */
export function keyOfRound(key: string | undefined, round: Round | null): string | undefined {
  return key === undefined || !round ? key : `round:${sha256Hex(JSON.stringify([key, round]))}`;
}

/** The result of an MCP server with its state sealed; undefined if the result needs no input. */
export async function askingResult(
  deps: RoundDeps,
  request: McpRequest,
  output: Buffer | null,
): Promise<Record<string, unknown> | undefined> {
  if (!output || output.length > LONGEST_STATE || !output.includes('"resultType":"input_required"'))
    return undefined;
  const result: unknown = JSON.parse(output.toString());
  if (!isRecord(result) || result['resultType'] !== 'input_required') return undefined;
  // A repetition with the same key may be made by a client that cannot show forms.
  if (request.era !== 'modern') throw new MarketError('agent_error');
  return sealState(deps, request, result);
}

/** A result that needs input, with its state sealed. */
export async function sealState(
  { cipher }: RoundDeps,
  request: McpRequest,
  result: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { requestState } = result;
  if (typeof requestState !== 'string') return result;
  const sealed = await cipher.seal(Buffer.from(requestState), contextOf(request));
  return { ...result, requestState: `${PREFIX}${sealed.toString('base64url')}` };
}
