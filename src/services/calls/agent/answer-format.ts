/**
 * The plaintext of a stored answer: the JSON text of the output; before the output of an answer that was not JSON
 * stands a line that says what it was, begun by a byte that no JSON text begins with.
 */
import type { PlainAnswer } from '../invocation-registry';

/** What a later reader needs to know of an answer that was not JSON. */
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
