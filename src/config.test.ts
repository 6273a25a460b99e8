import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from './config';

const ROOT = join(__dirname, '..');
const EXAMPLE = readFileSync(join(ROOT, '.env.example'), 'utf8');
const SETTING = /^(# )?([A-Z][A-Z0-9_]+)=(.*)$/gm;

/** What has no default in production; `.env.example` leaves it empty, or says another value than the default. */
const REQUIRED = {
  DATABASE_URL: 'postgres://market_app@127.0.0.1/market',
  SESSION_SECRET: 'a secret',
  MASTER_KEYS: 'main:1=key',
};

/** Settings of commands, with the file that reads each. */
const OF_COMMANDS = {
  MIGRATE_DATABASE_URL: 'src/runtime/migrate-command.ts',
  MARKET_HOME: 'src/runtime/settings.ts',
  TEMPORAL_PORT: 'src/runtime/settings.ts',
  TEMPORAL_UI_PORT: 'src/runtime/settings.ts',
  POSTGRES_PORT: 'src/runtime/settings.ts',
  TEMPORAL_CLI_PATH: 'src/runtime/temporal/temporal-binary.ts',
  XDG_CACHE_HOME: 'tools/lib/temporal-places.cjs',
  KEEP_TEST_STACK: 'test/support/stack.ts',
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
const production = loadConfig({
  NODE_ENV: 'production',
  PAYMENT_PROVIDER: 'sandbox',
  PAYOUT_SETTLEMENT: 'sandbox',
  ...REQUIRED,
});

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

/** What a process says and ends with that reads its settings in production. */
function boot(settings: Record<string, string>) {
  const { PATH = '' } = process.env;
  const env = { PATH, PAYMENT_PROVIDER: 'sandbox', ...settings } as unknown as NodeJS.ProcessEnv;
  const args = ['--import', 'tsx', '-e', `require('./src/config').loadConfig()`];
  const result = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' });
  return { status: result.status, output: result.stdout + result.stderr };
}

describe('the settings', () => {
  it('end a process that lacks what has no default in production, and name all of it', () => {
    const { status, output } = boot({});
    expect(status).toBe(1);
    for (const name of Object.keys(REQUIRED)) expect(output).toContain(name);
  });

  it.each(Object.keys(REQUIRED))('end a process whose %s is empty', (name) => {
    const { status, output } = boot({ ...REQUIRED, [name]: ' ' });
    expect(status).toBe(1);
    expect(output).toContain(name);
  });

  it('end a process that would write files no bank reads, or believe any rate of exchange', () => {
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

  it('refuse an open egress in production unless it is asked for twice', () => {
    const env = {
      NODE_ENV: 'production',
      PAYMENT_PROVIDER: 'sandbox',
      ...REQUIRED,
      EGRESS_ALLOW: '10.0.0.0/8',
    };
    expect(() => loadConfig(env)).toThrow('EGRESS_ALLOW_IN_PRODUCTION=true');
    expect(loadConfig({ ...env, EGRESS_ALLOW_IN_PRODUCTION: 'true' }).EGRESS_ALLOW).toBe('10.0.0.0/8');
  });
});
