import { inflateSync } from 'node:zlib';

const WOFF = 0x774f4646; // "wOFF"
const HEADER = { woff: 44, sfnt: 12 };
const ENTRY = { woff: 20, sfnt: 16 };

/** The font of a WOFF file as TrueType, in which glyphs are found without unpacking their table again for each. */
export function sfntOf(file: Buffer): Buffer {
  if (file.readUInt32BE(0) !== WOFF) return file;
  const count = file.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => {
    const at = HEADER.woff + index * ENTRY.woff;
    const offset = file.readUInt32BE(at + 4);
    const packed = file.subarray(offset, offset + file.readUInt32BE(at + 8));
    const length = file.readUInt32BE(at + 12);
    return { tag: file.subarray(at, at + 4), sum: file.readUInt32BE(at + 16), data: packed, length };
  });
  const head = Buffer.alloc(HEADER.sfnt + count * ENTRY.sfnt);
  const power = Math.floor(Math.log2(count));
  head.writeUInt32BE(file.readUInt32BE(4), 0);
  head.writeUInt16BE(count, 4);
  head.writeUInt16BE(2 ** power * 16, 6);
  head.writeUInt16BE(power, 8);
  head.writeUInt16BE(count * 16 - 2 ** power * 16, 10);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [index, { tag, sum, data, length }] of tables.entries()) {
    const at = HEADER.sfnt + index * ENTRY.sfnt;
    tag.copy(head, at);
    head.writeUInt32BE(sum, at + 4);
    head.writeUInt32BE(offset, at + 8);
    head.writeUInt32BE(length, at + 12);
    const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
    (data.length < length ? inflateSync(data) : data).copy(padded);
    parts.push(padded);
    offset += padded.length;
  }
  return Buffer.concat(parts);
}
