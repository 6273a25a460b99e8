import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { createApiClient, type ApiClient } from '../../src/runtime/demonstration/api-client';
import { createTestHome, npmStart, type NpmStart, type TestHome } from '../support/documents/npm-start';
import { buyerOf, killAndCall, processesOf, profile } from '../support/documents/start-parts';
import { metricsIn, readDashboards, readRules, seriesIn } from '../support/documents/monitoring';
import { startPages } from '../support/documents/stack-pages';

const UP = 'Ctrl-C stops everything';
const AGENTS = [
  'csv-profiler',
  'factor-finder',
  'html-to-markdown',
  'identifier-audit',
  'plain-english',
  'unit-converter',
];
const PARTS = ['postgres', 'temporal', 'api', 'worker', ...AGENTS];

const ROOT = resolve(__dirname, '../..');

/** Metrics of Prometheus and of node_exporter, and one that begins with the first failed request to Temporal. */
const ELSEWHERE = /^(?:up|node_\w+|temporal_request_failure_total)$/;

jest.setTimeout(300_000);

describe('npm start', () => {
  let at: TestHome;
  let first: NpmStart;
  /** The buyer's credits when the first start ended. */
  let creditsAtEnd: number;

  beforeAll(async () => {
    at = await createTestHome();
    first = npmStart(at);
    await first.until(UP, 240_000);
  });
  afterAll(async () => {
    first.kill();
    await first.ended(30_000).catch(() => undefined);
    at.remove();
  });

  async function creditsOf(buyer: ApiClient): Promise<number> {
    const balance = await buyer.call<{ available_credits: number }>('GET', '/v1/billing/balance');
    return balance.available_credits;
  }

  it('begins with the console and its links, then shows one real paid call and the three balances that it moved', () => {
    const output = first.output();
    expect(output).toMatch(
      /Console +http\S+\/console\n +buyer +http\S+\/console\/enter\?next=\/calls#\S+\n +developer +http\S+\n +operator +http[^]*One paid call/,
    );
    expect(output).toContain('POST /v1/agents/agt_csv_profiler_v1/invoke');
    expect(output).toMatch(/→ \{"input":\{"csv":"species/);
    expect(output).toMatch(/← \{"output":\{"rows":344/);
    expect(output).toMatch(/charged 5 credits, \d+ ms, inv_[0-9a-f]{32}/);
    expect(output).toMatch(/buyer +500\.00 → +495\.00 +-5\.00/);
    expect(output).toMatch(/developer payable +0\.00 → +4\.85 +\+4\.85/);
    expect(output).toMatch(/platform fees +0\.00 → +0\.15 +\+0\.15/);
  });

  it('publishes agents of two developers with their sources, and bonds that leave them the badges that they earn', async () => {
    const { api_url: url, accounts } = first.runtime();
    const buyer = createApiClient(url);
    await buyer.call('POST', '/v1/auth/login', accounts.buyer);
    const { items } = await buyer.call<{
      items: { slug: string; badge: string | null; trust_score: number }[];
    }>('GET', '/v1/listings');
    const badges = Object.fromEntries(items.map(({ slug, badge }) => [slug, badge]));
    expect(badges).toEqual({
      'csv-profiler': 'premium',
      'factor-finder': 'premium',
      'html-to-markdown': 'premium',
      'unit-converter': 'premium',
      'plain-english': 'standard',
      'identifier-audit': 'standard',
      'kitchen-measures': 'basic',
    });
    expect(items.filter(({ trust_score: score }) => score >= 80)).toHaveLength(6);
  });

  it('links to exactly that workflow in the Temporal UI', async () => {
    const { temporal_ui_url: ui } = first.runtime();
    const link = /http\S+\/workflows\/invocation%2F(inv_[0-9a-f]{32})\/([0-9a-f-]{36})\/history/.exec(
      first.output(),
    );
    expect(link?.[0]).toContain(`${ui}/namespaces/default/workflows/`);
    const workflow = await fetch(
      `${ui}/api/v1/namespaces/default/workflows/invocation%2F${link?.[1]}?execution.runId=${link?.[2]}`,
    );
    expect(workflow.status).toBe(200);
    expect(await workflow.text()).toContain('WORKFLOW_EXECUTION_STATUS_COMPLETED');
  });

  it('writes runtime.json for tools, and opens no file of its folder to other users', () => {
    const runtime = first.runtime();
    expect(runtime).toMatchObject({
      api_url: `http://127.0.0.1:${at.ports.PORT}`,
      temporal_address: `127.0.0.1:${at.ports.TEMPORAL_PORT}`,
      temporal_ui_url: `http://127.0.0.1:${at.ports.TEMPORAL_UI_PORT}`,
      temporal_namespace: 'default',
      postgres_url: expect.stringContaining('postgres://market_app:'),
      accounts: { operator: { email: expect.any(String), password: expect.any(String) } },
      agents: expect.arrayContaining([
        { agent_id: 'agt_unit_converter_v1', slug: 'unit-converter', price_credits: 1 },
      ]),
    });
    expect(readFileSync(runtime.ca_file, 'utf8')).toContain('BEGIN CERTIFICATE');
    const open = ['.', ...readdirSync(at.home, { recursive: true, encoding: 'utf8' })]
      .filter((path) => !path.startsWith('postgres'))
      .map((path) => ({ path, stat: statSync(join(at.home, path)) }))
      .filter(({ stat }) => (stat.mode & 0o777) !== (stat.isDirectory() ? 0o700 : 0o600));
    expect(open.map(({ path, stat }) => `${path} ${(stat.mode & 0o777).toString(8)}`)).toEqual([]);
  });

  it('prints curl lines that work as they are', async () => {
    const lines = first
      .output()
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('curl '));
    expect(lines).toHaveLength(6);
    const [login = '', list = '', invoke = '', balance = '', ledger = '', job = ''] = lines.map((line) =>
      execFileSync('sh', ['-c', line], { encoding: 'utf8', stdio: 'pipe' }),
    );
    expect(login).toMatch(/^HTTP\/1.1 200[^]*market_session=/);
    expect(JSON.parse(list)).toMatchObject({ total: 7 });
    const begun = JSON.parse(job) as { invocation_id: string };
    expect(begun).toMatchObject({ agent_id: 'agt_factor_finder_v1', status: expect.stringMatching(/ing$/) });
    const buyer = createApiClient(first.runtime().api_url);
    await buyer.call('POST', '/v1/auth/login', first.runtime().accounts.buyer);
    await buyer.call('DELETE', `/v1/invocations/${begun.invocation_id}`);
    expect(JSON.parse(invoke)).toMatchObject({
      output: { quantity: 42.1648128 },
      usage: { credits_charged: 0 },
    });
    expect(JSON.parse(balance)).toMatchObject({ available_credits: 495, escrow_credits: 0 });
    expect(JSON.parse(ledger)).toMatchObject({ items: expect.any(Array) });
  });

  it('shows mails on the terminal, with the token that confirms an address', async () => {
    const newcomer = createApiClient(first.runtime().api_url);
    const email = 'newcomer@example.com';
    const account = { email, password: 'correct horse battery', displayName: 'Newcomer', role: 'buyer' };
    await newcomer.call('POST', '/v1/auth/register', account);
    await first.until(`mail to ${email}: Confirm your email address`, 20_000);
    await first.until(/market email confirm [A-Za-z0-9_-]{43}/, 5_000);
    const token = /market email confirm ([A-Za-z0-9_-]{43})/.exec(first.output())?.[1];
    await newcomer.call('POST', '/v1/auth/email/confirm', { token });
    expect(await newcomer.call('GET', '/v1/auth/security')).toMatchObject({ email, email_confirmed: true });
  });

  it('runs the A2A example as it stands', () => {
    const output = execFileSync(process.execPath, ['examples/a2a/call-agent.mjs'], {
      encoding: 'utf8',
      env: { ...process.env, MARKET_HOME: at.home },
    });
    expect(output).toMatch(/^task TASK_STATE_/);
    expect(output).toContain('quantity: 42.1648128');
    expect(output).toContain('statusUpdate TASK_STATE_COMPLETED');
  });

  it('runs the README as it stands', async () => {
    const pages = await startPages(at.home, first);
    try {
      await pages.run('README.md');
    } finally {
      await pages.end();
    }
  });

  it('serves every metric that alerts and dashboards name', async () => {
    const [, api = '', worker = ''] =
      /metrics +(http\S+) and (http\S+) \(worker\)/.exec(first.output()) ?? [];
    const scrapes = await Promise.all([api, worker].map(async (url) => (await fetch(url)).text()));
    const served = seriesIn(scrapes.join('\n'));
    const panels = readDashboards().flatMap((dashboard) => dashboard.panels);
    const expressions = [
      ...readRules().map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
    const missing = expressions
      .flatMap(metricsIn)
      .filter((name) => !served.has(name) && !ELSEWHERE.test(name));
    expect([...new Set(missing)]).toEqual([]);
  });

  it('creates an operator who may use the operators’ operations', async () => {
    const { api_url: url, accounts } = first.runtime();
    const operator = createApiClient(url);
    expect(await operator.call('POST', '/v1/auth/login', accounts.operator)).toMatchObject({
      role: 'operator',
    });
  });

  it('refuses a second start of the same home, and says where the first is', async () => {
    const second = npmStart(at);
    expect(await second.ended(60_000)).not.toBe(0);
    expect(second.output()).toMatch(/already running as process \d+; see .*runtime\.json/);
    expect(
      first
        .processes()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...PARTS].sort());
  });

  // test/long/pages.test.ts kills the other parts.
  it('starts the API again when it is killed, and calls work again', () => killAndCall(first, 'api'));

  it('stops within 10 s of Ctrl-C, leaves no process, and removes runtime.json', async () => {
    const pids = first.processes().map(({ pid }) => pid);
    expect(pids).toHaveLength(PARTS.length);
    creditsAtEnd = await creditsOf(await buyerOf(first));
    first.pressCtrlC();
    await first.ended(10_000);
    expect(first.output()).toContain('stopped in');
    expect(processesOf(at.home)).toEqual([]);
    expect(existsSync(join(at.home, 'runtime.json'))).toBe(false);
  });

  // A machine that does other work as well, which may be other tests, gets twice the time.
  it('is up within 15 s at the second start, with its data, although a program has taken its port', async () => {
    const squatter = createServer().listen(at.ports.PORT, '127.0.0.1');
    const startedAt = Date.now();
    const second = npmStart(at);
    try {
      await second.until(UP, 60_000);
      const isShared = process.env['CI'] !== undefined || loadavg()[0]! > availableParallelism();
      expect(Date.now() - startedAt).toBeLessThan(isShared ? 30_000 : 15_000);
      expect(second.output()).toContain(
        `port ${at.ports.PORT} of the API is used by process ${process.pid} (`,
      );
      expect(second.output()).not.toContain('First run');
      expect(second.runtime().api_url).not.toBe(`http://127.0.0.1:${at.ports.PORT}`);
      const buyer = await buyerOf(second);
      expect(creditsAtEnd).toBeLessThan(495);
      expect(await creditsOf(buyer)).toBe(creditsAtEnd);
      expect((await profile(buyer)).status).toBe(200);
    } finally {
      second.kill('SIGKILL');
      await second.ended(10_000);
      squatter.close();
    }
  });

  it('ends the processes of a killed start; a failed start prints the reason and the path of the log', async () => {
    expect(processesOf(at.home).length).toBeGreaterThanOrEqual(PARTS.length);
    const failing = npmStart(at, { TEMPORAL_CLI_PATH: '/bin/false' });
    expect(await failing.ended(60_000)).not.toBe(0);
    expect(failing.output()).toMatch(/stopped processes that an earlier start left running: .*postgres/);
    expect(failing.output()).toMatch(
      /the start failed: Temporal ended immediately; see its log \S+temporal\.log/,
    );
    expect(processesOf(at.home)).toEqual([]);
  });

  it('refuses an unknown argument, and prints its help', () => {
    const run = (word: string) =>
      spawnSync(process.execPath, ['tools/start.mjs', word], { cwd: ROOT, encoding: 'utf8' });
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: npm start/) });
    expect(run('--port')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('unknown argument: --port'),
    });
  });
});
