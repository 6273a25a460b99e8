/** `@agent-marketplace/cli` on a machine without the clone: installed from the service's own address. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keptMarket } from '../../support/kept-market';
import { newSlug } from '../../support/names';
import type { TestMarket } from '../../support/market';

const run = promisify(execFile);
const AGENT = join(__dirname, '../../../examples/agents/unit-converter');
const TARBALL = '/downloads/agent-marketplace-cli.tgz';

let market: TestMarket;
let folder: string;
beforeAll(async () => {
  market = await keptMarket();
  folder = mkdtempSync(join(tmpdir(), 'market-install-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('installs into an empty folder without any registry, and signs up, and scans a folder', async () => {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    MARKET_CONFIG_DIR: join(folder, 'config'),
    MARKET_API_URL: market.url,
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_update_notifier: 'false',
  };
  const install = ['install', '--no-audit', '--no-fund', `${market.url}${TARBALL}`];
  await run('npm', install, { cwd: folder, env, timeout: 60_000 });
  expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual(['.bin', '.package-lock.json', '@agent-marketplace']);

  const command = join(folder, 'node_modules/.bin/market');
  const call = (args: string[]) => run(command, args, { cwd: folder, env });
  const signUp = call(['register', '--email', `${newSlug('packed')}@example.org`, '--password-stdin', '--json']);
  signUp.child.stdin?.end('correct horse battery');
  expect(JSON.parse((await signUp).stdout)).toMatchObject({ role: 'buyer', api_url: market.url });
  expect(JSON.parse((await call(['balance', '--json'])).stdout)).toMatchObject({ wallet: { available_credits: 0 } });

  const scan = await call(['verify', AGENT, '--json']);
  expect(JSON.parse(scan.stdout)).toMatchObject({ stages: { static_analysis: { score: 17, max: 25 } } });

  const help = (await call(['--help'])).stdout;
  expect(help).toMatch(/Your account:[^]*register[^]*Buy:[^]*invoke[^]*Sell:[^]*publish/);
  expect(help).not.toContain('time-travel');

  for (const words of [['backup', 'all.backup'], ['ledger', 'check', '--full']])
    await expect(call(words)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('in a clone of the marketplace') as string });

  // A reader that leaves early ends the command, without a stack.
  const piped = await run('bash', ['-c', `set -o pipefail; "${command}" completion fish | true`], { cwd: folder, env });
  expect(piped.stderr).toBe('');
}); // prettier-ignore
