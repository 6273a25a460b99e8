import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { withFileLock } from '../../src/runtime/base/file-lock.cjs';
import { cachedTemporalBinary, readTemporalBuild } from '../../src/runtime/base/temporal-places.cjs';
import { buildTemporal, type Say } from '../../src/runtime/temporal/temporal-install';
import type { ClusterPrograms } from './layout';

const APT = '/usr/bin/apt-get';
const INSTALL_MS = 180_000;
/** From this version on, PgBouncer keeps prepared statements between transactions. */
const PREPARES = [1, 21] as const;

/**
 * Finds the programs of the cluster: Temporal's server and its SQL tool are built with Go from tools/temporal-server,
 * once per machine; PgBouncer and HAProxy are those of PATH, or Debian's, which root installs. Throws `Error` with what
 * to do.
 */
export async function findPrograms(say: Say, env: NodeJS.ProcessEnv = process.env): Promise<ClusterPrograms> {
  const temporalServer = await findTemporalPart('server', say, env);
  const temporalSqlTool = await findTemporalPart('sql-tool', say, env);
  const pgbouncer = findOrInstall('pgbouncer', say, env);
  const haproxy = findOrInstall('haproxy', say, env);
  const version = poolerVersion(execFileSync(pgbouncer, ['--version'], { encoding: 'utf8' }));
  return { temporalServer, temporalSqlTool, pgbouncer, haproxy, poolerPrepares: keepsStatements(version) };
}

/** Finds a program of Temporal's own images in the cache, or builds it with Go. Returns its path. */
export async function findTemporalPart(
  part: 'server' | 'sql-tool',
  say: Say,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const cached = cachedTemporalBinary(env, part);
  if (existsSync(cached)) return cached;
  mkdirSync(dirname(cached), { recursive: true });
  const onWait = (pid: number) => say(`process ${pid} is building Temporal's ${part}; waiting for it`);
  await withFileLock(`${cached}.lock`, onWait, async () => {
    if (!existsSync(cached)) await buildTemporal(cached, say, env, readTemporalBuild().services[part]);
  });
  return cached;
}

function findOrInstall(name: string, say: Say, env: NodeJS.ProcessEnv): string {
  const found = onPath(name, env);
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync(APT)) {
    say(`installing Debian's ${name}`);
    const options = { timeout: INSTALL_MS, env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } };
    const install = () =>
      spawnSync(APT, ['install', '--no-install-recommends', '-y', name], { stdio: 'ignore', ...options });
    if (install().status !== 0 && spawnSync(APT, ['update'], { stdio: 'ignore', ...options }).status === 0)
      install();
  }
  const installed = onPath(name, env);
  if (!installed) throw new Error(`${name} was not found: install it (on Debian: apt-get install ${name})`);
  return installed;
}

function onPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Reads the version from what `pgbouncer --version` prints, such as "PgBouncer 1.18.0". Throws for other texts. */
export function poolerVersion(text: string): readonly [number, number] {
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(text) ?? [];
  if (!major || !minor) throw new Error(`the pooler reports no version: ${text.slice(0, 80)}`);
  return [Number(major), Number(minor)];
}

/** Returns true for versions that keep prepared statements between transactions. */
export function keepsStatements([major, minor]: readonly [number, number]): boolean {
  return major > PREPARES[0] || (major === PREPARES[0] && minor >= PREPARES[1]);
}
