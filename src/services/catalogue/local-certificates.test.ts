import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../../kit/crypto/certificates';
import { createLocalCertificates } from './local-certificates';

const pem = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();
const policy = { EGRESS_ALLOW: '127.77.0.0/16', EGRESS_DENY: '', PUBLIC_ORIGIN: 'http://127.0.0.1:4000' };

let folder: string;
let caPem: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-authority-'));
  const { certPem, keyPem } = await createAuthority();
  caPem = certPem;
  writeFileSync(join(folder, 'ca.pem'), certPem);
  writeFileSync(join(folder, 'ca-key.pem'), keyPem);
});
afterAll(() => rmSync(folder, { recursive: true }));

const certificates = () => createLocalCertificates({ ...policy, LOCAL_AUTHORITY: folder });

describe('certificates of the local stack', () => {
  it('certifies the key of the caller for its address alone, for a week', async () => {
    const certificate = new X509Certificate(await certificates().issue('127.77.0.5', pem('P-256')));
    expect(certificate.verify(new X509Certificate(caPem).publicKey)).toBe(true);
    expect(certificate.subjectAltName).toBe('IP Address:127.77.0.5');
    expect(certificate.ca).toBe(false);
    const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
  });

  it.each(['127.0.0.1', '10.0.0.1', '203.0.113.5', '127.77.0.5.example', '127.77.0.999', ''])(
    'refuses the address %s',
    async (host) => {
      await expect(certificates().issue(host, pem('P-256'))).rejects.toMatchObject({
        code: 'validation_failed',
      });
    },
  );

  it.each([
    ['another curve', pem('P-384')],
    ['no key', 'no key'],
  ])('refuses %s', async (_name, key) => {
    await expect(certificates().issue('127.77.0.5', key)).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  it('does not exist without an authority', async () => {
    const none = createLocalCertificates({ ...policy, LOCAL_AUTHORITY: '' });
    await expect(none.issue('127.77.0.5', pem('P-256'))).rejects.toMatchObject({ code: 'not_found' });
  });
});
