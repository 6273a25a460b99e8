import { crc32c } from './crc32c';

/** RFC 3720, appendix B.4; the check value of the catalogue of parametrised CRC algorithms. */
it.each([
  ['32 bytes of zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['32 increasing bytes', Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
  ['123456789', Buffer.from('123456789'), 0xe3069283],
])('has the published checksum of %s, at once and in parts', (_name, bytes, expected) => {
  expect(crc32c(bytes)).toBe(expected);
  expect(crc32c(bytes.subarray(5), crc32c(bytes.subarray(0, 5)))).toBe(expected);
});
