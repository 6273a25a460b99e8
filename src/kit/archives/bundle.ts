import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readTar, type TarFile } from './tar';

const unzip = promisify(gunzip);

/** The largest unpacked tar archive, in bytes (contract, "Publishing"). */
export const MAX_BUNDLE_BYTES = 8 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export type BundleVerdict = { ok: true; bytes: Buffer } | { ok: false; msg: string; type: string };
export type UnpackVerdict = { ok: true; files: TarFile[] } | { ok: false; msg: string; type: string };

/** Decodes a bundle from a request and checks that it can be unpacked safely. The unpacked files are dropped. */
export async function readBundle(base64: string): Promise<BundleVerdict> {
  if (base64.length % 4 !== 0 || !BASE64.test(base64))
    return { ok: false, msg: 'is not base64', type: 'base64' };
  const bytes = Buffer.from(base64, 'base64');
  const unpacked = await unpackBundle(bytes);
  return unpacked.ok ? { ok: true, bytes } : unpacked;
}

/**
 * Returns the files of a gzipped tar archive, in memory. Refuses archives that unpack to more than `MAX_BUNDLE_BYTES`
 * (unpacking stops there) and whatever `readTar` refuses.
 */
export async function unpackBundle(bytes: Buffer): Promise<UnpackVerdict> {
  try {
    return readTar(await unzip(bytes, { maxOutputLength: MAX_BUNDLE_BYTES }));
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ERR_BUFFER_TOO_LARGE')
      return { ok: false, msg: `unpacks to more than ${MAX_BUNDLE_BYTES} bytes`, type: 'max_bytes' };
    if (typeof code === 'string' && code.startsWith('Z_'))
      return { ok: false, msg: 'is not gzip', type: 'gzip' };
    throw error;
  }
}
