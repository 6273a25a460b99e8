/** The README and the tutorials do what they say: every command and request on them, in order, on a fresh market. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/runtime/processes/processes';
import {
  agrees,
  blocksOf,
  pageFolder,
  runPage,
  startShell,
  type PageFolder,
  type PageShell,
} from '../support/documents/documents';
import { ALL_SCOPES, makeKey } from '../support/accounts/keys';
import { register, startMarket, type TestMarket } from '../support/market';
import { PYTHON_TUTORIALS, TUTORIALS } from '../support/documents/pages';

jest.setTimeout(180_000);
const ROOT = resolve(__dirname, '../..');
/** The packages that the Python pages install, in the tested versions. */
const REQUIREMENTS = [
  'packages/cli/templates/python/requirements.txt',
  'packages/python/requirements.txt',
].map((file) => join(ROOT, file));
const MYPY = 'mypy==2.4.1';
const PYTHON_PACKAGES = join(tmpdir(), `agent-marketplace-python-${hashOf(REQUIREMENTS)}-${MYPY}`);

function hashOf(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 10);
}

/** Installs the packages once. They are moved to their place when all are there: another run may install them too. */
function installPython(): void {
  if (existsSync(PYTHON_PACKAGES)) return;
  const folder = mkdtempSync(`${PYTHON_PACKAGES}-`);
  const files = REQUIREMENTS.flatMap((file) => ['-r', file]);
  const args = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--target',
    folder,
    ...files,
    MYPY,
  ];
  const { status, stderr } = spawnSync('python3', args, { timeout: 120_000, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the pages in Python need python3 with pip, and PyPI: ${stderr}`);
  try {
    renameSync(folder, PYTHON_PACKAGES);
  } catch {
    rmSync(folder, { recursive: true });
  }
}

/** An address that only this process has, for the agents of the pages. */
const HOST = `127.77.${1 + ((process.pid >> 8) % 250)}.${1 + (process.pid % 250)}`;
/** The page as this machine can run it: with its addresses, and with packages that are installed already. */
const adapted = (text: string) =>
  text
    .replaceAll('127.77.0.5', HOST)
    .replaceAll('http://127.0.0.1:4000', market.url)
    .replace(
      /^market init (\S+)( --jobs)?$/m,
      `market init $1$2 --no-install\nln -s ${ROOT}/node_modules $1/node_modules`,
    )
    .replace(/^market init (\S+) --language python$/m, '$& --no-install')
    .replace(
      'npm install --silent --save-dev typescript tsx @types/node',
      ['typescript', 'tsx', '@types/node', 'undici-types', 'esbuild']
        .map(
          (name) => `mkdir -p node_modules/@types && ln -s ${ROOT}/node_modules/${name} node_modules/${name}`,
        )
        .concat(`ln -s ${ROOT}/node_modules/.bin node_modules/.bin`)
        .join('\n'),
    )
    // pip takes most of the time that a virtual environment takes
    .replace('python3 -m venv', '$& --without-pip')
    .replace(
      '.venv/bin/pip install',
      'python3 -m pip --python .venv/bin/python install --disable-pip-version-check',
    );

let market: TestMarket;
let folder: PageFolder;
let shell: PageShell;

beforeAll(async () => {
  installPython();
  folder = await pageFolder();
  const port = String(await freePort());
  const env = {
    LOCAL_AUTHORITY: join(folder.clone, '.market/tls'),
    PORT: port,
    PUBLIC_ORIGIN: `http://127.0.0.1:${port}`,
    MAIL_URL: `sandbox:${folder.mails}`,
  };
  market = await startMarket({ env, ownNamespace: true });
  const prefix = join(folder.clone, '..', 'global');
  shell = startShell(folder.clone, {
    PATH: `${join(prefix, 'bin')}:${process.env['PATH'] ?? ''}`,
    npm_config_prefix: prefix,
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_audit: 'false',
    PYTHONPATH: PYTHON_PACKAGES,
  });
});

afterAll(async () => {
  // market dev ends the agents that it started
  await shell.run('kill $(jobs -p); wait');
  await shell.end();
  await market.stop();
  folder.remove();
});

it.each(TUTORIALS)('%s runs', async (page) => {
  await shell.run('cd "$(mktemp -d)"');
  const { problems, ran } = await runPage(page, shell, adapted);
  expect(problems.join('\n')).toBe('');
  expect(ran).toBeGreaterThan(0);
});

