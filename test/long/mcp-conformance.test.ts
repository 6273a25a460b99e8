/**
 * The official conformance suite of MCP against an agent of the market: it is a server as others are, so what the suite
 * asks of a server holds through the gateway, or is named below with the reason. And the checks of the MCP registry on
 * what the market publishes as one.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEverything } from '../support/agents/mcp-everything';
import type { TestMcpServer } from '../support/agents/mcp-server';
import { putListing } from '../support/catalogue/listings';
import { register, startMarket } from '../support/market';
import { putServerLive } from '../support/protocols/mcp-upstream';
import { useMarket } from '../support/use-market';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const CACHE = join(tmpdir(), 'agent-marketplace-generators');

/** The folder of the suite, or why this machine cannot get it. */
function obtain(): { folder: string; missing?: string } {
  const folder = join(CACHE, SUITE.replaceAll(/[^\w.-]/g, '_'));
  if (existsSync(folder)) return { folder };
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  const args = ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', SUITE];
  const { status, stderr, error } = spawnSync('npm', args, {
    cwd: draft,
    timeout: 120_000,
    encoding: 'utf8',
  });
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    return { folder, missing: error?.message ?? stderr.trim().split('\n').at(-1) ?? 'npm failed' };
  }
  renameSync(draft, folder);
  return { folder };
}

const suite = obtain();
const market = useMarket();
const open: { close(): unknown }[] = [];
const servers: TestMcpServer[] = [];
afterAll(async () => {
  for (const one of open) one.close();
  await Promise.all(servers.map((server) => server.stop()));
});

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** The suite cannot authenticate, so a proxy adds the key of a buyer. */
async function withKey(agentId: string, cookie: string): Promise<string> {
  const proxy: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { host, connection: _, 'content-length': __, origin, ...others } = req.headers;
      const isOwn = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(origin ?? '') && isLocal(host);
      const headers = {
        ...others,
        ...(origin !== undefined && { origin: isOwn ? new URL(market.config.PUBLIC_ORIGIN).origin : origin }),
      };
      void fetch(`${market.url}/mcp/a/${agentId}`, {
        method: req.method ?? 'POST',
        headers: { ...(headers as Record<string, string>), cookie },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }).then(async (answer) => {
        const { 'content-encoding': ___, ...given } = Object.fromEntries(answer.headers);
        res.writeHead(answer.status, given);
        for await (const chunk of answer.body ?? []) res.write(chunk);
        res.end();
      });
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  open.push(proxy);
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
}

async function run(url: string, version: string): Promise<Map<string, Check[]>> {
  const out = mkdtempSync(join(tmpdir(), 'market-conformance-'));
  const command = join(suite.folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const child = spawn(
    process.execPath,
    ['--import', resolve(__dirname, '../support/protocols/glob-of-node-20.mjs'), command, 'server',
      '--url', url, '--suite', 'all', '--spec-version', version, '--timeout', '10000', '-o', out],
    { stdio: ['ignore', process.env['SHOW'] ? 'inherit' : 'ignore', 'inherit'] },
  ); // prettier-ignore
  await once(child, 'exit');
  const found = new Map<string, Check[]>();
  for (const folder of readdirSync(out)) {
    const name = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    found.set(name, JSON.parse(readFileSync(join(out, folder, 'checks.json'), 'utf8')) as Check[]);
  }
  rmSync(out, { recursive: true, force: true });
  return found;
}

const isLocal = (host = ''): boolean => /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host);

const NO_SAMPLING =
  'The marketplace passes no sampling on: the model of a buyer is not for servers (ADR 0329).';
const NO_ROOTS = 'The marketplace passes no roots on: a buyer shows no folders (ADR 0329).';
const NO_SESSION =
  'A subscription needs a session with the server, and the endpoint declares none (ADR 0328).';
const AS_RESULT = 'A call that fails is a result of its tool, which says that nothing was charged.';

/** The scenarios that an agent of the market does not pass whole, by the revision, with the reason. */
const NOT_PASSED: Record<string, Record<string, string>> = {
  '2025-11-25': {
    'resources-subscribe': NO_SESSION,
    'resources-unsubscribe': NO_SESSION,
    'tools-call-sampling': NO_SAMPLING,
  },
  '2026-07-28': {
    'input-required-result-basic-list-roots': NO_ROOTS,
    'input-required-result-basic-sampling': NO_SAMPLING,
    'input-required-result-capability-check': NO_SAMPLING,
    'input-required-result-multiple-input-requests': NO_SAMPLING,
    'server-stateless': AS_RESULT,
  },
};

