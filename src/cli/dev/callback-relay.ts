/**
 * Shows what an agent of `market dev` calls back about its jobs. The agent gets an address of this relay instead of
 * that of the marketplace; the relay checks and prints each callback, passes its bytes on, and passes the response
 * back. This file may make requests outside of egress (eslint.config.mjs lists it), because they go to the marketplace
 * that the user configured.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { BoundedMap } from '../../kit/bounded-map';
import { refusedSignature, type WebhookRefusal } from '../../kit/crypto/webhook-signature';
import { parsedUrl } from '../../kit/parsed-url';
import { oneLine } from '../terminal/terminal-text';
import { type ManifestChecks, outputLine } from './call-lines';

export interface CallbackRelayOptions {
  /** The loopback address of the agent. */
  host: string;
  /** The preferred port, so that jobs which outlive `market dev` find the next one at the same address. */
  port: number;
  /** The address of the marketplace. */
  apiUrl: string;
  secret: string;
  checks: () => Pick<ManifestChecks, 'output'>;
  say: (line: string) => void;
}

export interface CallbackRelay {
  /** The address that the agent gets instead of one of the marketplace; another address stays as it is. */
  addressOf: (callbackUrl: string) => string;
  close: () => void;
}

const PATH = /^\/v1\/callbacks\/(inv_[0-9a-f]{32})\/[\w-]{1,64}$/;
const SENT = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const RETURNED = ['content-type', 'retry-after'] as const;
const TIMEOUT_MS = 60_000;
/** Jobs whose begin is remembered. */
const MAX_JOBS = 1_000;
const WHY: Record<WebhookRefusal, string> = {
  incomplete: 'webhook-id, webhook-timestamp or webhook-signature is missing or malformed',
  stale: 'webhook-timestamp is more than 5 minutes from now',
  unmatched: 'MARKET_SIGNING_SECRET did not sign id.timestamp.body',
};

/** Starts the relay on the preferred port, or on a free one. */
export async function startCallbackRelay(options: CallbackRelayOptions): Promise<CallbackRelay> {
  const begun = new BoundedMap<string, number>(MAX_JOBS);
  const server = createServer((request, response) => void relay(options, begun, request, response));
  await listen(server, options).catch(() => listen(server, { ...options, port: 0 }));
  const { port } = server.address() as AddressInfo;
  return {
    addressOf(callbackUrl) {
      const path = pathOf(callbackUrl);
      const id = PATH.exec(path)?.[1];
      if (id === undefined) return callbackUrl;
      begun.set(id, Date.now());
      return `http://${options.host}:${port}${path}`;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pathOf(url: string): string {
  return parsedUrl(url)?.pathname ?? '';
}

function listen(server: Server, { host, port }: Pick<CallbackRelayOptions, 'host' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function relay(
  options: CallbackRelayOptions,
  begun: BoundedMap<string, number>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = PATH.exec(request.url ?? '')?.[1];
  if (id === undefined) return void response.writeHead(404).end();
  try {
    const body = await buffer(request);
    const headers = headersOf(request, SENT);
    const answer = await fetch(new URL(request.url ?? '', options.apiUrl), {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.text();
    const returned = RETURNED.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    response.writeHead(answer.status, Object.fromEntries(returned) as Record<string, string>).end(text);
    const refusal = refusedSignature([options.secret], headersOf(request, SENT), body, Date.now());
    const seconds = (Date.now() - (begun.use(id) ?? Date.now())) / 1_000;
    const received = { body, refusal, status: answer.status, text, seconds };
    options.say(`job ${id}: ${callbackLine(options.checks(), received)}`);
  } catch (error) {
    options.say(`job ${id}: a callback failed: ${(error as Error).message}`);
    if (!response.headersSent) response.writeHead(502);
    response.end();
  }
}

function headersOf<Name extends string>(
  { headers }: IncomingMessage,
  names: readonly Name[],
): Record<Name, string> {
  const found = names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  return Object.fromEntries(found) as Record<Name, string>;
}

interface Received {
  body: Buffer;
  refusal: WebhookRefusal | undefined;
  /** The status and the body of the marketplace's response. */
  status: number;
  text: string;
  /** How long the agent has worked. */
  seconds: number;
}

function callbackLine(checks: Pick<ManifestChecks, 'output'>, received: Received): string {
  const { body, refusal, status, text, seconds } = received;
  if (refusal) return `a callback is refused with ${status}: ${WHY[refusal]}`;
  const message = recordOf(body.toString());
  const type = typeof message['type'] === 'string' ? oneLine(message['type']) : 'a callback';
  if (status !== 202) return `${type} is refused with ${status}: ${reasonOf(text)}`;
  const words = typeof message['message'] === 'string' ? `  ${oneLine(message['message'])}` : '';
  if (type === 'progress') return `${Math.round(Number(message['progress']) * 100)} %${words}`;
  const after = `after ${seconds.toFixed(1)} s`;
  if (type !== 'answer') return `${type} ${after}${words}`;
  return `answer ${after}  ${outputLine(checks, Buffer.from(JSON.stringify(message['output'])))}`;
}

/** The message of an error response of the marketplace, with the fields that are wrong. */
function reasonOf(text: string): string {
  const { error, detail } = recordOf(text);
  const message = (error as { message?: string } | undefined)?.message ?? text.slice(0, 200);
  const fields = Array.isArray(detail)
    ? (detail as { loc: string[]; msg: string }[]).map(({ loc, msg }) => `${loc.join('.')} ${msg}`)
    : [];
  return oneLine([message, ...fields].join('; '));
}

function recordOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
