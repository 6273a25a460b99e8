import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The origin in the commands of the pages, which is that of `npm start`. */
const WRITTEN = 'http://127.0.0.1:4000';
/** Pages about settings and formats, whose values are no commands. Their scripts are named after them. */
const REFERENCE = /^(assets[\\/])?reference[\\/_]/;

/**
 * The files of the built site that name the origin of `npm start`, by their path below `folder`, with `origin` in its
 * place: a reader can run the commands as they stand. Empty if it is the same origin. The pages of the reference stay
 * as they are.
 */
export function filesWithOrigin(folder: string, origin: string): ReadonlyMap<string, string> {
  if (origin === WRITTEN) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter((name) => /\.(html|js|md|txt)$/.test(name) && !REFERENCE.test(name))
      .map((name) => [name.split(path.sep).join('/'), readFileSync(path.join(folder, name), 'utf8')] as const)
      .filter(([, text]) => text.includes(WRITTEN))
      .map(([name, text]) => [name, text.replaceAll(WRITTEN, origin)]),
  );
}
