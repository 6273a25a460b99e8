import { encode } from 'uqr';

/** Larger codes have modules too small for a camera at the size of the page. Holds 858 bytes. */
const MAX_VERSION = 20;

/**
 * The modules of a QR code, true where dark, without the quiet zone. A screen has no dirt and no damage, so the lowest
 * level of correction is enough. Throws `RangeError` for a text of more than 858 bytes.
 */
export function qrModules(text: string): boolean[][] {
  return encode(text, { ecc: 'L', maxVersion: MAX_VERSION, maskPattern: 0, border: 0 }).data;
}
