import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that would call other servers by themselves, past src/egress. */
const REFUSED = ['axios', 'got', 'node-fetch', 'request', 'razorpay'];

const ROOT = join(__dirname, '../..');

it('contains no HTTP client but undici', () => {
  const text = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, { dev?: boolean }> };
  const installed = Object.entries(packages)
    .filter(([, { dev }]) => !dev)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(installed).toContain('undici');
  expect(installed.filter((name) => REFUSED.includes(name))).toEqual([]);
});

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; hasInstallScript?: boolean; link?: boolean }>;
  };
  const { allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    allowScripts: Record<string, boolean>;
  };
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

  it('has the hash of every package, also of those for other platforms', () => {
    const entries = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link, // The workspaces are not downloaded.
    );
    expect(entries.length).toBeGreaterThan(500);
    const without = entries.filter(
      ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
    );
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it('contains no install script that package.json neither allows nor denies', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const undecided = scripted.map(([path]) => nameOf(path)).filter((name) => !(name in allowScripts));
    expect(undecided).toEqual([]);
  });

  it('lets the image run only install scripts that the Dockerfile names and package.json allows', () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    const commands =
      dockerfile.replaceAll(/^#.*$/gm, '').match(/npm (ci|install|i|prune|rebuild)\b[^&\n]*/g) ?? [];
    expect(commands.length).toBeGreaterThanOrEqual(2);
    for (const command of commands) {
      const [, verb = '', ...words] = command.trim().split(/\s+/);
      const names = words.filter((word) => !word.startsWith('-'));
      if (verb !== 'rebuild') expect(command).toContain('--ignore-scripts');
      else expect(names.map((name) => allowScripts[name])).toEqual(names.map(() => true));
      if (verb === 'rebuild') expect(names.length).toBeGreaterThan(0);
    }
  });
});

describe("the Temporal server's modules", () => {
  const read = (file: string) => readFileSync(join(ROOT, 'tools/temporal-server', file), 'utf8');

  /** Go refuses to build a module whose sum is missing; a module cache of earlier builds does not change that. */
  it('have a sum in go.sum for each version that go.mod pins', () => {
    const sums = new Set(
      read('go.sum')
        .split('\n')
        .map((line) => line.split(' ').slice(0, 2).join(' ')),
    );
    const modules = read('go.mod');
    const replaced = new Map(
      [...modules.matchAll(/^replace (\S+) => (\S+ \S+)$/gm)].map(([, name = '', by = '']) => [name, by]),
    );
    const pinned = [...modules.matchAll(/^\t(\S+) (v\S+)/gm)].map(
      ([, name = '', version = '']) => replaced.get(name) ?? `${name} ${version}`,
    );
    expect(pinned.length).toBeGreaterThan(200);
    expect(pinned.filter((module) => !sums.has(module) || !sums.has(`${module}/go.mod`))).toEqual([]);
  });
});
