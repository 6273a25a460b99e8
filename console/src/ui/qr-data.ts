/** The codewords of a QR code: its bytes with padding and error correction (Reed and Solomon), level L. */
const ECC_PER_BLOCK = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
const BYTE_MODE = 4;
const PADDING = [0xec, 0x11];

/** The codewords of a text of up to 858 bytes, in the order in which they are drawn. Throws `RangeError` for more. */
export function qrData(text: string): { version: number; codewords: number[] } {
  const bytes = [...new TextEncoder().encode(text)];
  const version = BLOCKS.findIndex((_blocks, index) => bytes.length <= roomOf(index + 1)) + 1;
  if (version === 0) throw new RangeError('The text is too long for a QR code.');
  return { version, codewords: withCorrection(dataOf(bytes, version), version) };
}

const eccOf = (version: number) => (ECC_PER_BLOCK[version - 1] ?? 0) * (BLOCKS[version - 1] ?? 0);

/** Codewords of a version, for data and error correction. */
function codewordsIn(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const patterns = Math.floor(version / 7) + 2;
    modules -= (25 * patterns - 10) * patterns - 55;
    if (version >= 7) modules -= 36;
  }
  return Math.floor(modules / 8);
}

const countBits = (version: number) => (version < 10 ? 8 : 16);
const roomOf = (version: number) =>
  Math.floor(((codewordsIn(version) - eccOf(version)) * 8 - 4 - countBits(version)) / 8);

function dataOf(bytes: readonly number[], version: number): number[] {
  const bits: number[] = [];
  const add = (value: number, length: number) => {
    for (let at = length - 1; at >= 0; at -= 1) bits.push((value >> at) & 1);
  };
  add(BYTE_MODE, 4);
  add(bytes.length, countBits(version));
  for (const byte of bytes) add(byte, 8);
  const room = (codewordsIn(version) - eccOf(version)) * 8;
  add(0, Math.min(4, room - bits.length));
  add(0, (8 - (bits.length % 8)) % 8);
  for (let at = 0; bits.length < room; at += 1) add(PADDING[at % 2] ?? 0, 8);
  return Array.from({ length: room / 8 }, (_none, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((value, bit) => value * 2 + bit, 0),
  );
}

/** Multiplies in the field of 256 elements with the polynomial 0x11d. */
function multiply(x: number, y: number): number {
  let product = 0;
  for (let at = 7; at >= 0; at -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((y >> at) & 1) * x;
  }
  return product;
}

function remainderOf(data: readonly number[], degree: number): number[] {
  let divisor = [...Array.from({ length: degree - 1 }, () => 0), 1];
  let root = 1;
  for (let count = 0; count < degree; count += 1) {
    divisor = divisor.map((value, index) => multiply(value, root) ^ (divisor[index + 1] ?? 0));
    root = multiply(root, 2);
  }
  const result = Array.from({ length: degree }, () => 0);
  for (const byte of data) {
    const factor = byte ^ (result.shift() ?? 0);
    result.push(0);
    divisor.forEach((value, index) => (result[index] = (result[index] ?? 0) ^ multiply(value, factor)));
  }
  return result;
}

/** Splits the data into blocks, and interleaves them with their error correction. */
function withCorrection(data: readonly number[], version: number): number[] {
  const [blocks, degree] = [BLOCKS[version - 1] ?? 1, ECC_PER_BLOCK[version - 1] ?? 0];
  const short = blocks - (codewordsIn(version) % blocks);
  const length = Math.floor(codewordsIn(version) / blocks) - degree;
  const parts: number[][] = [];
  for (let index = 0, at = 0; index < blocks; index += 1) {
    const end = at + length + (index < short ? 0 : 1);
    parts.push(data.slice(at, end));
    at = end;
  }
  const corrections = parts.map((part) => remainderOf(part, degree));
  const woven = (rows: readonly number[][], most: number) =>
    Array.from({ length: most }, (_none, column) => rows.flatMap((row) => row[column] ?? [])).flat();
  return [...woven(parts, length + 1), ...woven(corrections, degree)];
}
