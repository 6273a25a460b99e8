/**
 * Reads zip archives of many small files, one entry at a time, including zip64 (more than 65,535 entries). Nothing is
 * written to disk.
 */
import { buffer } from 'node:stream/consumers';
import { type Entry, openPromise, type ZipFile } from 'yauzl';

export interface ZipOptions {
  isWanted(name: string): boolean;
  /** The content of a larger file is null. */
  maxBytes: number;
}

export interface ZipEntry {
  name: string;
  /** Null when the file is too large, encrypted, damaged, or compressed with a method other than deflate. */
  bytes: Buffer | null;
}

/** The wanted files in the order of the archive's directory. Throws when the file is not a zip archive. */
export async function* readZip(path: string, options: ZipOptions): AsyncGenerator<ZipEntry> {
  const zip = await openPromise(path, { decodeStrings: false, autoClose: false }).catch(refuse);
  try {
    for await (const entry of entriesOf(zip)) {
      // Names select files and appear in messages; they are never used as paths.
      const name = entry.fileNameRaw.toString('utf8');
      if (options.isWanted(name)) yield { name, bytes: await readEntry(zip, entry, options.maxBytes) };
    }
  } finally {
    zip.close();
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    refuse(error);
  }
}

async function readEntry(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer | null> {
  if (!entry.canDecodeFileData()) return null;
  // The stream fails when a file unpacks to another size than its entry states, so this limits memory too.
  if (entry.compressedSize > maxBytes || entry.uncompressedSize > maxBytes) return null;
  try {
    return await buffer(await zip.openReadStreamPromise(entry));
  } catch {
    return null;
  }
}

/** Errors of the file system keep their code and message. */
function refuse(error: unknown): never {
  if (typeof (error as NodeJS.ErrnoException).code === 'string') throw error;
  throw new Error('is not a zip archive', { cause: error });
}
