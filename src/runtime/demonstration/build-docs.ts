import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Terminal } from '../base/terminal.cjs';

/**
 * Builds the documentation site that the API serves at `/docs`, when a page has changed since the last build. Runs
 * beside the stack with a low priority, because nothing waits for it. A failure is shown and stops nothing.
 */
export function buildDocs(root: string, terminal: Terminal): void {
  const child = execFile(process.execPath, [join(root, 'tools/docs.mjs')], { cwd: root }, (error) => {
    if (error && !error.signal) terminal.notice(`the documentation was not built: ${error.message}`);
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
}
