/** Requests to A2A agents: by JSON-RPC or HTTP+JSON, in 1.0 or 0.3. */
import type { CardInterface } from '../../../domain/catalogue/cards/agent-card';
import type { PushTarget } from '../../../domain/jobs/push-target';
import type { Json, PartStyle } from './parts';

/** A message of a buyer's call. `parts` stands for the parts, and is replaced by them. */
export interface OutgoingMessage {
  messageId: string;
  parts: string;
  /** The task that the message is about. */
  task?: { id: string; contextId: string | null } | undefined;
  /** The conversation that the message belongs to, without a task. */
  contextId?: string | undefined;
  /** The agent is to answer at once, with a task, instead of waiting for its end. */
  returnsAtOnce: boolean;
  /** Where the agent notifies about the task that it makes of the message. */
  push?: PushTarget | undefined;
}

export type Operation =
  { kind: 'send' | 'stream'; message: OutgoingMessage } | { kind: 'get' | 'cancel'; taskId: string };

interface WireRequest {
  url: string;
  method: 'GET' | 'POST';
  /** Undefined for GET. */
  body: Json | undefined;
  headers: Record<string, string>;
}

const METHODS = {
  '1.0': { send: 'SendMessage', stream: 'SendStreamingMessage', get: 'GetTask', cancel: 'CancelTask' },
  '0.3': { send: 'message/send', stream: 'message/stream', get: 'tasks/get', cancel: 'tasks/cancel' },
} as const;

export function styleOf({ binding, version }: CardInterface): PartStyle {
  if (version === '1.0') return '1.0';
  return binding === 'JSONRPC' ? '0.3' : '0.3 HTTP';
}

/** The request of an operation. `id`: of a JSON-RPC request. */
export function requestOf(to: CardInterface, operation: Operation, id: number): WireRequest {
  const { binding, version, url } = to;
  const accept = operation.kind === 'stream' ? 'text/event-stream' : 'application/json, application/a2a+json';
  const headers = { accept, ...(version === '1.0' && { 'a2a-version': '1.0' }) };
  if (binding === 'HTTP+JSON') return { ...httpRequest(to, operation), headers };
  const params = { ...paramsOf(to, operation), ...(to.tenant !== undefined && { tenant: to.tenant }) };
  const body = { jsonrpc: '2.0', id, method: METHODS[version][operation.kind], params };
  return { url, method: 'POST', body, headers };
}

function httpRequest(to: CardInterface, operation: Operation): Omit<WireRequest, 'headers'> {
  const url = new URL(to.url);
  const base = url.pathname.replace(/\/+$/, '');
  const middle =
    to.version === '0.3' ? '/v1' : to.tenant === undefined ? '' : `/${encodeURIComponent(to.tenant)}`;
  url.pathname = `${base}${middle}${pathOf(operation)}`;
  const method = operation.kind === 'get' ? 'GET' : 'POST';
  const body =
    operation.kind === 'get' ? undefined : operation.kind === 'cancel' ? {} : paramsOf(to, operation);
  return { url: url.href, method, body };
}

function pathOf(operation: Operation): string {
  if ('message' in operation) return `/message:${operation.kind}`;
  const path = `/tasks/${encodeURIComponent(operation.taskId)}`;
  return operation.kind === 'cancel' ? `${path}:cancel` : path;
}

function paramsOf(to: CardInterface, operation: Operation): Json {
  if (!('message' in operation)) return { id: operation.taskId };
  const { messageId, parts, task, returnsAtOnce } = operation.message;
  const contextId = task ? task.contextId : operation.message.contextId;
  const about = { ...(task && { taskId: task.id }), ...(contextId && { contextId }) };
  const style = styleOf(to);
  const head = style === '0.3' ? { kind: 'message', role: 'user' } : { role: 'ROLE_USER' };
  const named = style === '0.3 HTTP' ? { content: parts } : { parts };
  const waits = style === '1.0' ? { returnImmediately: returnsAtOnce } : { blocking: !returnsAtOnce };
  const { push } = operation.message;
  const configuration = { ...waits, ...(push && { [PUSH_MEMBER[style]]: pushConfig(to, push) }) };
  return { message: { ...head, messageId, ...about, ...named }, configuration };
}

/** The member of `configuration` with the address of push notifications. */
const PUSH_MEMBER: Readonly<Record<PartStyle, string>> = {
  '1.0': 'taskPushNotificationConfig',
  '0.3': 'pushNotificationConfig',
  '0.3 HTTP': 'pushNotification',
};

const pushConfig = ({ tenant }: CardInterface, { url, token }: PushTarget): Json => ({
  url,
  token,
  ...(tenant !== undefined && { tenant }),
});
