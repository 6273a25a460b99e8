import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, createServer as createNetServer, type AddressInfo } from 'node:net';
import type { KeyPair } from '../../../src/kit/crypto/certificates';
import { strangersLeaf, testCertificates } from './authority';
import { behave, type BehaviourChoice, type Delivery } from './behaviours';
import { eventually } from '../waits';

export interface TestAgentOptions {
  /** Default: echo. */
  behaviour?: BehaviourChoice;
  /** 127.77.0.1 (default) to 127.77.0.32. */
  host?: string;
  /** Default: any free port. */
  port?: number;
  /** The certificate of the agent: valid, or of an untrusted authority. Default: valid. */
  certificate?: 'trusted' | 'stranger';
  /** Keep the bodies of deliveries (default); switch off where many large ones come. */
  keepBodies?: boolean;
}

/** An agent of a developer as the service sees it: an HTTPS server that records every delivery. */
export interface TestAgent {
  /** Base address for a manifest's `endpoint.url`, such as `https://127.77.0.1:43121`. */
  url: string;
  host: string;
  port: number;
  /** Every delivery so far, oldest first. */
  deliveries: readonly Delivery[];
  /** How often the invocation was delivered. */
  countOf(invocationId: string): number;
  /** Resolves when so many deliveries have arrived in all; throws after `timeoutMs` (default 5 s). */
  waitForDeliveries(count: number, timeoutMs?: number): Promise<void>;
  /** Connections that are open now. */
  openConnections(): Promise<number>;
  /** Changes how the following deliveries are answered. */
  behave(choice: BehaviourChoice): void;
  /** Forgets the deliveries. */
  forget(): void;
  /** Closes the server and all its connections; afterwards `url` refuses connections. */
  stop(): Promise<void>;
}

/** Starts an agent (about 2 ms once the shared certificates exist). The service must trust `TEST_CA_FILE`. */
export async function startAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const { host = '127.77.0.1', port = 0, keepBodies = true } = options;
  let choice: BehaviourChoice = options.behaviour ?? { kind: 'echo' };
  const deliveries: Delivery[] = [];
  const { certPem, keyPem } = await certificateFor(options);
  const server = createServer(
    { cert: certPem, key: keyPem, keepAliveTimeout: 30_000 },
    (request, response) => {
      void answer(request, response).catch(() => response.destroy());
    },
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const body = await readBody(request);
    const delivery: Delivery = {
      invocationId: String(request.headers['x-invocation-id'] ?? ''),
      at: Date.now(),
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body,
      remotePort: request.socket.remotePort,
      answered: false,
    };
    deliveries.push(keepBodies ? delivery : { ...delivery, body: Buffer.alloc(0) });
    const kept = deliveries.at(-1);
    response.once('finish', () => kept && (kept.answered = true));
    response.once('close', () => kept && (kept.closedAt = Date.now()));
    await behave(typeof choice === 'function' ? choice(delivery) : choice, delivery, response);
  }

  server.on('tlsClientError', () => undefined);
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(port, host);
  await once(server, 'listening');
  const actualPort = (server.address() as AddressInfo).port;
  return {
    url: `https://${host}:${actualPort}`,
    host,
    port: actualPort,
    deliveries,
    countOf: (invocationId) => deliveries.filter((delivery) => delivery.invocationId === invocationId).length,
    waitForDeliveries: (count, timeoutMs = 5_000) =>
      eventually(() => deliveries.length >= count, timeoutMs, 2),
    openConnections: async () => connectionsOf(server),
    behave: (next) => void (choice = next),
    forget: () => void deliveries.splice(0),
    stop: async () => stopServer(server),
  };
}

/** An address without a server. */
export async function refusingUrl(host = '127.77.0.1'): Promise<string> {
  const server = createNetServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `https://${host}:${port}`;
}

export interface Honeypot {
  port: number;
  /** Connections that reached it: must stay 0. */
  connections(): number;
  stop(): Promise<void>;
}

/** A listener that stands for an internal service; any connection to it is a break-out. */
export async function startHoneypot(host = '127.0.0.1', port = 0): Promise<Honeypot> {
  let connections = 0;
  const server = createNetServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(port, host);
  await once(server, 'listening');
  const { port: actualPort } = server.address() as AddressInfo;
  await assertReachable(host, actualPort, () => connections);
  connections = 0;
  return {
    port: actualPort,
    connections: () => connections,
    stop: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}

/** A honeypot that could not be reached would prove nothing. */
async function assertReachable(host: string, port: number, connections: () => number): Promise<void> {
  const socket = connect(port, host);
  await once(socket, 'close');
  await eventually(() => connections() === 1, 1_000, 2);
}

async function certificateFor(options: TestAgentOptions): Promise<KeyPair> {
  if (options.certificate === 'stranger') return strangersLeaf();
  return (await testCertificates()).leaf;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
