import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { runLogged } from './run.mjs';
import { COMPILER } from './sources.mjs';

/**
 * The package `@agent-marketplace/client`: one module, the declarations of its types, and the two packages that it
 * needs, so that npm installs it without a registry. TypeScript reads declarations only: sources of a package would be
 * compiled with the options of its user.
 */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'packages/client');
const logs = join(root, '.market/logs');

/** Builds the module and its declarations in `packages/client/dist`. */
export async function buildClient() {
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  await build({
    entryPoints: [join(folder, 'src/index.ts')],
    outfile: join(dist, 'index.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    packages: 'external',
    sourcemap: true,
  });
  await runLogged(process.execPath, [COMPILER, '-p', join(folder, 'tsconfig.build.json')], {
    cwd: root,
    logFile: join(logs, 'client-types.log'),
  });
  cpSync(join(folder, 'src/api-types.d.ts'), join(dist, 'api-types.d.ts'));
}

/** Packs what `buildClient` built. Returns the path of the tarball, `agent-marketplace-client.tgz` in `downloads`. */
export async function packClient(downloads = join(root, 'dist/downloads')) {
  const draft = join(root, `.market/client-package-${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const published = { ...manifest, scripts: undefined, devDependencies: undefined };
    published.bundleDependencies = Object.keys(manifest.dependencies);
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
    for (const part of ['dist', 'README.md'])
      cpSync(join(folder, part), join(draft, part), { recursive: true });
    for (const name of published.bundleDependencies) bundle(name, draft);
    mkdirSync(downloads, { recursive: true });
    const args = ['pack', '--ignore-scripts', '--pack-destination', downloads, draft];
    await runLogged('npm', args, { cwd: root, logFile: join(logs, 'pack-client.log') });
    const tarball = join(downloads, 'agent-marketplace-client.tgz');
    renameSync(join(downloads, `agent-marketplace-client-${manifest.version}.tgz`), tarball);
    return tarball;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Copies a package, and what it needs, into the node_modules of the draft. */
function bundle(name, draft) {
  const source = join(root, 'node_modules', name);
  cpSync(source, join(draft, 'node_modules', name), { recursive: true });
  const { dependencies = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  for (const inner of Object.keys(dependencies)) bundle(inner, draft);
}
