import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzip = promisify(gunzip);

/** Size of the unpacked tar (contract, "Publishing"). */
export const MAX_BUNDLE_BYTES = 8 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BLOCK = 512;
const CHECKSUM_AT = 148;
const CHECKSUM_LENGTH = 8;

export type BundleVerdict = { ok: true; bytes: Buffer } | { ok: false; msg: string; type: string };

/** Reads a bundle as it comes over the wire and checks that it is a gzipped tar of an acceptable size. */
export async function readBundle(base64: string): Promise<BundleVerdict> {
  if (base64.length % 4 !== 0 || !BASE64.test(base64))
    return { ok: false, msg: 'is not base64', type: 'base64' };
  const bytes = Buffer.from(base64, 'base64');
  try {
    const tar = (await unzip(bytes, { maxOutputLength: MAX_BUNDLE_BYTES })) as Buffer;
    if (!isTar(tar)) return { ok: false, msg: 'is not a tar archive', type: 'tar' };
  } catch (error) {
    const isTooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge)
      return { ok: false, msg: `unpacks to more than ${MAX_BUNDLE_BYTES} bytes`, type: 'max_bytes' };
    return { ok: false, msg: 'is not gzip', type: 'gzip' };
  }
  return { ok: true, bytes };
}

/** The first header's checksum: the sum of its bytes, with the checksum itself read as spaces. */
function isTar(tar: Buffer): boolean {
  if (tar.length < 2 * BLOCK) return false;
  const field = tar.toString('latin1', CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_LENGTH);
  let sum = CHECKSUM_LENGTH * 0x20;
  for (const [index, byte] of tar.subarray(0, BLOCK).entries()) {
    if (index < CHECKSUM_AT || index >= CHECKSUM_AT + CHECKSUM_LENGTH) sum += byte;
  }
  return sum === Number.parseInt(field.replaceAll('\0', ' ').trim(), 8);
}
