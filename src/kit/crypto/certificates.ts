/**
 * Creates a certificate authority and leaf certificates for development and tests, so that certificate checks never
 * need to be disabled. Operators provide the certificates for production.
 */
import 'reflect-metadata';
import { createPublicKey, randomBytes, webcrypto, X509Certificate as ParsedCertificate } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralNames,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** Both parts as PEM; the key is PKCS #8 and secret. */
export interface KeyPair {
  certPem: string;
  keyPem: string;
}

/** The addresses and DNS names of a leaf certificate. */
export interface LeafSubject {
  ips?: readonly string[];
  names?: readonly string[];
  /** Validity in days; default 397. */
  days?: number;
  /** True for certificates that clients show as well. */
  authenticatesClients?: boolean;
}

const EC = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const BACKDATED_MS = 3_600_000;

/** Creates a self-signed authority that is valid for ten years and can issue leaf certificates only. */
export async function createAuthority(name = 'Agent Marketplace development CA'): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: `CN=${name}`,
    ...validity(3_650),
    signingAlgorithm: SIGNING,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certPem: certificate.toString('pem'), keyPem: await exportKey(keys.privateKey) };
}

/**
 * Issues a server certificate with a new key for the given addresses and DNS names. Throws `Error` when there are none.
 */
export async function issueLeaf(authority: KeyPair, subject: LeafSubject): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certPem = await certify(authority, subject, keys.publicKey);
  return { certPem, keyPem: await exportKey(keys.privateKey) };
}

/**
 * Issues a server certificate for a public key of the caller: a P-256 key as PEM (SPKI). Throws `Error` when the key is
 * another one, or when the subject has no address and no name.
 */
export async function issueLeafFor(
  authority: KeyPair,
  subject: LeafSubject,
  publicKeyPem: string,
): Promise<string> {
  const spki = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' });
  return certify(authority, subject, await webcrypto.subtle.importKey('spki', spki, EC, true, ['verify']));
}

async function certify(
  authority: KeyPair,
  subject: LeafSubject,
  publicKey: webcrypto.CryptoKey,
): Promise<string> {
  const alternatives: JsonGeneralNames = [
    ...(subject.ips ?? []).map((value) => ({ type: 'ip' as const, value })),
    ...(subject.names ?? []).map((value) => ({ type: 'dns' as const, value })),
  ];
  const first = alternatives[0];
  if (!first) throw new Error('a leaf certificate needs an address or a name');
  const issuer = new X509Certificate(authority.certPem);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [first.value] }],
    issuer: issuer.subject,
    ...validity(subject.days ?? 397),
    signingAlgorithm: SIGNING,
    publicKey,
    signingKey: await importKey(authority.keyPem),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([
        ExtendedKeyUsage.serverAuth,
        ...(subject.authenticatesClients ? [ExtendedKeyUsage.clientAuth] : []),
      ]),
      new SubjectAlternativeNameExtension(alternatives),
      await SubjectKeyIdentifierExtension.create(publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return certificate.toString('pem');
}

/**
 * True when `authority` issued the certificate and it is valid for at least `days` more. Callers renew it otherwise.
 */
export function isCurrent(certPem: string, authority: KeyPair, days = 7): boolean {
  const certificate = new ParsedCertificate(certPem);
  const expiresAt = Date.parse(certificate.validTo);
  return (
    certificate.verify(new ParsedCertificate(authority.certPem).publicKey) &&
    expiresAt - Date.now() > days * DAY_MS
  );
}

function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + days * DAY_MS) };
}

function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), EC, false, ['sign']);
}