/** Scenarios without which a run would prove too little: progress, messages of the log, and questions to the user. */
const REQUIRED: Record<string, string[]> = {
  '2025-11-25': [
    'tools-call-with-progress',
    'tools-call-with-logging',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
  '2026-07-28': [
    'tools-call-with-progress',
    'input-required-result-basic-elicitation',
    'input-required-result-multi-round',
    'input-required-result-request-state',
    'input-required-result-tampered-state',
  ],
};
/** Scenarios in which the suite only reports: a stream of the endpoint ends with its answer, so none is resumed. */
const REPORTS_ONLY: Record<string, string[]> = { '2025-11-25': ['server-sse-polling'] };

/** The checks of a scenario that did not succeed, in words. */
const flawsOf = (checks: Check[]): string[] =>
  checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, errorMessage = '' }) => `${id}: ${errorMessage.slice(0, 300)}`);

async function agentOf(era: 'legacy' | 'modern'): Promise<string> {
  const server = await startEverything(era);
  servers.push(server);
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 10_000);
  return withKey(await putServerLive(market, developer.userId, server.url), buyer.cookie);
}

/** Without the suite the test is left out, with the reason in its name. */
const test = suite.missing === undefined ? it : it.skip;
const missing =
  suite.missing === undefined ? '' : `: left out, this machine cannot get it (${suite.missing})`;

test(`passes every scenario that is not named with a reason${missing}`, async () => {
  const runs = await Promise.all([
    agentOf('legacy').then((url) => run(url, '2025-11-25')),
    agentOf('modern').then((url) => run(url, '2026-07-28')),
  ]);
  for (const [n, version] of ['2025-11-25', '2026-07-28'].entries()) {
    const found = [...(runs[n] ?? [])];
    expect(found.length).toBeGreaterThan(25);
    const failed = found.map(([name, checks]) => [name, flawsOf(checks)] as const);
    const reasons = NOT_PASSED[version] ?? {};
    const unnamed = failed.filter(([name, flaws]) => flaws.length > 0 && !(name in reasons));
    expect(unnamed).toEqual([]);
    const passing = failed.filter(([name, flaws]) => flaws.length === 0 && name in reasons);
    expect(passing).toEqual([]);
    const unproven = found.filter(([, checks]) => checks.every(({ status }) => status !== 'SUCCESS'));
    expect(unproven.map(([name]) => name)).toEqual(REPORTS_ONLY[version] ?? []);
    expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(REQUIRED[version] ?? []));
  }
}, 180_000);

const ROOT = resolve(__dirname, '../..');
/** The checks of the MCP registry (ADR 0249); an empty path without Go. */
const built = spawnSync(process.execPath, ['tools/registry-check.mjs'], { cwd: ROOT, encoding: 'utf8' });
const checker = built.stdout;

(checker === '' && built.status === 0 ? it.skip : it)(
  'publishes what the MCP registry takes: the server of the market, and of each agent',
  async () => {
    expect([built.status, built.stderr]).toEqual([0, '']);
    const env = { PUBLIC_READS: 'true', PUBLIC_ORIGIN: 'https://market.example.com' };
    const named = await startMarket({ share: market, env });
    const developer = await register(market, 'developer');
    await putListing(market, developer, 'r-plain', 5, { display_name: 'Plain', trust_score: 71 });
    const hostile = {
      display_name: `</script>"'&${'😀'.repeat(70)}`,
      description: `${'Long. '.repeat(40)}\u2028`,
    };
    await putListing(market, developer, 'r-hostile', 5, { ...hostile, kind: 'mcp' });
    const { servers } = (await (await fetch(`${named.url}/v0.1/servers`)).json()) as {
      servers: { server: object }[];
    };
    const folder = mkdtempSync(join(tmpdir(), 'market-registry-'));
    const check = (name: string, server: object) => {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(server));
      const { status, stderr } = spawnSync(checker, [file], { encoding: 'utf8' });
      return { status, problems: stderr.replaceAll(file, name).trim().split('\n') };
    };
    expect(servers.length).toBeGreaterThanOrEqual(3);
    for (const [at, { server }] of servers.entries())
      expect(check(String(at), server)).toEqual({ status: 0, problems: [''] });
    // A check that accepts everything checks nothing.
    const { status, problems } = check('wrong', {
      ...servers[0]?.server,
      name: 'no reverse DNS',
      version: 'latest',
    });
    expect([status, problems.some((problem) => problem.includes('reserved-version-string'))]).toEqual([
      1,
      true,
    ]);
    rmSync(folder, { recursive: true });
    await named.stop();
  },
  120_000,
);
