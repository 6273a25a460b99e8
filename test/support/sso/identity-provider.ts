/**
 * A real OpenID provider on HTTPS loopback: oidc-provider in a process of its own, behind a server of the test that can
 * delay, replace or drop answers.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { testCertificates } from '../agents/authority';

export interface Claims {
  email?: string | undefined;
  email_verified?: boolean;
  name?: string;
}

/** An answer in the place of the provider's own; 'away' drops the connection, 'hangs' never answers. */
export type Fault = { status?: number; type?: string; body: string } | 'away' | 'hangs';

export interface IdentityProvider {
  issuer: string;
  clientSecret: string;
  /** The people who can log in, by their subject. */
  setPeople(people: Record<string, Claims>): Promise<void>;
  /** Starts the provider, or starts it again with new keys. `behindSeconds`: by which its clock is late. */
  start(options: { redirectUri: string; inUserInfo?: boolean; behindSeconds?: number }): Promise<void>;
  /** Replaces answers. `body` is the provider's own answer. */
  fault: (path: string, body: string) => Fault | undefined;
  /** Paths that were asked for. */
  calls: string[];
  stop(): Promise<void>;
}

export async function startIdentityProvider(host: string): Promise<IdentityProvider> {
  const { leaf } = await testCertificates();
  let child: ChildProcess | undefined;
  let port = 0;
  let people: Record<string, Claims> = {};
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (req, res) => {
    const path = req.url ?? '';
    running.calls.push(path);
    const headers = {
      ...req.headers,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': req.headers.host ?? '',
    };
    const forwarded = request({ port, host: '127.0.0.1', path, method: req.method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        const fault = running.fault(path, body.toString());
        if (fault === 'hangs') return;
        if (fault === 'away') return void res.destroy();
        if (!fault) return void res.writeHead(answer.statusCode ?? 500, answer.headers).end(body);
        res
          .writeHead(fault.status ?? 200, { 'content-type': fault.type ?? 'application/json' })
          .end(fault.body);
      });
    });
    forwarded.on('error', () => res.destroy());
    req.pipe(forwarded);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const running: IdentityProvider = {
    issuer: `https://${host}:${(server.address() as AddressInfo).port}`,
    clientSecret: 'the secret of the market',
    calls: [],
    fault: () => undefined,
    async setPeople(of) {
      people = of;
      if (child) await ask(child, { people });
    },
    async start(options) {
      child?.disconnect();
      child = fork(join(__dirname, 'provider-process.mjs'), { stdio: 'ignore', execArgv: [] });
      const { port: listening } = await ask(child, { issuer: running.issuer, people, ...options });
      port = listening ?? 0;
    },
    async stop() {
      if (child?.connected) child.disconnect();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return running;
}

async function ask(child: ChildProcess, message: object): Promise<{ port?: number }> {
  const answered = once(child, 'message') as Promise<[{ port?: number }]>;
  child.send(message);
  return (await answered)[0];
}
