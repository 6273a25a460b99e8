import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';

const REACH_MS = 4_000;
const LOW_PRIORITY = 10;

/**
 * While npm installs, Go compiles what the Temporal server is made of, where it will have to be built
 * (src/runtime/temporal/temporal-install.ts): a first start waits for one of the two and not for both. What is compiled stays in
 * Go's cache; how the server is found and built is not decided here. Returns what ends it.
 */
export function compileAhead(root) {
  const ending = new AbortController();
  void compile(join(root, 'tools/temporal-server'), ending.signal).catch(() => undefined);
  return () => ending.abort();
}

async function compile(folder, ended) {
  const { version, download, flags, env, ahead } = JSON.parse(
    readFileSync(join(folder, 'build.json'), 'utf8'),
  );
  if (isThere(version) || (await isReachable(download)) || ended.aborted) return;
  const child = spawn('go', ['build', ...flags, ...ahead], {
    cwd: folder,
    env: { ...env, ...process.env },
    stdio: 'ignore',
  });
  child.on('error', () => undefined);
  if (child.pid === undefined) return;
  // As Ctrl-C does: what is being compiled at this moment is still kept.
  const end = () => child.kill('SIGINT');
  ended.addEventListener('abort', end);
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  setPriority(child.pid, LOW_PRIORITY);
}

/** A server that needs no building: named, cached, or on PATH. */
function isThere(version) {
  const { TEMPORAL_CLI_PATH, XDG_CACHE_HOME, PATH = '' } = process.env;
  const cached = join(
    XDG_CACHE_HOME || join(homedir(), '.cache'),
    'agent-marketplace',
    `temporal-${version}`,
  );
  const places = [cached, ...PATH.split(delimiter).map((place) => join(place, 'temporal'))];
  return Boolean(TEMPORAL_CLI_PATH) || places.some((place) => existsSync(place));
}

async function isReachable(url) {
  try {
    await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(REACH_MS) });
    return true;
  } catch {
    return false;
  }
}
