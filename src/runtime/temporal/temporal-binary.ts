import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buildTemporal, downloadTemporal, type Say, TEMPORAL_SERVER_VERSION } from './temporal-install';
import { withFileLock } from '../file-lock';

const OLDEST = [1, 32];

/** Where a server that was built or downloaded once is kept for every clone of this user. */
export function cachedTemporalBinary(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'agent-marketplace', `temporal-${TEMPORAL_SERVER_VERSION}`);
}

/**
 * The path of a Temporal development server ≥ 1.32: the one that TEMPORAL_CLI_PATH names, the cached one, one on PATH,
 * the SDK's download, or one built with Go from tools/temporal-server (some minutes, once per machine).
 * @throws Error that says what was tried and what would help.
 */
export async function findTemporalBinary(say: Say, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const given = env['TEMPORAL_CLI_PATH'];
  if (given) {
    if (!isExecutable(given)) throw new Error(`TEMPORAL_CLI_PATH names ${given}, which cannot be run`);
    return given;
  }
  const ready = readyBinary(env);
  if (ready) return ready;
  const cached = cachedTemporalBinary(env);
  mkdirSync(dirname(cached), { recursive: true });
  const onWait = (pid: number) => say(`process ${pid} is getting the Temporal server; waiting for it`);
  return withFileLock(
    `${cached}.lock`,
    onWait,
    async () => readyBinary(env) ?? (await install(cached, say, env)),
  );
}

function readyBinary(env: NodeJS.ProcessEnv): string | undefined {
  const cached = cachedTemporalBinary(env);
  if (isExecutable(cached)) return cached;
  const onPath = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
  return onPath.find((path) => isExecutable(path) && isRecent(serverVersion(path)));
}

async function install(cached: string, say: Say, env: NodeJS.ProcessEnv): Promise<string> {
  const tried: string[] = [];
  for (const way of [downloadTemporal, buildTemporal]) {
    try {
      await way(cached, say, env);
      const version = serverVersion(cached);
      if (isRecent(version)) return cached;
      tried.push(`the server that was fetched is ${version ?? 'of an unknown version'}`);
    } catch (error) {
      tried.push((error as Error).message);
    }
  }
  throw new Error(
    `no Temporal server ${OLDEST.join('.')} or newer:\n${tried.map((line) => `    - ${line}`).join('\n')}\n` +
      '  Install the Temporal CLI, or Go 1.26, or set TEMPORAL_CLI_PATH to a server that you have.',
  );
}

/** The server's version that `temporal --version` reports, such as "1.32.0". */
export function serverVersion(binary: string): string | undefined {
  try {
    const text = execFileSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000, stdio: 'pipe' });
    return /Server (\d+\.\d+\.\d+)/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/** True when a version such as "1.32.0" is not older than what the service needs. */
export function isRecent(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return existsSync(path);
  } catch {
    return false;
  }
}
