import { execFile } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Supervisor } from './supervisor';
import type { Terminal } from '../base/terminal.cjs';

const QUIET_MS = 300;

/** `npm run dev`: compiles the sources when one changes, then restarts the API and the worker. */
export function watchSources(root: string, supervisor: Supervisor, terminal: Terminal): void {
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  watch(join(root, 'src'), { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.ts') || file.endsWith('.test.ts')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(() => rebuild(root, supervisor, terminal));
    }, QUIET_MS);
  });
  terminal.say('  Watching src. Changes restart the API and the worker.\n');
}

async function rebuild(root: string, supervisor: Supervisor, terminal: Terminal): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [join(root, 'tools/build.mjs')], { cwd: root });
    await Promise.all(['api', 'worker'].map((name) => supervisor.restart(name)));
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    terminal.notice(
      `the build failed; the API and the worker were not restarted\n${stdout ?? ''}${stderr ?? (error as Error).message}`,
    );
  }
}
