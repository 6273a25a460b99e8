import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileAhead } from './ahead.mjs';
import { buildClients } from './clients.mjs';
import { hashFolders, recordCompiled } from '../../src/runtime/base/compiled.cjs';
import { withFileLock } from '../../src/runtime/base/file-lock.cjs';
import { runLogged } from './run.mjs';
import { COMPILER, hashSources, root } from './sources.mjs';
import { createTerminal } from '../../src/runtime/base/terminal.cjs';

/** Prepares what every command needs: the right Node, the packages, the compiled code. */
export { root };
const { fail, say, step } = createTerminal();
const logs = join(root, '.market/logs');
const FLOOR = [20, 19];
/**
 * Folders with files that the compiled code reads, and that the compiler leaves out: third-party data, and plain
 * scripts.
 */
const COPIED = ['verification/data', 'kit/crypto/data', 'runtime/base'];

export async function prepare() {
  checkNode();
  try {
    const onWait = (pid) =>
      say(`  … another start or test of this clone is preparing it (process ${pid}); waiting`);
    await withFileLock(join(root, '.market/prepare.lock'), onWait, async () => {
      if (isInstalled()) return build();
      const endAhead = compileAhead();
      await install().then(build).finally(endAhead);
    });
  } catch (error) {
    fail(error.message);
  }
}

export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > FLOOR[0] || (major === FLOOR[0] && minor >= FLOOR[1])) return;
  fail(`Node ${FLOOR.join('.')} or newer is needed; this is ${process.versions.node}`, 'https://nodejs.org');
}

async function install() {
  await step('packages', async (detail) => {
    const modules = join(root, 'node_modules');
    const count = () => (existsSync(modules) ? readdirSync(modules).length : 0);
    const timer = setInterval(() => detail(`npm ci, ${count()} folders so far,`), 900);
    detail('npm ci');
    try {
      await runLogged('npm', ['ci', '--no-audit', '--no-fund'], {
        cwd: root,
        logFile: join(logs, 'npm-ci.log'),
      });
    } finally {
      clearInterval(timer);
    }
    return 'installed';
  });
}

/** Compares package-lock.json with what npm wrote down about node_modules. */
function isInstalled() {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  try {
    const wanted = Object.entries(read('package-lock.json')).filter(
      ([path, entry]) => path && !entry.optional,
    );
    const present = read('node_modules/.package-lock.json');
    return wanted.every(([path, { version }]) => present[path]?.version === version);
  } catch {
    return false;
  }
}

/** Builds what has changed: the compiled code with the bundle of the workflows, and the console. */
export async function build() {
  // The command line and the console are checked against the types of the client, and the wheel is packed with its
  // modules.
  await step('clients', async (detail) => {
    const made = await buildClients(() => detail('writing the types of the API'));
    return made ? 'generated' : undefined;
  });
  await buildService();
  await buildConsole();
}

/** Compiles src to dist and bundles the workflows, when a source is not what the last build saw. */
async function buildService() {
  const stamp = join(root, 'dist/.sources');
  const sources = hashSources(
    ['src', 'packages/client', 'packages/cli', 'packages/python'],
    [
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'tools/lib/cli-package.mjs',
      'tools/lib/client-package.mjs',
      'tools/lib/python-package.mjs',
    ],
  );
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  await step('build', async (detail) => {
    detail('compiling');
    rmSync(stamp, { force: true });
    const compiled = hashFolders(root);
    await runLogged(process.execPath, [COMPILER, '-p', 'tsconfig.build.json'], {
      cwd: root,
      logFile: join(logs, 'build.log'),
    });
    const { buildClient, packClient } = await import('./client-package.mjs');
    await buildClient();
    detail('bundling the workflows');
    await runLogged(process.execPath, ['dist/workers/bundle.js'], {
      cwd: root,
      logFile: join(logs, 'bundle.log'),
    });
    detail('packing the command line and the clients');
    await packClient();
    const { packCli } = await import('./cli-package.mjs');
    await packCli();
    const { packPython } = await import('./python-package.mjs');
    await packPython();
    prune('');
    for (const folder of COPIED) {
      cpSync(join(root, 'src', folder), join(root, 'dist', folder), {
        recursive: true,
        filter: (path) => !/\.c?ts$/.test(path),
      });
    }
    recordCompiled(root, compiled);
    writeFileSync(stamp, sources);
    return 'compiled';
  });
}

/** Removes the compiled code of sources that are gone. */
function prune(folder) {
  for (const entry of readdirSync(join(root, 'dist', folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (path === 'docs' || path === 'console') continue;
    if (entry.isDirectory()) prune(path);
    else if (/\.js(\.map)?$/.test(path) && !path.endsWith('-bundle.js')) {
      const source = join(root, 'src', path.replace(/\.js(\.map)?$/, '.ts'));
      if (!existsSync(source)) rmSync(join(root, 'dist', path));
    }
  }
}

/** Builds the pages of the console into dist/console, when a source of theirs is not what the last build saw. */
async function buildConsole() {
  const stamp = join(root, 'dist/.console-sources');
  const sources = hashSources(['console'], ['package-lock.json']);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  await step('console', async (detail) => {
    detail('bundling the pages');
    rmSync(stamp, { force: true });
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    await runLogged(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
      cwd: join(root, 'console'),
      logFile: join(logs, 'console.log'),
      // A start inside a test has NODE_ENV=test, and React's development build is a third larger.
      env: { ...process.env, NODE_ENV: 'production' },
    });
    writeFileSync(stamp, sources);
    return 'built';
  });
}
