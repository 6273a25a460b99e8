/**
 * The HTTPS side of `market dev`: ends TLS with the local certificate, passes each request on to the agent's process on
 * 127.0.0.1, and compares input and answer of each call with the manifest. This file may make requests
 * outside of egress (eslint.config.mjs lists it), because their address is that of the process that `market dev`
 * started.
 */
import { once } from 'node:events';
import { type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { AgentProcess } from './agent-process';
import { callLine, type ManifestChecks } from './call-lines';
import type { CallbackRelay } from './callback-relay';

export interface FrontOptions {
  host: string;
  port: number;
  keyPem: string;
  certPem: string;
  agent: Pick<AgentProcess, 'port' | 'ready'>;
  /** Sees what the agent calls back. */
  relay: Pick<CallbackRelay, 'addressOf'>;
  checks: () => ManifestChecks;
  say: (line: string) => void;
}

/** Listens on the address of the manifest. Rejects when it is in use or not an address of this machine. */
export function startFront(options: FrontOptions): Promise<Server> {
  const server = createServer({ key: options.keyPem, cert: options.certPem }, (request, response) => {
    void passOn(options, request, response);
  });
  return new Promise((resolve, reject) => {
    server
      .once('error', (error) => reject(inUse(error, options)))
      .listen(options.port, options.host, () => resolve(server));
  });
}

function inUse(error: NodeJS.ErrnoException, { host, port }: FrontOptions): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(
    `${host}:${port}, the address of endpoint.url in manifest.json, is in use: end the program that listens there ` +
      `(another market dev?), or change the port in manifest.json`,
  );
}

async function passOn(
  options: FrontOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = Date.now();
  const { method = 'GET', url: path = '/', headers } = request;
  try {
    const input = await buffer(request);
    // calls wait while the agent is restarted
    await options.agent.ready();
    const { host, port, agent, relay } = options;
    const callbackUrl = headers['x-callback-url'];
    const seen =
      typeof callbackUrl === 'string'
        ? { ...headers, 'x-callback-url': relay.addressOf(callbackUrl) }
        : headers;
    const sent = send({ host: '127.0.0.1', port: agent.port, method, path, headers: seen }).end(input);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    const output = await answerTo(response, answer);
    const status = answer.statusCode ?? 502;
    const call = {
      line: `${method} ${path} ${status} ${Date.now() - startedAt} ms`,
      method,
      status,
      input,
      output,
      url: `https://${headers.host ?? `${host}:${port}`}${path}`,
      header: (name: string) => answer.headers[name]?.toString(),
      isSigned: headers['webhook-signature'] !== undefined,
    };
    options.say(callLine(options.checks(), call));
  } catch (error) {
    options.say(`${method} ${path} failed: ${(error as Error).message}`);
    if (!response.headersSent) response.writeHead(502);
    response.end();
  }
}

/** Passes an answer on. Returns the body of a JSON answer; undefined for streams, which are passed on as they come. */
async function answerTo(response: ServerResponse, answer: IncomingMessage): Promise<Buffer | undefined> {
  if (!/^application\/json/.test(answer.headers['content-type'] ?? '')) {
    await pipeline(answer, response);
    return undefined;
  }
  const body = await buffer(answer);
  response.end(body);
  return body;
}
