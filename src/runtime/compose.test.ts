import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { loadConfig, SETTINGS } from '../config';

/** docker-compose.yml cannot be run everywhere; what it names must exist all the same. */
const root = resolve(__dirname, '../..');
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  env_file?: { path: string; required: boolean }[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
}

const compose = parse(text, { merge: true }) as { services: Record<string, Service> };
const service = (name: string): Service => {
  const found = compose.services[name];
  if (!found) throw new Error(`no service ${name}`);
  return found;
};
const ours = ['api', 'worker', 'migrate'];
const example = readFileSync(join(root, 'docker/compose.env.example'), 'utf8');
/** Secrets of other services, which .env holds and the service does not get. */
const NOT_OURS = ['POSTGRES_PASSWORD', 'MARKET_OWNER_PASSWORD', 'TEMPORAL_DB_PASSWORD'];
/** Settings that the file itself fixes, and one that production refuses. */
const FIXED = ['NODE_ENV', 'HOST', 'PORT', 'METRICS_HOST', 'DATABASE_URL', 'LOCAL_AUTHORITY'];

/** Settings of an operator who pays developers by bank. */
const BANK: Record<string, string> = {
  PAYMENT_PROVIDER: 'razorpay',
  RAZORPAY_KEY_ID: 'rzp_live_ada',
  RAZORPAY_KEY_SECRET: 'kept-by-razorpay',
  RAZORPAY_WEBHOOK_SECRETS: 'signed-by-razorpay',
  PAYOUT_SETTLEMENT: 'bank',
  PAYOUT_COMPANY_NAME: 'Ada Agents Ltd',
  PAYOUT_COMPANY_ID: '1371234567',
  PAYOUT_BANK_NAME: 'First National',
  PAYOUT_ROUTING_NUMBER: '011401533',
  PAYOUT_ACCOUNT_NUMBER: '483920175566',
  PAYOUT_BIC: 'CHASUS33',
};
/** Settings of a trial without money. */
const TRIAL: Record<string, string> = {
  PAYMENT_PROVIDER: 'sandbox',
  ALLOW_SANDBOX_PAYMENTS: 'true',
  PAYOUT_SETTLEMENT: 'sandbox',
};

