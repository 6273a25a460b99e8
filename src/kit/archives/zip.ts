/**
 * Reads zip archives with many small files, entry by entry, also those with more than 65,535 entries (zip64). Nothing
 * is written to a disk; encrypted entries, and methods other than stored and deflated, are passed over.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);

const END = { signature: 0x06054b50, size: 22, commentMost: 65_535 } as const;
const END64 = { signature: 0x06064b50, locator: 0x07064b50, locatorSize: 20, size: 56 } as const;
const ENTRY = { signature: 0x02014b50, size: 46 } as const;
const LOCAL_SIZE = 30;
const MAX_DIRECTORY_BYTES = 512 * 1024 * 1024;
const UNKNOWN_32 = 0xffff_ffff;

interface Entry {
  name: string;
  method: number;
  compressed: number;
  offset: number;
}

export interface ZipOptions {
  isWanted(name: string): boolean;
  /** Larger ones are passed over. */
  maxBytes: number;
}

/** The wanted files in the order of the archive's directory. Throws when it is no zip archive. */
export async function* readZip(
  path: string,
  options: ZipOptions,
): AsyncGenerator<{ name: string; bytes: Buffer | null }> {
  const file = await open(path, 'r');
  try {
    const directory = await readDirectory(file);
    for (const entry of entriesOf(directory)) {
      if (options.isWanted(entry.name))
        yield { name: entry.name, bytes: await readEntry(file, entry, options.maxBytes) };
    }
  } finally {
    await file.close();
  }
}

async function readDirectory(file: FileHandle): Promise<Buffer> {
  const { size: fileSize } = await file.stat();
  const tailSize = Math.min(fileSize, END.size + END.commentMost + END64.locatorSize);
  const tail = await readAt(file, fileSize - tailSize, tailSize);
  const at = lastIndexOf(tail, END.signature, tail.length - END.size);
  if (at < 0) throw new Error('is no zip archive');
  let size = tail.readUInt32LE(at + 12);
  let offset = tail.readUInt32LE(at + 16);
  const locator = at - END64.locatorSize;
  if (locator >= 0 && tail.readUInt32LE(locator) === END64.locator) {
    const record = await readAt(file, Number(tail.readBigUInt64LE(locator + 8)), END64.size);
    if (record.readUInt32LE(0) !== END64.signature) throw new Error('is no zip archive');
    size = Number(record.readBigUInt64LE(40));
    offset = Number(record.readBigUInt64LE(48));
  }
  if (size > MAX_DIRECTORY_BYTES || offset + size > fileSize) throw new Error('is no zip archive');
  return readAt(file, offset, size);
}

function lastIndexOf(bytes: Buffer, signature: number, from: number): number {
  for (let at = from; at >= 0; at -= 1) if (bytes.readUInt32LE(at) === signature) return at;
  return -1;
}

function* entriesOf(directory: Buffer): Generator<Entry> {
  let at = 0;
  while (at + ENTRY.size <= directory.length && directory.readUInt32LE(at) === ENTRY.signature) {
    const nameSize = directory.readUInt16LE(at + 28);
    const extraSize = directory.readUInt16LE(at + 30);
    const name = directory.toString('utf8', at + ENTRY.size, at + ENTRY.size + nameSize);
    const extra = directory.subarray(at + ENTRY.size + nameSize, at + ENTRY.size + nameSize + extraSize);
    const isEncrypted = (directory.readUInt16LE(at + 8) & 1) === 1;
    const entry = {
      name,
      method: isEncrypted ? -1 : directory.readUInt16LE(at + 10),
      compressed: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    };
    yield withExtra(entry, directory.readUInt32LE(at + 24), extra);
    at += ENTRY.size + nameSize + extraSize + directory.readUInt16LE(at + 32);
  }
}

/** Sizes and places that do not fit 32 bits stand in an extra field, in this order, those that are needed. */
function withExtra(entry: Entry, uncompressed: number, extra: Buffer): Entry {
  let at = 0;
  while (at + 4 <= extra.length) {
    const size = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) {
      const field = extra.subarray(at + 4, at + 4 + size);
      let next = uncompressed === UNKNOWN_32 ? 8 : 0;
      const take = (): number => {
        next += 8;
        return next <= field.length ? Number(field.readBigUInt64LE(next - 8)) : 0;
      };
      const compressed = entry.compressed === UNKNOWN_32 ? take() : entry.compressed;
      return { ...entry, compressed, offset: entry.offset === UNKNOWN_32 ? take() : entry.offset };
    }
    at += 4 + size;
  }
  return entry;
}

/** Null for what is too large or cannot be read. */
async function readEntry(file: FileHandle, entry: Entry, maxBytes: number): Promise<Buffer | null> {
  if ((entry.method !== 0 && entry.method !== 8) || entry.compressed > maxBytes) return null;
  const local = await readAt(file, entry.offset, LOCAL_SIZE);
  const start = entry.offset + LOCAL_SIZE + local.readUInt16LE(26) + local.readUInt16LE(28);
  const bytes = await readAt(file, start, entry.compressed);
  if (entry.method === 0) return bytes;
  try {
    return await inflate(bytes, { maxOutputLength: maxBytes });
  } catch {
    return null;
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw new Error('is no zip archive');
  return buffer;
}
