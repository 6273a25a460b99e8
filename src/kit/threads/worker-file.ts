import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

/** Path of a compiled worker: in the folder of the caller, or in dist when the caller runs from source. */
export function workerFile(folder: string, name: string): string {
  const beside = join(folder, name);
  return existsSync(beside) ? beside : join(ROOT, 'dist', relative(join(ROOT, 'src'), folder), name);
}
