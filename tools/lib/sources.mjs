import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the clone. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * The compiler of the build and of `npm run typecheck`. The linter and tools use the API of `typescript` (ADR 0237).
 */
export const COMPILER = join(root, 'node_modules/typescript-7/bin/tsc');

/**
 * Returns a hash of all sources in the folders, and of the files. Tests are no sources. Throws if a file is missing.
 */
export function hashSources(folders, files) {
  const hash = createHash('sha256');
  const add = (path) => hash.update(`${path} ${readFileSync(join(root, path))}\0`);
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (['node_modules', 'dist', '__pycache__'].includes(entry.name)) continue;
      if (entry.isDirectory()) walk(path);
      else if (!entry.name.endsWith('.test.ts')) add(path);
    }
  };
  folders.forEach(walk);
  files.forEach(add);
  return hash.digest('hex');
}
