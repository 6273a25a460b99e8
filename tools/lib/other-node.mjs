import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runLogged } from './run.mjs';
import { root } from './sources.mjs';

/** The major versions of Node that the product runs on; the README says until when each is supported. */
export const MAJORS = ['20', '22', '24', '26'];

/**
 * Installs the newest release of a major version from npm's registry, if it is not there. Returns its path and version.
 */
export async function installNode(major) {
  const folder = join(root, '.market/node', major);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--no-save', '--ignore-scripts', '--prefix', folder, `${name}@${major}`];
  await runLogged('npm', args, { cwd: folder, logFile: join(root, '.market/logs', `node-${major}.log`) });
  const path = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  return { path, version };
}

/**
 * Copies the files of this clone, changed and new ones as they are, beside what an earlier run has installed and built.
 */
export function copyClone(major) {
  const clone = join(root, '.market/node', major, 'clone');
  const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' });
  if (!existsSync(clone)) git(root, 'clone', '--quiet', '--shared', '--no-checkout', root, clone);
  git(clone, 'fetch', '--quiet', root, git(root, 'rev-parse', 'HEAD').trim());
  git(clone, 'checkout', '--quiet', '--force', 'FETCH_HEAD');
  git(clone, 'clean', '--quiet', '-fd');
  const names = (...args) =>
    git(root, ...args, '-z')
      .split('\0')
      .filter(Boolean);
  const changed = [
    ...names('diff', '--name-only', 'HEAD'),
    ...names('ls-files', '--others', '--exclude-standard'),
  ];
  for (const name of changed) {
    rmSync(join(clone, name), { force: true });
    if (!existsSync(join(root, name))) continue;
    mkdirSync(dirname(join(clone, name)), { recursive: true });
    cpSync(join(root, name), join(clone, name));
  }
  return clone;
}

/**
 * A tenth of the files of test/integration, chosen by the hash of their text, so that each change of a file may choose
 * it.
 */
export function oneInTen(clone) {
  const folder = join(clone, 'test/integration');
  return readdirSync(folder, { recursive: true })
    .map((name) => join('test/integration', name))
    .filter((name) => name.endsWith('.test.ts') && isChosen(join(clone, name)))
    .sort();
}

const isChosen = (file) => createHash('sha256').update(readFileSync(file)).digest().readUInt32BE() % 10 === 0;
