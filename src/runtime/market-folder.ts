import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names the schema that the cluster of a folder began with. A later baseline that cannot be migrated to takes a new
 * name.
 */
const BASELINE = 'detached';

/**
 * Claims a `.market` folder for this version: a folder without a cluster is marked with the schema that it begins with.
 * No other user may read it. Throws, before anything in the folder is touched, when its cluster began with another
 * schema.
 */
export function claimFolder(home: string): void {
  const marker = join(home, 'schema');
  const found = read(marker);
  if (found === BASELINE) return closeFolder(home);
  if (found !== undefined || lstatSync(join(home, 'postgres'), { throwIfNoEntry: false }))
    throw new Error(
      `the data in ${home} was made by another version of the service, which this version cannot migrate; nothing was ` +
        'changed. Remove the folder (with all its data) and start again, or set MARKET_HOME to another folder',
    );
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(marker, `${BASELINE}\n`);
  closeFolder(home);
}

/** Takes all rights to the folder, and to all that is in it, from other users. Postgres closes its data itself. */
function closeFolder(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'postgres') closeFolder(path);
    if (entry.isFile()) chmodSync(path, lstatSync(path).mode & 0o700);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
