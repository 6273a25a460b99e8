/** A2A as an agent speaks it: the official client over both bindings, and plain HTTP for what it would not send. */
import { randomUUID } from 'node:crypto';
import { Message, type SendMessageRequest, SendMessageRequest as SendCodec, type Task } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { budget, registerSigner, signMandate } from '../mandates/mandates';
import type { TestMarket, TestUser } from '../market';

export type Binding = 'JSONRPC' | 'HTTP+JSON';
export const BINDINGS: Binding[] = ['JSONRPC', 'HTTP+JSON'];

type Where = Pick<TestMarket, 'url' | 'config'>;
type Who = Pick<TestUser, 'cookie'>;
type Headers = Record<string, string>;

/** Cards name the public origin; a test's process listens elsewhere. Every request is authenticated by the cookie. */
export function fetchAs({ url, config }: Where, who: Who | null, headers: Headers = {}): typeof fetch {
  return (input, init) => {
    const address = String(input instanceof Request ? input.url : input);
    const set = new Headers(init?.headers);
    if (who) set.set('cookie', who.cookie);
    for (const [name, value] of Object.entries(headers)) set.set(name, value);
    return fetch(address.replace(config.PUBLIC_ORIGIN, url), { ...init, headers: set });
  };
}

/** A client that finds its way from the agent's base address by its card. */
export async function clientFor(
  market: Where,
  who: Who,
  agentId: string,
  binding: Binding,
  headers: Headers = {},
): Promise<Client> {
  const fetchImpl = fetchAs(market, who, headers);
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(`${market.config.PUBLIC_ORIGIN}/v1/a2a/${agentId}/`);
}

export interface MessageOptions {
  messageId?: string;
  contextId?: string;
  taskId?: string;
  metadata?: Record<string, unknown>;
  configuration?: Record<string, unknown>;
  parts?: unknown[];
}

/** A message with one data part. */
export function dataMessage(data: unknown, options: MessageOptions = {}): SendMessageRequest {
  const { configuration, parts, ...message } = options;
  return SendCodec.fromJSON({
    message: {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: parts ?? [{ data, mediaType: 'application/json' }],
      ...message,
    },
    ...(configuration && { configuration }),
  });
}

/** The client answers a message or a task; this service answers tasks. */
export async function sendTask(client: Client, request: SendMessageRequest): Promise<Task> {
  const result = await client.sendMessage(request);
  if ('messageId' in result) throw new Error(`a message: ${JSON.stringify(Message.toJSON(result))}`);
  return result;
}

/** The data of the only artifact. */
export function dataOf(task: Pick<Task, 'artifacts'>): unknown {
  const content = task.artifacts[0]?.parts[0]?.content;
  return content?.$case === 'data' ? content.value : undefined;
}

export interface PolledTask {
  task_id: string;
  status: string;
  trace_id: string;
  output?: unknown;
  output_expired?: boolean;
  usage?: { credits_charged: number };
  error?: { code: string; message: string; retryable: boolean };
}

export interface A2aReply<T = PolledTask> {
  status: number;
  headers: globalThis.Headers;
  body: T & {
    error?: {
      code: string | number;
      message: string;
      status?: string;
      details?: unknown[];
      data?: unknown[];
    };
  };
}

/** Plain HTTP below the agent's base. */
export async function a2a<T = PolledTask>(
  market: Pick<TestMarket, 'url'>,
  who: Who | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<A2aReply<T>> {
  const response = await fetch(`${market.url}/v1/a2a/${path}`, {
    method,
    headers: {
      ...(who && { cookie: who.cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as A2aReply<T>['body'],
  };
}

/** A mandate with which its issuer pays for itself. */
export async function ownMandate(market: TestMarket, who: TestUser, credits = 1_000) {
  const signer = await registerSigner(market, who);
  const jws = await signMandate(market, {
    issuer: who.userId,
    subject: who.userId,
    signer,
    constraints: [budget(credits)],
  });
  return { type: 'a2a.spend.v1', jws };
}
