/** CRC-32C (Castagnoli, RFC 3720 appendix B.4), the checksum that object stores publish for every object. */
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});

/** Continues a checksum with more bytes. `crc` is the result so far; 0 at the beginning. */
export function crc32c(bytes: Uint8Array, crc = 0): number {
  let value = ~crc >>> 0;
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}
