/**
 * Reads zip archives of many small files, one entry at a time, including zip64 (more than 65,535 entries). Nothing is
 * written to disk.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw, inflateRawSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';

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

/** The archive is read in pieces of this size, because entries mostly follow one another. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** A stream for each of 200,000 files takes longer than everything else, so small files are unpacked at once. */
const SMALL_BYTES = 128 * 1024;
const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const STORED = 0;

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** The wanted files in the order of the archive's directory. Throws when the file is not a zip archive. */
export async function* readZip(path: string, given: ZipOptions): AsyncGenerator<ZipEntry> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const options = { decodeStrings: false, autoClose: false };
    const zip = await fromRandomAccessReaderPromise(new WindowReader(file), size, options).catch(refuse);
    const readAt = createWindow(file);
    for await (const entry of entriesOf(zip)) {
      // Names select files and appear in messages; they are never used as paths.
      const name = entry.fileNameRaw.toString('utf8');
      if (given.isWanted(name)) yield { name, bytes: await readEntry(readAt, entry, given.maxBytes) };
    }
  } finally {
    await file.close();
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    refuse(error);
  }
}

type ReadAt = (position: number, length: number) => Promise<Buffer>;

/** Reads parts of a file by way of one buffer. A result is valid until the next read. */
function createWindow(file: FileHandle): ReadAt {
  const whole = Buffer.allocUnsafe(2 * WINDOW_BYTES);
  let start = 0;
  let end = 0;
  return async (position, length) => {
    if (position < start || position + length > end) {
      const { bytesRead } = await file.read(
        whole,
        0,
        Math.min(whole.length, Math.max(length, WINDOW_BYTES)),
        position,
      );
      start = position;
      end = position + bytesRead;
    }
    return whole.subarray(position - start, Math.min(position + length, end) - start);
  };
}

/** Reads the directory of an archive: two reads of the file for each entry would take longer than everything else. */
class WindowReader extends RandomAccessReader {
  private readonly readAt: ReadAt;

  constructor(file: FileHandle) {
    super();
    this.readAt = createWindow(file);
  }

  override read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, bytes?: number) => void,
  ): void {
    this.readAt(position, length).then(
      (bytes) => done(null, bytes.copy(into, offset)),
      (error: unknown) => done(error as Error),
    );
  }
}

async function readEntry(readAt: ReadAt, entry: Entry, maxBytes: number): Promise<Buffer | null> {
  if (!entry.canDecodeFileData()) return null;
  const { compressedSize, uncompressedSize, compressionMethod, relativeOffsetOfLocalHeader: at } = entry;
  if (compressedSize > Math.min(maxBytes, WINDOW_BYTES) || uncompressedSize > maxBytes) return null;
  try {
    const header = await readAt(at, LOCAL_HEADER_BYTES);
    if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) return null;
    const dataStart = at + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    const data = await readAt(dataStart, compressedSize);
    if (data.length < compressedSize) return null;
    const bytes = compressionMethod === STORED ? Buffer.from(data) : await unpacked(data, uncompressedSize);
    return bytes.length === uncompressedSize ? bytes : null;
  } catch {
    return null;
  }
}

/** The size that the entry states limits the memory. Throws when there is more. */
async function unpacked(data: Buffer, size: number): Promise<Buffer> {
  const limits = { maxOutputLength: Math.max(1, size) };
  return size <= SMALL_BYTES ? inflateRawSync(data, limits) : inflate(Buffer.from(data), limits);
}

/** Errors of the file system keep their code and message. */
function refuse(error: unknown): never {
  if (typeof (error as NodeJS.ErrnoException).code === 'string') throw error;
  throw new Error('is not a zip archive', { cause: error });
}