describe('docker-compose.yml', () => {
  it('starts commands that the build makes', () => {
    for (const name of ours) {
      const [node, script = ''] = service(name).command ?? [];
      expect(node).toBe('node');
      expect(existsSync(join(root, script.replace(/^dist/, 'src').replace(/\.js$/, '.ts')))).toBe(true);
    }
  });

  it.each([
    ['pays by bank', BANK],
    ['is only tried', TRIAL],
  ])(
    'sets only settings that the service has, and all that production needs where it %s',
    (_what, chosen) => {
      for (const name of ['api', 'worker']) {
        const environment = service(name).environment ?? {};
        const config: Record<string, unknown> = loadConfig(filled(environment, chosen));
        for (const key of Object.keys(environment))
          if (!NOT_OURS.includes(key)) expect(config).toHaveProperty(key);
        expect(config['NODE_ENV']).toBe('production');
      }
    },
  );

  it('names the settings of the bank account that are still placeholders, and has them in the example', () => {
    const { PAYMENT_PROVIDER, PAYOUT_SETTLEMENT } = BANK;
    const environment = filled(service('api').environment ?? {}, { PAYMENT_PROVIDER, PAYOUT_SETTLEMENT });
    expect(() => loadConfig(environment)).toThrow(/PAYOUT_ACCOUNT_NUMBER is a placeholder/);
    for (const name of Object.keys(BANK).filter((key) => /^PAYOUT_(?!SETTLEMENT)/.test(key)))
      expect(example).toMatch(new RegExp(`^# ${name}=`, 'm'));
  });

  it('passes every setting of .env to the API and the worker, and has a line for each in the example', () => {
    for (const name of ['api', 'worker'])
      expect(service(name).env_file).toEqual([{ path: '.env', required: false }]);
    const theirs = new Map(
      [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(
        ([, key, value]) => [key, value],
      ),
    );
    const values = [...text.matchAll(/\$\{(\w+):-([^}]*)\}/g)];
    const ofTheFile = new Map(values.map(([, key, value]) => [key, value]));
    const settings = Object.values(SETTINGS).flatMap((theme) => Object.keys(theme));
    for (const key of settings.filter((one) => !FIXED.includes(one))) {
      const lines = [...example.matchAll(new RegExp(`^(?:# )?${key}=(.*)$`, 'gm'))];
      const value = ofTheFile.get(key) ?? theirs.get(key);
      const [line = []] = lines;
      expect({ key, lines: lines.length, value: line[0]?.startsWith('#') ? line[1] : '' }).toEqual({
        ...{ key, lines: 1 },
        value: line[0]?.startsWith('#') ? value : '',
      });
    }
  });

  it('gives the service no secret of another one, although .env holds them', () => {
    for (const name of ['api', 'worker'])
      for (const secret of NOT_OURS) expect(service(name).environment).toHaveProperty(secret, '');
    expect(service('migrate').env_file).toEqual([]);
  });

  it('has an example that shows how to start it without a bank', () => {
    for (const [name, value] of Object.entries(TRIAL)) expect(example).toContain(`#   ${name}=${value}\n`);
  });

  it('gives the owner role to migrations alone', () => {
    expect(service('migrate').environment).toEqual({
      MIGRATE_DATABASE_URL: expect.stringContaining('postgres://market_owner:'),
    });
    for (const name of ['api', 'worker']) {
      expect(service(name).environment?.['DATABASE_URL']).toContain('postgres://market_app:');
      expect(JSON.stringify(service(name).environment)).not.toContain('market_owner:');
    }
  });

  it('waits for services that exist, and for jobs until they are done', () => {
    for (const { depends_on: needs = {} } of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(needs)) {
        const isJob = ['migrate', 'temporal-schema', 'temporal-namespace'].includes(name);
        expect(condition).toBe(isJob ? 'service_completed_successfully' : 'service_healthy');
        expect(compose.services).toHaveProperty(name);
      }
    }
  });

  it('names scripts that are there and that a shell can read', () => {
    const scripts = ['postgres-init.sh', 'temporal-schema.sh', 'temporal-namespace.sh'];
    for (const name of scripts) {
      expect(text).toContain(name);
      execFileSync('sh', ['-n', join(root, 'docker', name)]);
    }
  });

  it('documents every variable that has no default', () => {
    for (const [, name] of text.matchAll(/\$\{(\w+):\?/g))
      expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
  });

  it('has no default for a secret, for the payment provider or for what pays out', () => {
    const settings = [...text.matchAll(/^ {4}(\w+): (.*)$/gm)].filter(([, name = '']) =>
      /PASSWORD|SESSION_SECRET|MASTER_KEYS|PAYMENT_PROVIDER|PAYOUT_SETTLEMENT|MAIL_URL|PUBLIC_ORIGIN|DATABASE_URL/.test(
        name,
      ),
    );
    expect(settings.length).toBeGreaterThanOrEqual(7);
    for (const [line, , value = ''] of settings)
      expect({ line, chosen: value === "''" || /\$\{\w+:\?/.test(value) }).toEqual({ line, chosen: true });
    for (const [line, value] of example.matchAll(/^\w+=(.*)$/gm))
      expect({ line, value }).toEqual({ line, value: '' });
  });

  it('builds an image that does not run as root', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^USER node$/m);
    for (const [, paths = ''] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
      for (const path of paths.split(' ')) expect(existsSync(join(root, path))).toBe(true);
    }
  });
});

const CHOSEN: Partial<Record<string, string>> = {
  MASTER_KEYS: `a:1=${randomBytes(32).toString('base64')}`,
  PUBLIC_ORIGIN: 'https://market.example.com',
  MAIL_URL: 'smtps://market:secret@mail.example.com',
};

/** The values that a container would have, of .env and of the file; each setting without a default has a valid one. */
function filled(environment: Record<string, string>, chosen: Partial<Record<string, string>>) {
  const interpolate = (value: string) =>
    value.replace(
      /\$\{(\w+):([-?])([^}]*)\}/g,
      (_all, name: string, kind: string, rest: string) =>
        chosen[name] ?? (kind === '-' ? rest : (CHOSEN[name] ?? randomBytes(32).toString('hex'))),
    );
  const inserted = Object.entries(environment).map(([key, value]) => [key, interpolate(value)]);
  return { ...chosen, ...(Object.fromEntries(inserted) as Record<string, string>) };
}
