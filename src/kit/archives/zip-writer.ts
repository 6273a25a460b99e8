/**
 * Writes a zip archive file after file, as a stream: no file is held in memory, and archives of more than 4 GiB or
 * 65,535 files are zip64.
 */
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZipSource {
  /** Path in the archive. */
  name: string;
  /** Called when it is the turn of the file. */
  content: () => AsyncIterable<Buffer | string>;
}

/**
 * The bytes of an archive of `sources`, in their order. `mtime`: the time of all files. Throws what the content of a
 * file throws.
 */
export async function* writeZip(
  sources: AsyncIterable<ZipSource> | Iterable<ZipSource>,
  mtime: Date,
): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  const adding = addAll(zip, sources, mtime).catch((error: Error) => output.destroy(error));
  for await (const bytes of output) yield bytes as Buffer;
  await adding;
}

/** Adds one file after the other: the next source is asked for when the file before is written. */
async function addAll(
  zip: ZipFile,
  sources: AsyncIterable<ZipSource> | Iterable<ZipSource>,
  mtime: Date,
): Promise<void> {
  for await (const { name, content } of sources) {
    const stream = Readable.from(content(), { objectMode: false });
    await new Promise<void>((resolve, reject) => {
      stream.once('end', resolve);
      stream.once('error', reject);
      zip.addReadStream(stream, name, { mtime });
    });
  }
  zip.end();
}
