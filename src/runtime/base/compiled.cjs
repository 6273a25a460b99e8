'use strict';

const { createHash } = require('node:crypto');
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** Says whether the compiled code in `dist` is of the sources in `src`. `npm run build` writes what it compiled. */
const RECORD = 'dist/.compiled.json';

/** Writes down the sources that were compiled just now. `hashes` is what `hashFolders` answered before. */
function recordCompiled(root, hashes) {
  writeFileSync(join(root, RECORD), JSON.stringify(hashes));
}

/** A hash of the sources of each folder in `src`, without those in folders below it, by the path of the folder. */
function hashFolders(root) {
  const hashes = {};
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.ts$/.test(entry.name) || entry.name.endsWith('.test.ts')) continue;
    const folder = entry.parentPath.slice(root.length + 1);
    const content = readFileSync(join(entry.parentPath, entry.name));
    (hashes[folder] ??= createHash('sha256')).update(`${entry.name} ${content.length} `).update(content);
  }
  return Object.fromEntries(Object.entries(hashes).map(([folder, hash]) => [folder, hash.digest('hex')]));
}

/** Throws if a source in one of the folders, or below it, is not the one that was compiled. */
function requireCompiled(root, folders = ['src']) {
  const record = join(root, RECORD);
  const compiled = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {};
  const now = hashFolders(root);
  const isNeeded = (folder) => folders.some((one) => folder === one || folder.startsWith(`${one}/`));
  const stale = [...new Set([...Object.keys(now), ...Object.keys(compiled)])]
    .filter(isNeeded)
    .filter((folder) => now[folder] !== compiled[folder]);
  if (stale.length === 0) return;
  throw new Error(
    `the compiled code is not of these sources: ${stale.sort().join(', ')}. Run: npm run build`,
  );
}

module.exports = { hashFolders, recordCompiled, requireCompiled };
