/**
 * `tools/import-table.cjs` is the only source of the import table. These tests compare it with the folders of `src`,
 * with the installed packages and with the text of ARCHITECTURE.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDERS, LAYERS, type LayerLine } from '../../tools/import-table.cjs';

const ROOT = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesOf = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );

describe.each(Object.entries(LAYERS))('the packages of %s', (layer, { packages, notPackages = [] }) => {
  const named = packages === 'all' ? notPackages : packages;
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };

  it('are dependencies of this project', () => {
    const installed = Object.keys(dependencies);
    const isInstalled = (name: string) => installed.some((one) => one === name || one.startsWith(`${name}/`));
    expect(named.filter((name) => !isInstalled(name))).toEqual([]);
  });

  it('are used, if they are allowed', () => {
    if (packages === 'all') return;
    const text = filesOf(`src/${layer}`).map((file) => read(`src/${layer}/${file}`)).join('\n'); // prettier-ignore
    expect(packages.filter((name) => !text.includes(`from '${name}`))).toEqual([]);
  });
});

it.each(Object.entries(FOLDERS))('names each folder and root file of %s', (layer, { order, base, top }) => {
  const files = filesOf(`src/${layer}`);
  const folderOf = (file: string) => file.slice(0, Math.max(file.lastIndexOf('/'), 0));
  const folders = new Set(files.map(folderOf).filter((folder) => folder !== ''));
  const atRoot = files.filter((file) => folderOf(file) === '').map((file) => file.slice(0, -'.ts'.length));
  expect([...folders].sort()).toEqual([...order].sort());
  expect(atRoot.sort()).toEqual([...base, ...top].sort());
});

describe('ARCHITECTURE.md', () => {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ') || 'none';
  const builtins = { none: 'none', local: 'all but network', any: 'all' };

  /** The cells of a layer's row in the section "Layers": layer, layers, types only, packages, built-in modules. */
  function cellsOf(layer: string, line: LayerLine): string[] {
    const types = [...(line.types ?? []), ...(line.wiringTypes ? ['config', 'logger'] : [])];
    const packages =
      line.packages === 'all' ? `all but ${code(line.notPackages ?? [])}` : code(line.packages);
    return [`\`${layer}\``, code(line.layers), code(types), packages, builtins[line.builtins]];
  }

  const lines = read('ARCHITECTURE.md').split('\n');
  const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim())); // prettier-ignore

  it.each(Object.entries(LAYERS))('has the row of %s', (layer, line) => {
    expect(rows).toContainEqual(cellsOf(layer, line));
  });

  it.each(Object.entries(FOLDERS))('names the order of the folders of %s', (layer, { order }) => {
    const text = lines.join(' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain(`- \`${layer}\`: ${order.map((folder) => `\`${folder}\``).join(' → ')}`);
  });
});
