/** A receiver of webhooks. It records requests and answers with the statuses that the test sets. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testCertificates } from '../agents/authority';

export interface Told {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** As it came. */
  text: string;
  at: number;
}

export interface HookAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface HookServer {
  url: string;
  told: readonly Told[];
  /** The next answers at a path, or their statuses; then 204. 0: no answer. */
  answerWith(path: string, ...answers: (number | HookAnswer)[]): void;
  stop(): Promise<void>;
}

export async function startHookServer(host = '127.77.0.9'): Promise<HookServer> {
  const { leaf } = await testCertificates();
  const told: Told[] = [];
  const answers = new Map<string, (number | HookAnswer)[]>();
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body = JSON.parse(text) as Record<string, unknown>;
      told.push({ path: request.url ?? '', headers: request.headers, body, text, at: Date.now() });
      const next = answers.get(request.url ?? '')?.shift() ?? 204;
      const {
        status,
        headers = {},
        body: content,
      } = typeof next === 'number' ? ({ status: next } as HookAnswer) : next;
      if (status === 0) return;
      const isMoved = status >= 300 && status < 400;
      response.writeHead(status, isMoved ? { location: 'https://127.77.0.9:1/' } : headers);
      response.end(content);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    url: `https://${host}:${(server.address() as AddressInfo).port}`,
    told,
    answerWith: (path, ...next) => void answers.set(path, next),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
