import { X509Certificate } from 'node:crypto';
import { createServer as createTlsServer, connect, rootCertificates } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAuthority, isCurrent, issueLeaf, type KeyPair } from './certificates';

/** Connects to a server with `leaf` at 127.0.0.1; resolves to `ok` or the code of the TLS error. */
async function handshake(leaf: KeyPair, ca: string, servername: string): Promise<string> {
  const server = createTlsServer({ cert: leaf.certPem, key: leaf.keyPem }, (socket) => socket.end());
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    servername,
    ca: [...rootCertificates, ca],
  });
  const outcome = await new Promise<string>((resolve) => {
    socket.once('secureConnect', () => resolve('ok'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  socket.destroy();
  server.close();
  return outcome;
}

describe('development certificates', () => {
  it('are accepted for their names and addresses by clients that trust the authority, and by no others', async () => {
    const authority = await createAuthority();
    const stranger = await createAuthority();
    const leaf = await issueLeaf(authority, {
      ips: ['127.77.0.1', '::1'],
      names: ['agent.fixtures.example'],
    });
    expect(await handshake(leaf, authority.certPem, 'agent.fixtures.example')).toBe('ok');
    expect(await handshake(leaf, authority.certPem, 'other.fixtures.example')).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
    expect(await handshake(leaf, stranger.certPem, 'agent.fixtures.example')).toMatch(
      /VERIFY|ISSUER|SIGNATURE/,
    );
    expect(new X509Certificate(leaf.certPem).checkIP('127.77.0.1')).toBe('127.77.0.1');
    expect(new X509Certificate(leaf.certPem).checkIP('127.77.0.2')).toBeUndefined();
  });

  it('cannot sign other certificates', async () => {
    const authority = await createAuthority();
    const leaf = await issueLeaf(authority, { names: ['a.example'] });
    const forged = await issueLeaf(leaf, { names: ['b.example'] });
    expect(new X509Certificate(leaf.certPem).ca).toBe(false);
    expect(await handshake(forged, authority.certPem, 'b.example')).not.toBe('ok');
  });

  it('are renewed when they run out or belong to another authority', async () => {
    const authority = await createAuthority();
    const short = await issueLeaf(authority, { ips: ['127.77.0.1'], days: 3 });
    const long = await issueLeaf(authority, { ips: ['127.77.0.1'] });
    expect(isCurrent(short.certPem, authority)).toBe(false);
    expect(isCurrent(short.certPem, authority, 1)).toBe(true);
    expect(isCurrent(long.certPem, authority)).toBe(true);
    expect(isCurrent(long.certPem, await createAuthority())).toBe(false);
  });

  it('need an address or a name', async () => {
    await expect(issueLeaf(await createAuthority(), {})).rejects.toThrow('needs an address or a name');
  });
});
