import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names the schema that the cluster of a folder began with. A later baseline that cannot be migrated to takes a new name. */
const BASELINE = 'months';

/**
 * Claims a `.market` folder for this version: a folder without a cluster is marked with the schema that it begins with.
 * Throws, before anything in the folder is touched, when its cluster began with another schema.
 */
export function claimFolder(home: string): void {
  const marker = join(home, 'schema');
  const found = read(marker);
  if (found === BASELINE) return;
  if (found !== undefined || lstatSync(join(home, 'postgres'), { throwIfNoEntry: false }))
    throw new Error(
      `the data in ${home} was made by another version of the service, which this version cannot migrate; nothing was ` +
        'changed. Remove the folder (with all its data) and start again, or set MARKET_HOME to another folder',
    );
  mkdirSync(home, { recursive: true, mode: 0o711 });
  writeFileSync(marker, `${BASELINE}\n`);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
