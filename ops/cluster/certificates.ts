import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, isCurrent, issueLeaf, type KeyPair } from '../../src/kit/crypto/certificates';

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/** The certificates of Temporal's connections. All are of one authority, which signs nothing else. */
export interface TemporalFiles {
  caFile: string;
  /** The certificate of connections between Temporal's services. */
  internode: CertificateFiles;
  frontend: CertificateFiles;
  /** The certificate of the clients: the API, the worker, and Temporal's own worker service. */
  client: CertificateFiles;
}

/** The names that the certificates are checked by. */
export const TLS_NAMES = {
  internode: 'internode.temporal.cluster',
  frontend: 'frontend.temporal.cluster',
  client: 'client.temporal.cluster',
} as const;

/** Returns the certificates of a folder, and creates those that are missing or end within a week. */
export async function temporalCertificates(folder: string): Promise<TemporalFiles> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const caFile = join(folder, 'ca.pem');
  const caKeyFile = join(folder, 'ca-key.pem');
  const authority = await keep({ certFile: caFile, keyFile: caKeyFile }, undefined, () =>
    createAuthority('Temporal cluster CA'),
  );
  const leaf = async (name: keyof typeof TLS_NAMES): Promise<CertificateFiles> => {
    const files = { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}-key.pem`) };
    const subject = { ips: ['127.0.0.1'], names: [TLS_NAMES[name]], authenticatesClients: true };
    await keep(files, authority, () => issueLeaf(authority, subject));
    return files;
  };
  const [internode, frontend, client] = [
    await leaf('internode'),
    await leaf('frontend'),
    await leaf('client'),
  ];
  return { caFile, internode, frontend, client };
}

async function keep(
  { certFile, keyFile }: CertificateFiles,
  authority: KeyPair | undefined,
  create: () => Promise<KeyPair>,
): Promise<KeyPair> {
  if (existsSync(certFile) && existsSync(keyFile)) {
    const kept = { certPem: readFileSync(certFile, 'utf8'), keyPem: readFileSync(keyFile, 'utf8') };
    if (!authority || isCurrent(kept.certPem, authority)) return kept;
  }
  const made = await create();
  writeFileSync(keyFile, made.keyPem, { mode: 0o600 });
  writeFileSync(certFile, made.certPem);
  return made;
}
