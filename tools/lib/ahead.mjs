import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import {
  cachedTemporalBinary,
  PINNED,
  readTemporalBuild,
  temporalOnPath,
} from '../../src/runtime/base/temporal-places.cjs';

const REACH_MS = 4_000;
const LOW_PRIORITY = 10;

/**
 * Compiles the packages that the Temporal server is made of while npm installs, if the server will have to be built on
 * this machine (src/runtime/temporal/temporal-install.ts). The first start then waits for the longer of the two and not
 * for both. Go keeps the compiled packages in its cache. Returns a function that ends the compilation.
 */
export function compileAhead() {
  const ending = new AbortController();
  void compile(ending.signal).catch(() => undefined);
  return () => ending.abort();
}

async function compile(ended) {
  const { download, flags, env, ahead } = readTemporalBuild();
  if (isThere() || (await isReachable(download)) || ended.aborted) return;
  const child = spawn('go', ['build', ...flags, ...ahead], {
    cwd: PINNED,
    env: { ...env, ...process.env },
    stdio: 'ignore',
  });
  child.on('error', () => undefined);
  if (child.pid === undefined) return;
  // Like Ctrl-C: Go still keeps the packages that are being compiled at this moment.
  const end = () => child.kill('SIGINT');
  ended.addEventListener('abort', end);
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  setPriority(child.pid, LOW_PRIORITY);
}

/** True when a server needs no building, because it is named, cached or on PATH. */
function isThere() {
  const places = [cachedTemporalBinary(), ...temporalOnPath()];
  return Boolean(process.env.TEMPORAL_CLI_PATH) || places.some((place) => existsSync(place));
}

async function isReachable(url) {
  try {
    await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(REACH_MS) });
    return true;
  } catch {
    return false;
  }
}
