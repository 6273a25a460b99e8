import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended } from './lib/run.mjs';

/**
 * `npm run fuzz:foreign [-- <examples per operation>]`: schemathesis, a fuzzer from elsewhere, sends valid and invalid
 * requests of `/openapi.json` to a stack of its own, as buyer and as developer, each with an API key and with a
 * session. A response with a status of 500 or more, or with a status, content type, header or body that the document
 * does not describe, is a finding. The exit code is 1 if there are findings. Needs Python 3; schemathesis is installed
 * under `.market/`.
 */
const root = resolve(import.meta.dirname, '..');
const SCHEMATHESIS = 'schemathesis==4.32.5';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
];
/** They end what the next requests need. */
const ENDING = ['logout', 'endSession', 'endOtherSessions', 'changePassword', 'deleteKey', 'rotateKey'];
/** They stay open. */
const STREAMING = ['streamEvents', 'followListings'];
const START_MS = 600_000;
/** Limits that a fuzzer would reach. */
const LIMITS = [
  'RATE_LIMIT_PER_ACCOUNT',
  'RATE_LIMIT_INVOCATIONS',
  'RATE_LIMIT_PER_KEY',
  'RATE_LIMIT_KEY_INVOCATIONS',
  'RATE_LIMIT_PER_ADDRESS',
  'REFUSALS_BEFORE_LINE',
  'OAUTH_REGISTRATIONS_PER_ADDRESS',
];
const home = join(root, '.market-fuzz');
const file = join(home, 'openapi.json');
const examples = process.argv[2] ?? '4';

const program = install();
const stack = start();
let findings = 0;
try {
  const runtime = await ready();
  for (const role of ['buyer', 'developer']) findings += await fuzzAs(role, runtime);
} finally {
  stack.kill('SIGINT');
  await ended(stack);
}
console.log(`${findings} findings`);
process.exitCode = findings > 0 ? 1 : 0;

/** Installs schemathesis, if it is not there. Returns its command. */
function install() {
  const folder = join(root, '.market/schemathesis');
  const mark = join(folder, SCHEMATHESIS);
  if (!existsSync(mark)) {
    rmSync(folder, { recursive: true, force: true });
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', SCHEMATHESIS], { stdio: 'inherit' });
    writeFileSync(mark, '');
  }
  return join(folder, 'bin/schemathesis');
}

function start() {
  rmSync(join(home, 'runtime.json'), { force: true });
  const limits = Object.fromEntries(LIMITS.map((name) => [name, '1000000']));
  const env = { ...process.env, ...limits, MARKET_HOME: home };
  return spawn(process.execPath, [join(root, 'tools/start.mjs')], { cwd: root, env, stdio: 'inherit' });
}

/** Waits for the stack. Returns its addresses and accounts. */
async function ready() {
  const runtime = join(home, 'runtime.json');
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(500)) {
    if (existsSync(runtime)) return JSON.parse(readFileSync(runtime, 'utf8'));
    if (stack.exitCode !== null) throw new Error('the stack ended before it was ready');
  }
  throw new Error('the stack was not ready within 10 minutes');
}

/** Runs the fuzzer with both credentials of an account. Returns the number of findings. */
async function fuzzAs(role, { api_url: url, accounts }) {
  const { email, password } = accounts[role];
  const login = await send(`${url}/v1/auth/login`, {}, { email, password });
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const text = await (await send(`${url}/openapi.json`, { cookie })).text();
  writeFileSync(file, text);
  const scopes = JSON.parse(text).components.schemas.Scope.enum;
  const made = await send(`${url}/v1/keys`, { cookie }, { name: 'Fuzzer', scopes });
  const { key } = await made.json();
  const byKey = await fuzz(`${role}-key`, url, `X-API-Key: ${key}`);
  return byKey + (await fuzz(`${role}-session`, url, `Cookie: ${cookie}`));
}

/** Sends JSON; throws if it is refused. */
async function send(url, headers, body) {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** Runs the fuzzer once. Returns the number of findings, which it prints with a request that repeats each. */
async function fuzz(name, url, header) {
  const report = join(home, `${name}.xml`);
  const operations = [...ENDING, ...STREAMING].map((id) => `--exclude-operation-id=${id}`);
  const words = [
    ...['run', file, '--url', url, '--header', header, '--checks', CHECKS.join(',')],
    ...['--phases', 'examples,fuzzing', '--max-examples', examples, '--continue-on-failure', '--no-shrink'],
    ...['--workers', '2', '--suppress-health-check', 'all', '--warnings', 'off', '--no-color'],
    ...['--report', 'junit', '--report-junit-path', report, '--request-timeout', '60', ...operations],
  ];
  console.log(`\n  ${name}`);
  const child = spawn(program, words, { cwd: home, stdio: 'inherit' });
  const code = await ended(child);
  const found = readFileSync(report, 'utf8').split('<failure').length - 1;
  return code === 0 ? 0 : Math.max(found, 1);
}
