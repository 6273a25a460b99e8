/** What the client of a request can take besides a result. */
import { asRecord, isRecord } from '../../../domain/json-value';
import type { Era } from '../../../services/mcp/protocol';
import { isEliciting } from './session';
import { McpFault, PROTOCOL_META, RPC, TASKS_EXTENSION, type McpMessage } from './protocol';

export interface ClientOffer {
  /** It takes a task where a call takes long: it declares the extension (2026-07-28). */
  takesTasks: boolean;
  /** It wants a task, however long the call takes: the request has `task` (2025-11-25). */
  wantsTask: boolean;
  /** It shows a form to its user when the server asks for input. */
  elicits: boolean;
  /** The token of its progress notifications; undefined if it wants none. */
  progressToken: string | number | undefined;
}

/** A longer token is not repeated in each notification. */
const MAX_TOKEN = 1_024;

/**
 * What the client of a message takes. `task` of an agent without jobs is ignored, as the protocol requires of a server
 * that does not declare it. Throws `McpFault` (-32602) for a `task` that is no object.
 */
export function offerOf(
  { method, params }: McpMessage,
  era: Era,
  { jobs }: { jobs: object | null },
  sessionId: string | undefined,
): ClientOffer {
  const meta = asRecord(params._meta);
  const { extensions, elicitation } = asRecord(meta[PROTOCOL_META.capabilities]);
  const { task } = params;
  const wantsTask = era === 'legacy' && jobs !== null && method === 'tools/call' && task !== undefined;
  if (wantsTask && !isRecord(task)) throw new McpFault(RPC.invalidParams, 'params.task must be an object.');
  return {
    takesTasks: era === 'modern' && isRecord(asRecord(extensions)[TASKS_EXTENSION]),
    wantsTask,
    elicits: era === 'modern' ? hasForms(elicitation) : isEliciting(sessionId),
    progressToken: tokenOf(meta['progressToken']),
  };
}

/** Forms are the mode of a client that names none. */
export function hasForms(elicitation: unknown): boolean {
  if (!isRecord(elicitation)) return false;
  return isRecord(elicitation['form']) || elicitation['url'] === undefined;
}

/** A token that the protocol does not allow is ignored: progress is optional. */
function tokenOf(token: unknown): string | number | undefined {
  if (typeof token === 'string') return token.length <= MAX_TOKEN ? token : undefined;
  return Number.isSafeInteger(token) ? (token as number) : undefined;
}
