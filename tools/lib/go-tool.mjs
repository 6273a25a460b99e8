import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFileLock } from '../../src/runtime/base/file-lock.cjs';
import { runLogged } from './run.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * Builds the Go program in tools/<name>, once for each of its versions and machine, about half a minute. Returns its
 * path, or undefined when Go is not installed. Throws `Error` with the output of Go when the build fails.
 */
export async function buildGoTool(name) {
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).error) return undefined;
  const sources = join(root, 'tools', name);
  const hash = createHash('sha256');
  for (const file of readdirSync(sources).sort()) hash.update(file).update(readFileSync(join(sources, file)));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const binary = join(cache, 'agent-marketplace', `${name}-${hash.digest('hex').slice(0, 16)}`);
  mkdirSync(dirname(binary), { recursive: true });
  // Standard output is for what the caller prints.
  const onWait = (pid) => console.error(`process ${pid} is building tools/${name}; waiting for it`);
  await withFileLock(`${binary}.lock`, onWait, async () => {
    if (existsSync(binary)) return;
    const draft = `${binary}.${process.pid}.tmp`;
    await runLogged('go', ['build', '-buildvcs=false', '-mod=readonly', '-o', draft, '.'], {
      cwd: sources,
      env: { CGO_ENABLED: '0', ...process.env },
      logFile: join(root, `.market/logs/${name}.log`),
    });
    renameSync(draft, binary);
  });
  return binary;
}
