import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const PINNED = resolve(__dirname, '../../../tools/temporal-server');
/** Part of the server: it starts workers in other people's clouds, when it is told to. */
const WORKER_STARTER = 'go.temporal.io/auto-scaled-workers';
const PROVIDERS = 'wci/workflow/compute_provider';
/** Each registers itself, and brings its cloud's whole library: every fifth package, a quarter of the build. */
const CLOUD_PROVIDER = /^(aws|gcp|k8s)\w*\.go$/;

/**
 * A folder to build the server in: the modules pinned in tools/temporal-server, without the clouds that a server on
 * this machine starts no workers in. Go's own copies stay as they are.
 */
export async function layOutSources(env: NodeJS.ProcessEnv): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'temporal-server-'));
  try {
    cpSync(PINNED, folder, { recursive: true });
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', WORKER_STARTER], {
      cwd: folder,
      env,
    });
    const copy = join(folder, 'worker-starter');
    cpSync((JSON.parse(stdout) as { Dir: string }).Dir, copy, { recursive: true });
    const providers = join(copy, PROVIDERS);
    chmodSync(providers, 0o755);
    for (const name of readdirSync(providers)) {
      if (CLOUD_PROVIDER.test(name)) rmSync(join(providers, name));
    }
    appendFileSync(join(folder, 'go.mod'), `\nreplace ${WORKER_STARTER} => ./worker-starter\n`);
    return folder;
  } catch (cause) {
    removeSources(folder);
    throw new Error(`the server's sources could not be laid out: ${(cause as Error).message}`, { cause });
  }
}

/** Also what Go's read-only copies have left read-only. */
export function removeSources(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  rmSync(folder, { recursive: true, force: true });
}
