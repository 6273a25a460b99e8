import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './config';
import { SECRET_SETTINGS } from './config-secrets';

const ROOT = join(__dirname, '..');
const EXAMPLE = readFileSync(join(ROOT, '.env.example'), 'utf8');
const SETTING = /^(# )?([A-Z][A-Z0-9_]+)=(.*)$/gm;

/**
 * Settings without a default in production; `.env.example` leaves them empty, or has another value than the default.
 */
const REQUIRED = {
  PUBLIC_ORIGIN: 'https://market.example.com',
  DATABASE_URL: 'postgres://market_app@127.0.0.1/market',
  SESSION_SECRET: 'e1c1b62a76a2f1f2b1b3f0c58e2f7a3d0c4b9d8e7f605142',
  MASTER_KEYS: 'main:1=Wm9b1uY0c7oVq0l3v6v1l7h3xk8w2J4sT5nB9eQzR1M=',
  MAIL_URL: 'smtps://market:secret@mail.example.com',
  MAIL_FROM: 'Marketplace <no-reply@example.com>',
  RAZORPAY_KEY_ID: 'rzp_live_ada',
  RAZORPAY_KEY_SECRET: 'kept-by-razorpay',
  RAZORPAY_WEBHOOK_SECRETS: 'signed-by-razorpay',
  PAYOUT_COMPANY_ID: '1271234567',
  PAYOUT_BANK_NAME: 'First Bank of Ada',
  PAYOUT_ROUTING_NUMBER: '011401533',
  PAYOUT_ACCOUNT_NUMBER: '4410029377',
  PAYOUT_BIC: 'FBADUS33',
};

/** Settings of commands, with the file that reads each. */
const OF_COMMANDS = {
  MIGRATE_DATABASE_URL: 'src/runtime/migrate-command.ts',
  MARKET_HOME: 'src/runtime/settings.ts',
  TEMPORAL_PORT: 'src/runtime/settings.ts',
  TEMPORAL_UI_PORT: 'src/runtime/settings.ts',
  POSTGRES_PORT: 'src/runtime/settings.ts',
  TEMPORAL_CLI_PATH: 'src/runtime/temporal/temporal-binary.ts',
  XDG_CACHE_HOME: 'src/runtime/base/temporal-places.cjs',
  KEEP_TEST_STACK: 'test/support/stack/stack.ts',
};

interface Line {
  name: string;
  value: string;
  /** Has `# ` before it: the value is the default. */
  isDefault: boolean;
}

function linesOf(text: string): Line[] {
  return [...text.matchAll(SETTING)].map(([, hash, name = '', value = '']) => ({
    name,
    value,
    isDefault: hash !== undefined,
  }));
}

const lines = linesOf(EXAMPLE);
const ofService = lines.filter(({ name }) => !Object.hasOwn(OF_COMMANDS, name));
const production = loadConfig({ NODE_ENV: 'production', ...REQUIRED });

describe('.env.example', () => {
  it('names every setting of the service once, and nothing else', () => {
    expect(ofService.map(({ name }) => name).sort()).toEqual(Object.keys(production).sort());
  });

  it('shows the defaults of production', () => {
    const shown = ofService.filter(({ isDefault }) => isDefault);
    const defaults = shown.map(({ name }) => [name, String(production[name as keyof typeof production])]);
    expect(Object.fromEntries(shown.map(({ name, value }) => [name, value]))).toEqual(
      Object.fromEntries(defaults),
    );
  });

  it('leaves empty exactly what has to be filled in before a process starts', () => {
    const empty = ofService.filter(({ isDefault, value }) => !isDefault && value === '');
    expect(empty.map(({ name }) => name).sort()).toEqual(Object.keys(REQUIRED).sort());
    const given = ofService.filter(({ isDefault }) => !isDefault).map(({ name, value }) => [name, value]);
    expect(loadConfig({ ...Object.fromEntries(given), ...REQUIRED })).toEqual(production);
  });

  it.each(Object.entries(OF_COMMANDS))('names %s, which %s reads', (name, file) => {
    expect(lines.filter((line) => line.name === name)).toHaveLength(1);
    expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(new RegExp(`(env\\.|')${name}\\b`));
  });
});

/** The sources in one file, so that a process that boots does not have to translate them. */
const built = mkdtempSync(join(tmpdir(), 'market-config-'));
const CONFIG = join(built, 'config.cjs');
beforeAll(() => {
  const esbuild = join(ROOT, 'node_modules/esbuild/bin/esbuild');
  const args = [join(ROOT, 'src/config.ts'), '--bundle', '--platform=node', `--outfile=${CONFIG}`];
  const { status, stderr } = spawnSync(esbuild, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
});
afterAll(() => rmSync(built, { recursive: true }));

/** Output and exit code of a process that reads its settings in production. */
function boot(
  settings: Record<string, string>,
  nodeArguments: string[] = [],
  code = `require('${CONFIG}').loadConfig()`,
) {
  const { PATH = '' } = process.env;
  const env = { PATH, ...settings } as unknown as NodeJS.ProcessEnv;
  const args = [...nodeArguments, '-e', code];
  const result = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' });
  return { status: result.status, output: result.stdout + result.stderr };
}

describe('the settings', () => {
  it('end a process that lacks settings without a default in production, and name all of them', () => {
    const { status, output } = boot({});
    expect(status).toBe(1);
    // Settings that another setting makes necessary are named after all settings could be read.
    const needed = Object.keys(REQUIRED).filter((name) => !/^(PAYOUT|RAZORPAY)_/.test(name));
    for (const name of needed) expect(output).toContain(name);
  });

  it.each(Object.keys(REQUIRED))('end a process whose %s is empty', (name) => {
    const { status, output } = boot({ ...REQUIRED, [name]: ' ' });
    expect(status).toBe(1);
    expect(output).toContain(name);
  });

  it('end a process whose bank details or exchange rate settings are invalid, and name each of them', () => {
    const wrong = {
      PAYOUT_BIC: 'AAAAUS3',
      PAYOUT_ROUTING_NUMBER: '021000022',
      FX_SOURCE: 'imf',
      FX_MAX_CHANGE_PERCENT: '0',
    };
    const { status, output } = boot({ ...REQUIRED, ...wrong });
    expect(status).toBe(1);
    for (const name of Object.keys(wrong)) expect(output).toContain(name);
  });

  it.each(['http://market.example.com', 'market.example.com', 'http://127.0.0.1:4000'])(
    'refuse the public origin %s in production, because it has no https',
    (PUBLIC_ORIGIN) => {
      const start = () => loadConfig({ NODE_ENV: 'production', ...REQUIRED, PUBLIC_ORIGIN });
      expect(start).toThrow(`PUBLIC_ORIGIN is ${PUBLIC_ORIGIN}: sessions and tokens need https`);
    },
  );

  it('refuse in production to say on every page that everything is made up', () => {
    const env = { NODE_ENV: 'production', ...REQUIRED, DEMONSTRATION: 'true' };
    expect(() => loadConfig(env)).toThrow('DEMONSTRATION says on every page');
  });

  it('refuse allowed addresses in production unless EGRESS_ALLOW_IN_PRODUCTION confirms them', () => {
    const env = { NODE_ENV: 'production', ...REQUIRED, EGRESS_ALLOW: '10.0.0.0/8' };
    expect(() => loadConfig(env)).toThrow('EGRESS_ALLOW_IN_PRODUCTION=true');
    expect(loadConfig({ ...env, EGRESS_ALLOW_IN_PRODUCTION: 'true' }).EGRESS_ALLOW).toBe('10.0.0.0/8');
  });
});

describe('production', () => {
  const start = (settings: Record<string, string>) => () =>
    loadConfig({ NODE_ENV: 'production', ...REQUIRED, ...settings });
  const base64 = (bytes: Buffer) => bytes.toString('base64');

  it('starts with generated secrets', () => {
    for (let round = 0; round < 200; round += 1) {
      const key = () => `k:1=${base64(randomBytes(32))}`;
      const secrets = [randomBytes(32).toString('hex'), base64(randomBytes(24)), base64(randomBytes(48))];
      for (const SESSION_SECRET of secrets)
        expect(start({ SESSION_SECRET, MASTER_KEYS: `${key()},${key()}` })).not.toThrow();
    }
  });

  it.each([
    ['published', 'development-only-session-secret'],
    ['short', randomBytes(15).toString('hex')],
    ['one letter', 'x'.repeat(64)],
    ['a repeated word', 'correcthorse'.repeat(4)],
    ['a placeholder', `change-me-${randomBytes(32).toString('hex')}`],
    ['a phrase that says so', 'this-is-an-example-of-a-session-secret-123'],
  ])('refuses a SESSION_SECRET that is %s', (_what, SESSION_SECRET) => {
    expect(start({ SESSION_SECRET })).toThrow(/SESSION_SECRET is published or easy to guess/);
  });

  it.each([
    ['published', 'dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='],
    ['published, under another name', 'main:7=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='],
    ['zeros', `a:1=${base64(Buffer.alloc(32))}`],
    ['one byte', `a:1=${base64(Buffer.alloc(32, 0xa7))}`],
    ['a sequence', `a:1=${base64(Buffer.from(Array.from({ length: 32 }, (_one, at) => at * 7)))}`],
    ['a phrase', `a:1=${base64(Buffer.from('correct horse battery staple !!!'))}`],
    ['weak beside a good one', `${REQUIRED.MASTER_KEYS},old:1=${base64(Buffer.alloc(32, 1))}`],
  ])('refuses a master key that is %s', (_what, MASTER_KEYS) => {
    expect(start({ MASTER_KEYS })).toThrow(/MASTER_KEYS has a key that is published or easy to guess/);
  });

  it('refuses sandbox payments unless ALLOW_SANDBOX_PAYMENTS confirms them and payouts move no real money', () => {
    const sandbox = { PAYMENT_PROVIDER: 'sandbox', PAYOUT_SETTLEMENT: 'sandbox' };
    expect(start(sandbox)).toThrow('set ALLOW_SANDBOX_PAYMENTS=true as well');
    const allowed = { ...sandbox, ALLOW_SANDBOX_PAYMENTS: 'true' };
    expect(start(allowed)).not.toThrow();
    expect(start({ ...allowed, PAYOUT_SETTLEMENT: 'bank' })).toThrow(
      'pay real money for credits without money',
    );
    expect(start({ ...allowed, PAYOUT_USDC: 'true' })).toThrow('pay real USDC');
    expect(start({ ...allowed, PAYOUT_USDC: 'true', PAYOUT_USDC_NETWORK: 'eip155:84532' })).not.toThrow();
  });

  it.each([
    ['PAYOUT_ACCOUNT_NUMBER', '000000000'],
    ['PAYOUT_ACCOUNT_NUMBER', ''],
    ['PAYOUT_ACCOUNT_NUMBER', '1111111111'],
    ['PAYOUT_COMPANY_ID', '1000000000'],
    ['PAYOUT_BANK_NAME', 'Our Bank'],
    ['PAYOUT_BANK_NAME', 'change-me'],
    ['PAYOUT_BIC', 'AAAAUS33'],
    ['PAYOUT_BIC', ''],
    ['PAYOUT_ROUTING_NUMBER', ''],
  ])('refuses to write the placeholder %s=%s into files for a bank', (name, value) => {
    expect(start({ [name]: value })).toThrow(`${name} is a placeholder`);
    const sandbox = { PAYOUT_SETTLEMENT: 'sandbox', [name]: value };
    expect(start(sandbox)).not.toThrow();
  });

  it.each([
    ['RAZORPAY_KEY_SECRET', '…'],
    ['RAZORPAY_WEBHOOK_SECRETS', 'signed-by-razorpay,…'],
    ['STRIPE_WEBHOOK_SECRETS', '…'],
    ['STRIPE_WEBHOOK_SECRETS', 'whsec_…'],
    ['STRIPE_SECRET_KEY', 'xxxxxxxx'],
  ])('refuses the published value %s=%s, also if no payment goes to that provider', (name, value) => {
    expect(start({ [name]: value })).toThrow(`${name} is a placeholder`);
  });

  it('names at once every setting of the bank account and of the payment provider that nothing replaces', () => {
    const isOfMoney = (name: string) => /^(PAYOUT|RAZORPAY)_/.test(name);
    const rest = Object.fromEntries(Object.entries(REQUIRED).filter(([name]) => !isOfMoney(name)));
    const bare = () => loadConfig({ NODE_ENV: 'production', ...rest });
    for (const name of Object.keys(REQUIRED).filter(isOfMoney))
      expect(bare).toThrow(name.startsWith('PAYOUT_') ? `${name} is a placeholder` : `${name} is missing`);
    expect(start({ PAYMENT_PROVIDER: 'razorpay:INR,stripe' })).toThrow(
      'STRIPE_SECRET_KEY is missing, and PAYMENT_PROVIDER=razorpay:INR,stripe needs it',
    );
  });

  it.each([
    '127.0.0.1/32',
    '127.77.0.0/16',
    '127.0.0.0/8:8443',
    '0.0.0.0/0',
    '::1/128',
    '[::/0]:443',
    '::ffff:127.0.0.0/104',
    '10.0.0.0/8,127.0.0.1/32:9000-9100',
  ])('refuses allowed addresses of this machine, also if they are confirmed: %s', (EGRESS_ALLOW) => {
    const env = { EGRESS_ALLOW, EGRESS_ALLOW_IN_PRODUCTION: 'true' };
    expect(start(env)).toThrow(/EGRESS_ALLOW has .*, which contains addresses of this machine/);
  });

  it.each(['10.0.0.0/8', 'fd00:77::/32', '[fd00::/8]:443', '192.168.4.0/24:8443'])(
    'permits a confirmed private network: %s',
    (EGRESS_ALLOW) => {
      expect(start({ EGRESS_ALLOW, EGRESS_ALLOW_IN_PRODUCTION: 'true' })).not.toThrow();
    },
  );

  it.each([
    ['an argument', ['--inspect=127.0.0.1:0'], {}],
    ['NODE_OPTIONS', [], { NODE_OPTIONS: '--inspect=127.0.0.1:0' }],
  ])('refuses a debug port that %s opens', (_what, args, env) => {
    const { status, output } = boot({ ...REQUIRED, ...env }, args);
    expect(output).toContain('a debugger can attach to this process');
    expect(status).toBe(1);
  });

  it('opens no debug port for a signal', () => {
    const code = `require('${CONFIG}').loadConfig(); process.kill(process.pid, 'SIGUSR1');
      setTimeout(() => console.log('url: ' + require('node:inspector').url()), 300)`;
    const { status, output } = boot(REQUIRED, [], code);
    expect({ status, output }).toEqual({ status: 0, output: 'url: undefined\n' });
  });

  it('names every reason at once', () => {
    const open = {
      SESSION_SECRET: 'x',
      PAYMENT_PROVIDER: 'sandbox',
      EGRESS_ALLOW: '127.0.0.0/8',
      MAIL_URL: 'sandbox:',
    };
    for (const name of Object.keys(open)) expect(start(open)).toThrow(name);
  });
});

describe('a secret from a file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const fileOf = (content: string) => {
    const path = join(folder, `${Math.random()}`);
    writeFileSync(path, content);
    return path;
  };

  it.each(SECRET_SETTINGS.filter((name) => name !== 'MIGRATE_DATABASE_URL'))('is %s_FILE', (name) => {
    const values: Partial<Record<string, string>> = REQUIRED;
    const value = values[name] ?? 'a-value-from-a-file';
    const { [name]: _direct, ...rest } = values;
    const config = loadConfig({ NODE_ENV: 'production', ...rest, [`${name}_FILE`]: fileOf(`${value}\n`) });
    expect([config[name]].flat()).toEqual([value]);
  });

  it('is possible for every setting that is marked as a secret', () => {
    const secret = /(SECRET|SECRETS|KEY|KEYS|TOKEN|KEY_ID|DATABASE_URL)$/;
    const named = ofService
      .map(({ name }) => name)
      .filter((name) => secret.test(name) && !name.startsWith('RATE_'));
    expect(SECRET_SETTINGS).toEqual(expect.arrayContaining(named));
  });

  it.each([
    [
      'does not exist',
      () => '/nowhere/secret',
      'SESSION_SECRET_FILE: /nowhere/secret cannot be read (ENOENT)',
    ],
    ['is empty', () => fileOf('\n'), 'is empty'],
  ])('ends the process when the file %s', (_what, path, message) => {
    const { SESSION_SECRET: _direct, ...rest } = REQUIRED;
    expect(() => loadConfig({ ...rest, SESSION_SECRET_FILE: path() })).toThrow(message);
  });

  it('ends the process when the setting itself is there too', () => {
    const both = { ...REQUIRED, SESSION_SECRET_FILE: fileOf(REQUIRED.SESSION_SECRET) };
    expect(() => loadConfig(both)).toThrow('SESSION_SECRET and SESSION_SECRET_FILE are both set');
  });
});
