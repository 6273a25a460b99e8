/** The agents of examples/verification: their reports have every finding that they should have, and no other. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCertificates } from '../support/agents/authority';
import { bundleOf } from '../support/verification/bundles';
import { eventually } from '../support/market';
import { newSlug } from '../support/names';
import { publish, registerDeveloper, request, type TestDeveloper } from '../support/catalogue/publishing';
import { useMarket } from '../support/use-market';

const FOLDER = join(__dirname, '../../examples/verification');

interface Finding {
  severity: string;
  category: string;
  description: string;
}

interface Version {
  status: string;
  reject_reason: string | null;
}

const market = useMarket({ ownNamespace: true });
let developer: TestDeveloper;
let secrets: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  const { leaf } = await testCertificates();
  secrets = mkdtempSync(join(tmpdir(), 'verification-demonstration-'));
  writeFileSync(join(secrets, 'cert.pem'), leaf.certPem);
  writeFileSync(join(secrets, 'key.pem'), leaf.keyPem, { mode: 0o600 });
  developer = await registerDeveloper(market);
  await market.container.advisories.import(join(FOLDER, 'advisories'));
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(secrets, { recursive: true });
});

/** Starts the agent as its developer does, and returns its address. */
async function serve(slug: string): Promise<string> {
  const env = {
    HOST: '127.77.0.9',
    PORT: '0',
    TLS_CERT_FILE: join(secrets, 'cert.pem'),
    TLS_KEY_FILE: join(secrets, 'key.pem'),
  };
  const child = spawn(process.execPath, [join(FOLDER, slug, 'server.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return /https:\S+/.exec(line.toString())?.[0] ?? '';
}

function bundleFiles(slug: string): Record<string, string> {
  const files = readdirSync(join(FOLDER, slug), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(join(FOLDER, slug).length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

/** Publishes the agent with its bundle; the findings of its report, worst first. */
async function verify(slug: string): Promise<{ version: Version | undefined; findings: Finding[] }> {
  const url = await serve(slug);
  const files = bundleFiles(slug);
  const manifest = JSON.parse(files['manifest.json'] ?? '') as { endpoint: object };
  // Other tests publish agents of the same names, and a workflow is named after its agent.
  const document = { ...manifest, agent_id: newSlug(slug), endpoint: { ...manifest.endpoint, url } };
  const bundle = bundleOf(files).toString('base64');
  const { body, status } = await publish(market, developer, document, { bundle_base64: bundle });
  expect({ status, body }).toMatchObject({ status: 201 });
  let version: Version | undefined;
  await eventually(async () => {
    const path = `/v1/developer/agents/${body.agent_id}/versions`;
    version = (await request<{ items: Version[] }>(market, developer, 'GET', path)).body.items[0];
    return version?.status === 'live' || version?.status === 'rejected';
  }, 55_000);
  const { rows } = await market.owner.query<Finding>(
    'SELECT severity, category, description FROM findings WHERE agent_id = $1',
    [body.agent_id],
  );
  return { version, findings: rows };
}

const grave = (findings: Finding[]) =>
  findings.filter(({ severity }) => /critical|high|medium/.test(severity));

it('finds nothing grave in the clean one, and puts it live', async () => {
  const { version, findings } = await verify('word-counter');
  expect(grave(findings)).toEqual([]);
  expect(version).toMatchObject({ status: 'live' });
});

it('names the file of the key and the advisory of the pinned dependency', async () => {
  const { version, findings } = await verify('title-case');
  expect(version?.status).toBe('rejected');
  expect(version?.reject_reason).toContain('config.mjs');
  expect(grave(findings)).toHaveLength(2);
  expect(findings).toContainEqual(
    expect.objectContaining({ severity: 'critical', category: 'secret-exposure' }),
  );
  const vulnerable = findings.find(({ category }) => category === 'vulnerable-dependency');
  expect(vulnerable).toMatchObject({ severity: 'high' });
  expect(vulnerable?.description).toContain('lodash 4.17.15');
  expect(vulnerable?.description).toContain('GHSA-p6mc-m468-83gw');
  expect(JSON.stringify(findings)).not.toContain('AKIA');
});

it('reports an answer that contained another caller’s input, without the input', async () => {
  const { version, findings } = await verify('order-desk');
  expect(version?.status).toBe('rejected');
  expect(grave(findings)).toHaveLength(1);
  expect(grave(findings)[0]).toMatchObject({ severity: 'critical', category: 'cross-tenant-leakage' });
  // A digest may have ten digits in a row.
  const told = JSON.stringify({ ...version, manifest_sha256: undefined, findings });
  expect(told).not.toMatch(/[A-Z2-9]{10}/);
});
