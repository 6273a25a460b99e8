import { createHash } from 'node:crypto';
import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { packFolder, type PackedFolder } from '../packing/pack-folder';

const SETTLE_MS = 200;

/**
 * Calls `onChange` after the files that belong to an agent changed: those that would be packed, so not `node_modules`,
 * not what `.gitignore` names, and no logs. Calls never overlap. Returns a function that ends the watch.
 */
export async function watchFolder(folder: string, onChange: () => Promise<void>): Promise<() => void> {
  let watchers: FSWatcher[] = [];
  let known = digestOf(await packFolder(folder), folder);
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const look = () => {
    running = running.then(async () => {
      const packed = await packFolder(folder).catch(() => undefined);
      if (!packed) return;
      const found = digestOf(packed, folder);
      if (found === known) return;
      known = found;
      attach(packed);
      await onChange();
    });
  };
  const attach = ({ files }: PackedFolder) => {
    for (const watcher of watchers) watcher.close();
    const folders = new Set(files.map(({ path }) => dirname(path)));
    watchers = [...folders].map((path) =>
      watch(join(folder, path), () => {
        clearTimeout(timer);
        timer = setTimeout(look, SETTLE_MS);
      }),
    );
  };
  attach(await packFolder(folder));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** Logs do not count: the output of the command itself may go to a file of the folder. */
function digestOf({ files }: PackedFolder, folder: string): string {
  const hash = createHash('sha256');
  for (const { path } of files)
    if (!path.endsWith('.log')) hash.update(`${path}\0`).update(readFileSync(join(folder, path)));
  return hash.digest('hex');
}
