import { gunzipSync } from 'node:zlib';
import { readTar, type TarFile } from './tar';

/** The largest unpacked tar archive, in bytes (contract, "Publishing"). */
export const MAX_BUNDLE_BYTES = 8 * 1024 * 1024;
/** Limit for `readSmallBundle`, in bytes. */
export const SMALL_BUNDLE_BYTES = 128 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

interface Refused {
  ok: false;
  msg: string;
  type: string;
}
export type BundleVerdict = { ok: true; bytes: Buffer } | Refused;
export type UnpackVerdict = { ok: true; files: TarFile[] } | Refused;

const NOT_BASE64: Refused = { ok: false, msg: 'is not base64', type: 'base64' };

/** Decodes a bundle from a request and checks that it can be unpacked safely. The unpacked files are dropped. */
export function readBundle(base64: string): BundleVerdict {
  if (!isBase64(base64)) return NOT_BASE64;
  const bytes = Buffer.from(base64, 'base64');
  return verdictOf(bytes, unpackBundle(bytes));
}

/**
 * Does the same at once for a bundle that unpacks to at most `SMALL_BUNDLE_BYTES`, which takes about a millisecond.
 * Returns undefined for larger ones.
 */
export function readSmallBundle(base64: string): BundleVerdict | undefined {
  if (base64.length > SMALL_BUNDLE_BYTES) return undefined;
  if (!isBase64(base64)) return NOT_BASE64;
  const bytes = Buffer.from(base64, 'base64');
  try {
    return verdictOf(bytes, readTar(gunzipSync(bytes, { maxOutputLength: SMALL_BUNDLE_BYTES })));
  } catch (error) {
    return isTooLarge(error) ? undefined : refusalOf(error);
  }
}

/**
 * Returns the files of a gzipped tar archive, in memory. Refuses archives that unpack to more than `MAX_BUNDLE_BYTES`
 * (unpacking stops there) and whatever `readTar` refuses. It takes up to a second in the thread that calls it, so that
 * its priority is that of the thread and not that of the pool of Node.js.
 */
export function unpackBundle(bytes: Buffer): UnpackVerdict {
  try {
    return readTar(gunzipSync(bytes, { maxOutputLength: MAX_BUNDLE_BYTES }));
  } catch (error) {
    return refusalOf(error);
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

function verdictOf(bytes: Buffer, unpacked: UnpackVerdict): BundleVerdict {
  return unpacked.ok ? { ok: true, bytes } : unpacked;
}

function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
}

/** The refusal for an error of unzipping. Throws other errors. */
function refusalOf(error: unknown): Refused {
  if (isTooLarge(error))
    return { ok: false, msg: `unpacks to more than ${MAX_BUNDLE_BYTES} bytes`, type: 'max_bytes' };
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && code.startsWith('Z_'))
    return { ok: false, msg: 'is not gzip', type: 'gzip' };
  throw error;
}