it('the Python clients pass their tests, and run the examples of their README', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  const { key } = await makeKey(market, buyer, { scopes: ALL_SCOPES });
  const env = {
    ...process.env,
    PYTHONPATH: `${PYTHON_PACKAGES}:${join(ROOT, 'packages/python')}`,
    PYTHONDONTWRITEBYTECODE: '1',
    MARKET_URL: market.url,
    MARKET_API_KEY: key,
    AGENT: 'word-counter',
    CHAT_AGENT: 'word-reverser',
    WEBHOOK_SECRET: 'whsec_AAAA',
  };
  const args = ['-m', 'unittest', 'discover', '-s', join(ROOT, 'packages/python/tests')];
  // it runs beside the market of this process
  const { stdout, stderr } = await promisify(execFile)('python3', args, { env, timeout: 120_000 });
  expect(stdout).toContain('404 not_found False [] True');
  expect(stderr).toMatch(/Ran \d\d tests.*\s+OK/);
});

it('the Python client and the programs of its pages pass mypy --strict', async () => {
  const programs = mkdtempSync(join(tmpdir(), 'market-typed-'));
  const pages = ['packages/python/README.md', 'docs/tutorials/buy-with-python.md'];
  const texts = pages.flatMap((page) => [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(/```python(?: file=\S+)?\n([^]*?)```/g),
  ]);
  for (const [at, [, text = '']] of texts.entries()) writeFileSync(join(programs, `page${at}.py`), text);
  const env = { ...process.env, PYTHONPATH: PYTHON_PACKAGES, MYPYPATH: join(ROOT, 'packages/python') };
  const args = [
    '-m',
    'mypy',
    '--strict',
    '--disable-error-code=import-not-found',
    `--cache-dir=${programs}/cache`,
  ];
  const files = texts.map((_text, at) => `page${at}.py`);
  expect(files.length).toBeGreaterThan(8);
  for (const what of [
    ['-p', 'agent_marketplace'],
    ['--scripts-are-modules', ...files],
  ]) {
    const checked = promisify(execFile)('python3', [...args, ...what], { env, cwd: programs });
    const { stdout } = await checked.catch((error: { stdout: string }) => error);
    expect(stdout).toMatch(/^Success/);
  }
  rmSync(programs, { recursive: true });
});

it('the agents of market init --jobs pass their tests', async () => {
  const tests = {
    typescript: `ln -s ${ROOT}/node_modules node_modules && npm test`,
    python: 'python3 -W error::ResourceWarning -m unittest',
  };
  const market = join(ROOT, 'packages/cli/bin/market.mjs');
  const ends = Object.entries(tests).map(([language, line]) => {
    const agent = join(folder.clone, '..', `slow-${language}`);
    const made = `node ${market} init ${agent} --jobs --language ${language} --no-install && cd ${agent} && ${line}`;
    const env = { ...process.env, PYTHONPATH: PYTHON_PACKAGES };
    return promisify(execFile)('sh', ['-c', made], { env, timeout: 120_000 });
  });
  const [typescript, python] = await Promise.all(ends);
  expect(typescript?.stdout).toMatch(/^# pass 8$/m);
  expect(python?.stderr).toMatch(/Ran 6 tests.*\s+OK/);
});

it.each(PYTHON_TUTORIALS)('%s runs', async (page) => {
  await shell.run('unset MARKET_API_KEY; cd "$(mktemp -d)"');
  const { problems, ran } = await runPage(page, shell, adapted);
  expect(problems.join('\n')).toBe('');
  expect(ran).toBeGreaterThan(0);
});

it('finds differences, and compares ids and times by their form', () => {
  expect(agrees('{"words": 6}', '{"words":7}')).toBe(false);
  expect(agrees('{"words": 6, …}', '{"words":6,"more":1}\n')).toBe(true);
  expect(agrees('{"trace_id": "0190b5c2f1e07c0e8a1b2c3d4e5f6a7b"}', '{"trace_id":"none"}')).toBe(false);
  expect(
    agrees(
      '{"call_id": "inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b", "at": "2026-11-02T09:12:44.000Z"}',
      '{"call_id":"inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7c","at":"2027-01-02T03:04:05.678Z"}',
    ),
  ).toBe(true);
});

it('finds commands that fail, requests that are refused, and blocks that are not run without a reason', async () => {
  const failing = await shell.run('true\nfalse\ntrue');
  const refused = await shell.run(`curl -s ${market.url}/v1/auth/me`);
  expect([failing.failed, refused.failed.includes('curl')]).toEqual(['false', true]);
  const page = [
    '```sh',
    'a',
    '```',
    '_Not run by the test of this page: it costs money._',
    '',
    '```sh',
    'b',
    '```',
  ];
  expect(blocksOf(page.join('\n')).map(({ kind }) => kind)).toEqual(['run', 'skipped']);
});
