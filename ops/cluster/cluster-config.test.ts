import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { temporalCertificates, TLS_NAMES } from './certificates';
import { TEMPORAL_SERVICES, type TemporalName } from './layout';
import { poolerConfig, poolerUsers } from './pooler-config';
import { keepsStatements, poolerVersion } from './programs';
import { proxyConfig } from './proxy-config';
import { temporalConfig } from './temporal-config';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cluster-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const portOf = (name: string) =>
  20_000 + [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9_000, 7);

it('issues certificates for services and clients from one authority, and reuses them', async () => {
  const files = await temporalCertificates(folder);
  const authority = new X509Certificate(readFileSync(files.caFile));
  for (const kind of ['internode', 'frontend', 'client'] as const) {
    const certificate = new X509Certificate(readFileSync(files[kind].certFile));
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkHost(TLS_NAMES[kind])).toBe(TLS_NAMES[kind]);
    // Server and client authentication.
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  }
  const before = readFileSync(files.client.certFile, 'utf8');
  expect(readFileSync((await temporalCertificates(folder)).client.certFile, 'utf8')).toBe(before);
});

it.each(Object.entries(TEMPORAL_SERVICES))(
  'gives %s its own ports and demands certificates',
  (name, service) => {
    const tls = {
      caFile: 'ca',
      ...Object.fromEntries(
        ['internode', 'frontend', 'client'].map((kind) => [kind, { certFile: kind, keyFile: kind }]),
      ),
    };
    const config = temporalConfig({
      name: name as TemporalName,
      tls: tls as never,
      databaseAddress: '127.0.0.1:1',
      databasePassword: 'secret',
      frontendAddress: '127.0.0.1:2',
      dynamicConfigFile: 'dynamic',
      portOf,
    }) as {
      services: Record<string, { rpc: { grpcPort: number; membershipPort: number } }>;
      global: { tls: Record<'internode' | 'frontend', { server: { requireClientAuth: boolean } }> };
    };
    expect(config.services[service]?.rpc).toMatchObject({
      grpcPort: portOf(name),
      membershipPort: portOf(`${name}/membership`),
    });
    expect(Object.keys(config.services).sort()).toEqual(['frontend', 'history', 'matching', 'worker']);
    expect(config.global.tls.internode.server.requireClientAuth).toBe(true);
    expect(config.global.tls.frontend.server.requireClientAuth).toBe(true);
  },
);

it('points the pools at the primary and at the replica', () => {
  const input = { port: 1, primaryPort: 5001, readsPort: 5002, usersFile: '/u', socketFolder: '/s' };
  const text = poolerConfig({ ...input, prepares: false });
  expect(text).toMatch(
    /^market = host=127.0.0.1 port=5001 dbname=market connect_query='SET statement_timeout = 4000'$/m,
  );
  expect(text).toMatch(/^market_session = .*port=5001 .*pool_mode=session/m);
  expect(text).toMatch(/^market_read = .*port=5002 /m);
  expect(text).not.toContain('max_prepared_statements');
  expect(poolerConfig({ ...input, prepares: true })).toContain('max_prepared_statements');
});

it('quotes the passwords of the pooler', () => {
  const users = poolerUsers({ owner: 'o', app: 'a"b', temporal: 't', console: 'c' });
  expect(users).toContain('"market_app" "a""b"\n');
});

it('recognizes the versions of PgBouncer that keep prepared statements', () => {
  expect(keepsStatements(poolerVersion('PgBouncer 1.18.0\nlibevent 2.1.12'))).toBe(false);
  expect(keepsStatements(poolerVersion('PgBouncer 1.21.0'))).toBe(true);
  expect(keepsStatements(poolerVersion('PgBouncer 2.0.0'))).toBe(true);
  expect(() => poolerVersion('pgpool 4.1')).toThrow('reports no version');
});

it('sends a request to a second API only when the first took no connection', () => {
  const text = proxyConfig({
    apiPort: 1,
    temporalPort: 2,
    socket: '/s',
    apis: [
      { name: 'api-1', port: 11 },
      { name: 'api-2', port: 12 },
    ],
    frontends: [{ name: 'frontend-1', port: 21 }],
  });
  expect(text).toMatch(/retry-on conn-failure$/m);
  expect(text.match(/^ {2}server api-\d 127\.0\.0\.1:\d+ check$/gm)).toHaveLength(2);
  expect(text).toMatch(/mode tcp[^]*server frontend-1 127\.0\.0\.1:21 check/);
});
