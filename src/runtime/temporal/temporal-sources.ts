import { appendFileSync, chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PINNED } from '../base/temporal-places.cjs';
import { runGo } from './go-command';

/** Part of the server that starts workers in cloud environments on request. */
const WORKER_STARTER = 'go.temporal.io/auto-scaled-workers';
const PROVIDERS = 'wci/workflow/compute_provider';
/**
 * Each provider file registers itself and imports its cloud's whole SDK: a fifth of all packages, a quarter of the
 * build.
 */
const CLOUD_PROVIDER = /^(aws|gcp|k8s)\w*\.go$/;

/**
 * Creates a folder to build the server in: the modules pinned in tools/temporal-server, without the cloud providers,
 * which a local server does not need. Go's module cache is not modified.
 */
export async function layOutSources(env: NodeJS.ProcessEnv, logFile: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'temporal-server-'));
  try {
    cpSync(PINNED, folder, { recursive: true });
    const module = await runGo(['mod', 'download', '-json', WORKER_STARTER], { cwd: folder, env, logFile });
    const copy = join(folder, 'worker-starter');
    cpSync((JSON.parse(module) as { Dir: string }).Dir, copy, { recursive: true });
    const providers = join(copy, PROVIDERS);
    chmodSync(providers, 0o755);
    for (const name of readdirSync(providers)) {
      if (CLOUD_PROVIDER.test(name)) rmSync(join(providers, name));
    }
    appendFileSync(join(folder, 'go.mod'), `\nreplace ${WORKER_STARTER} => ./worker-starter\n`);
    return folder;
  } catch (error) {
    removeSources(folder);
    throw error;
  }
}

/** Removes the folder, including the directories that Go's read-only copies made read-only. */
export function removeSources(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  rmSync(folder, { recursive: true, force: true });
}
