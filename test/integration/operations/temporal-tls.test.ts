/** Temporal behind TLS: a private CA, a client certificate (mTLS) and an API key, as a hosted cluster asks for them. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, X509CertificateGenerator } from '@peculiar/x509';
import { loadConfig } from '../../../src/config';
import { createAuthority, issueLeaf, type KeyPair } from '../../../src/kit/crypto/certificates';
import { createLogger } from '../../../src/logger';
import { createTemporalLink } from '../../../src/workers/temporal-link';
import { testStack } from '../../support/stack/database';
import { eventually } from '../../support/market';

let folder: string;
let authority: KeyPair;
let server: KeyPair;
let client: KeyPair;
const file = (name: string) => join(folder, name);
const stops: (() => void)[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'temporal-tls-'));
  authority = await createAuthority('Temporal');
  server = await issueLeaf(authority, { names: ['temporal.internal'] });
  client = await clientCertificate();
  writeFileSync(file('ca.pem'), authority.certPem);
  writeFileSync(file('client.pem'), client.certPem);
  writeFileSync(file('client.key'), client.keyPem);
});
afterAll(() => {
  for (const stop of stops) stop();
  rmSync(folder, { recursive: true });
});

/** A certificate that the server lists itself; leaves of `issueLeaf` are for servers only. */
async function clientCertificate(): Promise<KeyPair> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=marketplace',
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    keys,
    extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return {
    certPem: certificate.toString('pem'),
    keyPem: `-----BEGIN PRIVATE KEY-----\n${key.toString('base64')}\n-----END PRIVATE KEY-----\n`,
  };
}

/** The test's Temporal server behind a port that speaks TLS, and lets in only the holder of the client certificate. */
async function secured(): Promise<string> {
  const [host = '', port = ''] = testStack().temporalAddress.split(':');
  const proxy = createServer(
    {
      cert: server.certPem,
      key: server.keyPem,
      ca: [client.certPem],
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (socket) => {
      const upstream = connect(Number(port), host);
      socket.pipe(upstream).pipe(socket);
      for (const each of [socket, upstream]) each.on('error', () => [socket, upstream].map((one) => one.destroy()));
      stops.push(() => [socket, upstream].map((one) => one.destroy()));
    },
  );
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  stops.push(() => proxy.close());
  return `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
} // prettier-ignore

const settings = (address: string, more: Record<string, string>) =>
  loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TLS: 'true',
    ...more,
  });

const withAuthority = () => ({
  TEMPORAL_TLS_CA_FILE: file('ca.pem'),
  TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
});
const withCertificate = () => ({
  TEMPORAL_TLS_CERT_FILE: file('client.pem'),
  TEMPORAL_TLS_KEY_FILE: file('client.key'),
});

/** Tries to connect for a second and a half. */
async function connects(address: string, more: Record<string, string>): Promise<boolean> {
  const link = createTemporalLink(settings(address, more), createLogger('test', 'silent'));
  link.connected().catch(() => undefined);
  try {
    await eventually(() => Promise.resolve(link.client() !== undefined), 1_500);
    return await link.check();
  } catch {
    return false;
  } finally {
    link.giveUp();
    await link.close();
  }
}

it('is reached with a client certificate that the server accepts', async () => {
  expect(await connects(await secured(), { ...withAuthority(), ...withCertificate() })).toBe(true);
});

it.each([
  ['without a client certificate', () => withAuthority()],
  ['with a half of a client certificate', () => ({ ...withAuthority(), ...withCertificate(), TEMPORAL_TLS_KEY_FILE: '' })],
  ['when its CA is unknown', () => ({ ...withCertificate(), TEMPORAL_TLS_SERVER_NAME: 'temporal.internal' })],
  ['when its certificate has another name', () => ({ ...withAuthority(), ...withCertificate(), TEMPORAL_TLS_SERVER_NAME: 'other.internal' })],
])('is not reached %s', async (_what, more) => {
  expect(await connects(await secured(), more() as Record<string, string>)).toBe(false);
}, 20_000); // prettier-ignore

it('gets the API key with each request', async () => {
  const seen = new Set<string>();
  const hosted = createSecureServer({ cert: server.certPem, key: server.keyPem });
  hosted.on('stream', (stream, headers) => {
    seen.add(String(headers['authorization']));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' }, { endStream: true });
  });
  await new Promise<void>((resolve) => hosted.listen(0, '127.0.0.1', resolve));
  stops.push(() => hosted.close());
  const address = `127.0.0.1:${(hosted.address() as AddressInfo).port}`;
  const link = createTemporalLink(
    settings(address, { ...withAuthority(), TEMPORAL_API_KEY: 'key-of-the-namespace' }),
    createLogger('test', 'silent'),
  );
  link.connected().catch(() => undefined);
  await eventually(() => Promise.resolve(seen.size > 0));
  link.giveUp();
  await link.close();
  expect([...seen]).toEqual(['Bearer key-of-the-namespace']);
}, 20_000); // prettier-ignore
