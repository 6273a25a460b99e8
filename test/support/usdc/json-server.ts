/** An HTTPS server that answers JSON with JSON, and that can be made to fail. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificates } from '../agents/authority';

export interface JsonServer {
  url: string;
  /** Paths that were asked for, in order. */
  calls: string[];
  /** Whether a request is answered at all; default: each. */
  answers: (path: string) => boolean;
  stop(): Promise<void>;
}

export async function startJsonServer(
  host: string,
  handle: (path: string, body: unknown) => Promise<unknown>,
): Promise<JsonServer> {
  const { leaf } = await testCertificates();
  const running: JsonServer = { url: '', calls: [], answers: () => true, stop };
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    const answer = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const path = request.url ?? '';
      running.calls.push(path);
      if (!running.answers(path)) return void response.destroy();
      const text = Buffer.concat(chunks).toString();
      const value = await handle(path, text === '' ? undefined : JSON.parse(text));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    void answer().catch(() => response.destroy());
  });
  async function stop(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  server.listen(0, host);
  await once(server, 'listening');
  running.url = `https://${host}:${(server.address() as AddressInfo).port}`;
  return running;
}
