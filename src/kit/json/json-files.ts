/** Reads the JSON files of a directory tree or a zip archive. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readZip } from '../archives/zip';

const MAX_BYTES = 4 * 1024 * 1024;

export interface JsonFile {
  name: string;
  /** The parsed content; undefined when the file is too large or not JSON. */
  value: unknown;
}

/**
 * Yields the JSON files at `path` in no particular order, reading each file on demand. Symbolic links are not
 * followed. Throws when the path is neither a directory, a JSON file nor a zip archive.
 */
export async function* readJsonFiles(path: string): AsyncGenerator<JsonFile> {
  const found = await stat(path);
  if (found.isDirectory()) yield* readTree(path);
  else if (path.toLowerCase().endsWith('.json')) yield { name: path, value: await readOne(path) };
  else {
    for await (const { name, bytes } of readZip(path, { isWanted: isJson, maxBytes: MAX_BYTES }))
      yield { name, value: bytes === null ? undefined : parse(bytes) };
  }
}

async function* readTree(directory: string): AsyncGenerator<JsonFile> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* readTree(path);
    else if (entry.isFile() && isJson(entry.name)) yield { name: path, value: await readOne(path) };
    else if (entry.isFile() && entry.name.toLowerCase().endsWith('.zip')) yield* readJsonFiles(path);
  }
}

function isJson(name: string): boolean {
  return name.toLowerCase().endsWith('.json');
}

async function readOne(path: string): Promise<unknown> {
  const { size } = await stat(path);
  return size > MAX_BYTES ? undefined : parse(await readFile(path));
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
