import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAuthority, isCurrent, issueLeaf, type KeyPair } from '../../kit/crypto/certificates';
import { writePrivate } from '../processes/private-file';
import { freePort, isPortFree } from '../processes/processes';

/** The address of an HTTPS server of the local stack, and the files of its certificate. */
export interface LocalServer {
  host: string;
  port: number;
  url: string;
  certFile: string;
  keyFile: string;
}

/** A demonstration agent: a regular HTTPS server in `examples/agents/<slug>`, with its address. */
export interface DemoAgent extends LocalServer {
  slug: string;
  folder: string;
  /** Node arguments that run the agent. */
  args: string[];
  /** The file for the secret that signs what the agent calls back; written when it is published. */
  secretFile: string;
}

const FIRST_PORT = 9441;

/**
 * Prepares the demonstration agents: addresses and certificates. On Linux each home gets its own addresses in
 * 127.77.0.0/16. Elsewhere only 127.0.0.1 is available, so the agents differ by port. Addresses are stored and reused,
 * because they are part of the published manifests.
 */
export async function prepareDemoAgents(root: string, home: string): Promise<DemoAgent[]> {
  const slugs = readdirSync(join(root, 'examples/agents'), { withFileTypes: true })
    .filter((entry) => existsSync(join(root, 'examples/agents', entry.name, 'server.mjs')))
    .map((entry) => entry.name)
    .sort();
  const addresses = await chooseAddresses(home, slugs);
  const authority = await keepAuthority(home);
  return Promise.all(
    slugs.map(async (slug) => {
      const folder = join(root, 'examples/agents', slug);
      const { host, port } = addresses[slug] as Address;
      const files = await keepLeaf(home, slug, host, authority);
      return {
        slug,
        folder,
        args: [join(folder, 'server.mjs')],
        host,
        port,
        url: `https://${host}:${port}`,
        ...files,
        secretFile: join(home, 'tls', `${slug}-secret`),
      };
    }),
  );
}

/** Keeps an address and a certificate for a further server of the stack. */
export async function keepServer(home: string, name: string): Promise<LocalServer> {
  const file = join(home, 'agents.json');
  const known = existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object) : [];
  const addresses = await chooseAddresses(home, [...known.filter((one) => one !== name), name]);
  const { host, port } = addresses[name] as Address;
  return {
    host,
    port,
    url: `https://${host}:${port}`,
    ...(await keepLeaf(home, name, host, await keepAuthority(home))),
  };
}

/** The non-public addresses that the local stack may call (EGRESS_ALLOW). */
export function egressAllowance(agents: readonly DemoAgent[]): string {
  if (process.platform === 'linux') return '127.77.0.0/16';
  return agents.map(({ host, port }) => `${host}/32:${port}`).join(',');
}

/** Path of the authority's certificate, for clients of the agents (EGRESS_EXTRA_CA_FILE). */
export function authorityFile(home: string): string {
  return join(home, 'tls/ca.pem');
}

/**
 * Path of a file with the certificate authorities that the service trusts for calls to agents: the stack's own and, if
 * given, those of the user's file. Users can then run test agents beside the demonstration agents.
 */
export function trustedAuthorities(home: string, callersFile: string | undefined): string {
  if (!callersFile) return authorityFile(home);
  const bundle = join(home, 'tls/trusted.pem');
  writeFileSync(bundle, `${readFileSync(authorityFile(home), 'utf8')}\n${readFileSync(callersFile, 'utf8')}`);
  return bundle;
}

/** True when a server of the stack completes a TLS handshake with a certificate of our authority, within 2 s. */
export function answersTls(agent: Pick<LocalServer, 'host' | 'port'>, home: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ca = readFileSync(authorityFile(home));
    const socket = connect({ host: agent.host, port: agent.port, ca, timeout: 2_000 }, () => settle(true));
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('error', () => settle(false)).once('timeout', () => settle(false));
  });
}

/** Loads the example input that ships with an agent. Throws when the agent does not exist. */
export async function exampleInput(
  agents: readonly DemoAgent[],
  slug: string,
): Promise<Record<string, unknown>> {
  const agent = agents.find((candidate) => candidate.slug === slug);
  if (!agent) throw new Error(`demonstration agent ${slug} does not exist`);
  const url = pathToFileURL(join(agent.folder, 'example.mjs')).href;
  const example = (await import(url)) as { exampleInput: () => Record<string, unknown> };
  return example.exampleInput();
}

interface Address {
  host: string;
  port: number;
}

async function chooseAddresses(home: string, slugs: readonly string[]): Promise<Record<string, Address>> {
  const file = join(home, 'agents.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Address>) : {};
  const third = (createHash('sha256').update(home).digest()[0] ?? 0) || 1;
  for (const [index, slug] of slugs.entries()) {
    if (kept[slug]) continue;
    const host = process.platform === 'linux' ? `127.77.${third}.${11 + index}` : '127.0.0.1';
    const wanted = process.platform === 'linux' ? 9443 : FIRST_PORT + index;
    kept[slug] = { host, port: (await isPortFree(wanted, host)) ? wanted : await freePort() };
  }
  writePrivate(file, kept);
  return kept;
}

async function keepAuthority(home: string): Promise<KeyPair> {
  const [certFile, keyFile] = [authorityFile(home), join(home, 'tls/ca-key.pem')];
  if (existsSync(certFile) && existsSync(keyFile)) {
    return { certPem: readFileSync(certFile, 'utf8'), keyPem: readFileSync(keyFile, 'utf8') };
  }
  const authority = await createAuthority();
  writePair(certFile, keyFile, authority);
  return authority;
}

async function keepLeaf(home: string, slug: string, host: string, authority: KeyPair) {
  const files = { certFile: join(home, 'tls', `${slug}.pem`), keyFile: join(home, 'tls', `${slug}-key.pem`) };
  const kept = existsSync(files.certFile) && existsSync(files.keyFile);
  if (!kept || !isCurrent(readFileSync(files.certFile, 'utf8'), authority)) {
    writePair(files.certFile, files.keyFile, await issueLeaf(authority, { ips: [host] }));
  }
  return files;
}

function writePair(certFile: string, keyFile: string, pair: KeyPair): void {
  mkdirSync(join(certFile, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(keyFile, pair.keyPem, { mode: 0o600 });
  writeFileSync(certFile, pair.certPem);
}
