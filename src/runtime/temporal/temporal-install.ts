import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readTemporalBuild } from '../base/temporal-places.cjs';
import { runGo } from './go-command';
import { layOutSources, removeSources } from './temporal-sources';

/** Reports progress of the installation: once per stage, and regularly during a build. */
export type Say = (line: string) => void;

const ROOT = resolve(__dirname, '../../..');
const BUILD = readTemporalBuild();
export const TEMPORAL_SERVER_VERSION = BUILD.version;
const REACH_MS = 4_000;
const DOWNLOAD_MS = 180_000;
const SIGN_OF_LIFE_MS = 15_000;

/** Downloads the Temporal CLI through the SDK and stores it at `target`. Fails within 4 s when offline. */
export async function downloadTemporal(target: string, say: Say): Promise<void> {
  await fetch(BUILD.download, { method: 'HEAD', signal: AbortSignal.timeout(REACH_MS) }).catch(
    (cause: unknown) => {
      throw new Error(`${BUILD.download} cannot be reached`, { cause });
    },
  );
  say('downloading the Temporal server');
  const folder = mkdtempSync(join(tmpdir(), 'temporal-download-'));
  try {
    execFileSync(process.execPath, ['-e', DOWNLOAD_SCRIPT, folder], {
      cwd: ROOT,
      timeout: DOWNLOAD_MS,
      stdio: 'pipe',
      encoding: 'utf8',
    });
    const file = readdirSync(folder).find((name) => name.startsWith('temporal'));
    if (!file) throw new Error('the SDK did not download a server');
    putInPlace(join(folder, file), target);
  } catch (error) {
    throw new Error(`the download failed: ${(error as Error).message.split('\n')[0] ?? ''}`, {
      cause: error,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The SDK downloads the CLI only when it starts a server, so a separate process starts one and stops it. */
const DOWNLOAD_SCRIPT = `
  const { TestWorkflowEnvironment } = require('@temporalio/testing');
  TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir: process.argv[1] } },
  }).then((environment) => environment.teardown()).then(() => process.exit(0), (error) => {
    process.stderr.write(String(error.message));
    process.exit(1);
  });
`;

/**
 * Builds the server from tools/temporal-server with Go and stores it at `target`; or another package of these modules.
 */
export async function buildTemporal(
  target: string,
  say: Say,
  env: NodeJS.ProcessEnv,
  goPackage = BUILD.package,
): Promise<void> {
  try {
    execFileSync('go', ['version'], { stdio: 'pipe', env });
  } catch (cause) {
    throw new Error('Go is not installed, so the server cannot be built', { cause });
  }
  const draft = `${target}.${process.pid}.tmp`;
  const startedAt = Date.now();
  let compiled = 0;
  const report = () =>
    say(
      `building the Temporal server with Go, once per machine, about 4 minutes: ${compiled} packages, ` +
        `${Math.round((Date.now() - startedAt) / 1000)} s`,
    );
  report();
  const timer = setInterval(report, SIGN_OF_LIFE_MS);
  let sources: string | undefined;
  try {
    const logFile = `${target}.build.log`;
    sources = await layOutSources(env, logFile);
    await runGo(['build', '-v', ...BUILD.flags, '-ldflags=-s -w', '-o', draft, goPackage], {
      cwd: sources,
      env: { ...BUILD.env, ...env },
      logFile,
      onLines: (lines) => {
        compiled += lines;
      },
    });
    renameSync(draft, target);
  } catch (cause) {
    throw new Error(`the build with Go failed: ${(cause as Error).message}`, { cause });
  } finally {
    clearInterval(timer);
    if (sources) removeSources(sources);
    rmSync(draft, { force: true });
  }
}

function putInPlace(file: string, target: string): void {
  const draft = `${target}.${process.pid}.tmp`;
  copyFileSync(file, draft);
  chmodSync(draft, 0o755);
  renameSync(draft, target);
}
