/** Writes answers that are not JSON as JSON strings. */
import { isUtf8 } from 'node:buffer';
import { sha256Hex } from './canonical-json';

export interface PlainJson {
  /** The JSON string. */
  json: Buffer;
  /** True if the string is base64, because the bytes are not UTF-8. */
  isBase64: boolean;
  /** SHA-256 of the bytes. */
  sha256: string;
}

/**
 * UTF-8 text unchanged, anything else as base64, so that no bytes are lost. Blocks its thread in proportion to the
 * size.
 */
export function plainJson(bytes: Buffer): PlainJson {
  const isBase64 = !isUtf8(bytes);
  const text = bytes.toString(isBase64 ? 'base64' : 'utf8');
  const json = isBase64 ? Buffer.from(`"${text}"`, 'latin1') : Buffer.from(JSON.stringify(text));
  return { json, isBase64, sha256: sha256Hex(bytes) };
}
