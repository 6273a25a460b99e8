import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createAuthority, isCurrent, issueLeaf, type KeyPair } from '../../../src/kit/crypto/certificates';

/**
 * One authority and one leaf certificate for all test agents of this clone, kept in a private temporary folder, so
 * that processes of the same test run trust each other and an agent starts in milliseconds.
 */
const FOLDER = join(
  tmpdir(),
  `agent-marketplace-test-ca-${createHash('sha256').update(resolve(__dirname)).digest('hex').slice(0, 10)}`,
);

/** Addresses that the shared leaf is good for: 127.77.0.1 to 127.77.0.32, and `agent.`, `rebind.`, … names. */
const LEAF_IPS = Array.from({ length: 32 }, (_unused, index) => `127.77.0.${index + 1}`);
const LEAF_NAMES = ['fixtures.example', '*.fixtures.example'];

/** For the setting `EGRESS_EXTRA_CA_FILE`. */
export const TEST_CA_FILE = join(FOLDER, 'ca.pem');

export interface TestCertificates {
  authority: KeyPair;
  leaf: KeyPair;
}

let loaded: Promise<TestCertificates> | undefined;

/** The shared certificates, made on first use; afterwards `TEST_CA_FILE` exists. */
export async function testCertificates(): Promise<TestCertificates> {
  loaded ??= load();
  return loaded;
}

/** A certificate of an untrusted authority, for the same addresses and names. */
export async function strangersLeaf(): Promise<KeyPair> {
  return issueLeaf(await createAuthority('Nobody knows me'), { ips: LEAF_IPS, names: LEAF_NAMES });
}

async function load(): Promise<TestCertificates> {
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  const file = join(FOLDER, 'certificates.json');
  const kept = read(file);
  if (!kept || !isCurrent(kept.leaf.certPem, kept.authority)) {
    rmSync(file, { force: true });
    const authority = await createAuthority('Agent Marketplace test CA');
    publish(
      file,
      JSON.stringify({ authority, leaf: await issueLeaf(authority, { ips: LEAF_IPS, names: LEAF_NAMES }) }),
    );
  }
  const certificates = read(file);
  if (!certificates) throw new Error(`${file} cannot be read`);
  if (!existsSync(TEST_CA_FILE) || readFileSync(TEST_CA_FILE, 'utf8') !== certificates.authority.certPem) {
    writeFileSync(TEST_CA_FILE, certificates.authority.certPem);
  }
  return certificates;
}

function read(file: string): TestCertificates | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TestCertificates) : undefined;
}

/** Whole or not at all, and the first process wins. */
function publish(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
