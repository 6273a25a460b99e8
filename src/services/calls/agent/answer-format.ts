/**
 * Plaintext format of stored answers: the JSON text of the output. For an answer that was not JSON, a header line with
 * its content type precedes it; the line begins with a byte that cannot begin JSON text.
 */
import type { PlainAnswer } from './in-flight';

/** The facts about a non-JSON answer that a later reader needs. */
export type PlainType = Pick<PlainAnswer, 'contentType' | 'isBase64'>;

export interface KeptAnswer {
  /** JSON text. */
  json: Buffer;
  plain: PlainType | null;
}

const MARK = 0x01;
const NEW_LINE = 0x0a;

export function packAnswer({ json, plain }: KeptAnswer): Buffer {
  if (!plain) return json;
  const { contentType, isBase64 } = plain;
  return Buffer.concat([
    Buffer.from([MARK]),
    Buffer.from(`${JSON.stringify({ contentType, isBase64 })}\n`),
    json,
  ]);
}

export function unpackAnswer(bytes: Buffer): KeptAnswer {
  if (bytes[0] !== MARK) return { json: bytes, plain: null };
  const end = bytes.indexOf(NEW_LINE);
  const plain = JSON.parse(bytes.subarray(1, end).toString()) as PlainType;
  return { json: bytes.subarray(end + 1), plain };
}
