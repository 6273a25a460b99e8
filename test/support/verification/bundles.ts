/** Bundles for tests, made in memory. */
import { deflateRawSync, gzipSync } from 'node:zlib';

export interface BundleEntry {
  path: string;
  text?: string | Buffer;
  /** `0` a file, `2` a symbolic link, `5` a directory, …: the type byte of tar. */
  type?: string;
}

/** A tar of the entries, as ustar; a name that does not fit is written as GNU tar writes it. */
export function tarOf(entries: readonly BundleEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, text = '', type = '0' }) => {
    const content = Buffer.from(text);
    const long =
      Buffer.byteLength(path) > 100
        ? [header('././@LongLink', Buffer.byteLength(path), 'L'), padded(Buffer.from(path))]
        : [];
    return [...long, header(path.slice(0, 100), content.length, type), padded(content)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1_024)]);
}

export function bundleOf(entries: readonly BundleEntry[] | Record<string, string>): Buffer {
  const list = Array.isArray(entries)
    ? (entries as readonly BundleEntry[])
    : Object.entries(entries as Record<string, string>).map(([path, text]) => ({ path, text }));
  return gzipSync(tarOf(list));
}

function header(name: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0, 100);
  block.write('0000644\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('        ', 148);
  block.write(type, 156, 'latin1');
  block.write('ustar\0' + '00', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** Letters and digits that look random and are the same each time; for values that look like keys. */
export function madeUp(alphabet: string, length: number, seed = 1): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return alphabet[state % alphabet.length];
  }).join('');
}

/** A zip archive without checksums, which readers of entries do not verify. */
export function zipOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    locals.push(local, name, packed);
    directory.push(entry, name);
    offset += local.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listed, end]);
}
