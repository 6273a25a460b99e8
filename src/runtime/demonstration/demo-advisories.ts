import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serviceEnvironment } from '../environment';
import { withClient } from '../postgres/database';
import { urlsOf, type Stack } from '../stack';

/** An ecosystem whose advisories were imported, and until when they reach. */
export interface AdvisorySet {
  ecosystem: string;
  /** `2026-11-20` */
  date: string;
  /** True for the snapshot of the demonstration, which knows a few packages. */
  isSnapshot: boolean;
}

/** Name of the folder with the snapshot, which is what the database keeps as the source. */
const SNAPSHOT = 'npm';
const FOLDER = 'examples/advisories';

/** Imports the snapshot of advisories, unless there are any or a source of them is set. */
export async function ensureAdvisories(stack: Stack): Promise<void> {
  const { root, home } = stack.settings;
  const env = serviceEnvironment({ ...stack, home });
  if (env['OSV_DIR'] || (env['ADVISORY_SOURCE'] ?? 'off') !== 'off') return;
  if ((await readAdvisorySets(stack)).length > 0) return;
  const command = [join(root, 'dist/cli/market.js'), 'advisories', 'import', '--complete'];
  const reason = ['--reason', 'The snapshot of the demonstration'];
  await promisify(execFile)(process.execPath, [...command, join(root, FOLDER, SNAPSHOT), ...reason], {
    cwd: root,
    env,
  });
}

export function readAdvisorySets(stack: Stack): Promise<AdvisorySet[]> {
  return withClient(urlsOf(stack).postgresApp, async (client) => {
    const { rows } = await client.query<AdvisorySet>(
      `SELECT ecosystem, to_char(data_date AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, source = $1 AS "isSnapshot"
       FROM advisory_sets ORDER BY ecosystem`,
      [SNAPSHOT],
    );
    return rows;
  });
}
