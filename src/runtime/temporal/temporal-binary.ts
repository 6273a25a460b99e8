import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { withFileLock } from '../base/file-lock.cjs';
import { cachedTemporalBinary, temporalOnPath } from '../base/temporal-places.cjs';
import { buildTemporal, downloadTemporal, type Say } from './temporal-install';

const OLDEST = [1, 32];

/**
 * Finds a Temporal development server, version 1.32 or later, and returns its path. Tried in order: TEMPORAL_CLI_PATH,
 * the cached binary, PATH, a download by the SDK, a build with Go from tools/temporal-server (some minutes, once per
 * machine). Throws `Error` with what was tried and how to proceed.
 */
export async function findTemporalBinary(say: Say, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const given = env['TEMPORAL_CLI_PATH'];
  if (given) {
    if (!isExecutable(given))
      throw new Error(`TEMPORAL_CLI_PATH is ${given}, which is not an executable file`);
    return given;
  }
  const ready = readyBinary(env);
  if (ready) return ready;
  const cached = cachedTemporalBinary(env);
  mkdirSync(dirname(cached), { recursive: true });
  const onWait = (pid: number) => say(`process ${pid} is installing the Temporal server; waiting for it`);
  return withFileLock(
    `${cached}.lock`,
    onWait,
    async () => readyBinary(env) ?? (await install(cached, say, env)),
  );
}

function readyBinary(env: NodeJS.ProcessEnv): string | undefined {
  const cached = cachedTemporalBinary(env);
  if (isExecutable(cached)) return cached;
  return temporalOnPath(env).find((path) => isExecutable(path) && isRecent(serverVersion(path)));
}

async function install(cached: string, say: Say, env: NodeJS.ProcessEnv): Promise<string> {
  const tried: string[] = [];
  for (const way of [downloadTemporal, buildTemporal]) {
    try {
      await way(cached, say, env);
      const version = serverVersion(cached);
      if (isRecent(version)) return cached;
      tried.push(`the installed server has version ${version ?? 'unknown'}`);
    } catch (error) {
      tried.push((error as Error).message);
    }
  }
  throw new Error(
    `no Temporal server ${OLDEST.join('.')} or newer was found:\n${tried.map((line) => `    - ${line}`).join('\n')}\n` +
      '  Install the Temporal CLI or Go 1.26.8, or set TEMPORAL_CLI_PATH to a server binary.',
  );
}

/** Returns the server version that `temporal --version` reports, such as "1.32.0"; undefined if it reports none. */
export function serverVersion(binary: string): string | undefined {
  try {
    const text = execFileSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000, stdio: 'pipe' });
    return /Server (\d+\.\d+\.\d+)/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/** Returns true when a version such as "1.32.0" is recent enough for the service. */
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
