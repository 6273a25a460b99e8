/** Reading an answer's body within its size limit, without trusting the stranger's word about its length. */
import { EgressError, exchangeFailure } from './egress-error';
import type { CallScope } from './call-scope';

/**
 * The chunks of `body`; throws `EgressError('too_large')` at the first byte beyond `maxBytes` and whatever ended the
 * call otherwise. `scope.finish` is called at the end and may refuse it by throwing. Leaving the loop early closes the
 * connection.
 */
export async function* limitedChunks(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  scope: Pick<CallScope, 'fail' | 'finish'>,
): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  let isComplete = false;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new EgressError('too_large', `the answer has more than ${maxBytes} bytes`);
      yield chunk;
    }
    scope.finish();
    isComplete = true;
  } catch (error) {
    throw scope.fail(exchangeFailure(error, true));
  } finally {
    if (!isComplete) scope.fail(new EgressError('aborted', 'the answer was not read to its end'));
  }
}

/**
 * All chunks in one buffer. They are copied into a buffer that doubles, because a hostile server can send megabytes
 * as one-byte chunks, each of which would otherwise cost an object.
 */
export async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of chunks) {
    if (length === 0) {
      buffer = chunk;
    } else {
      if (length + chunk.length > buffer.length)
        buffer = grown(buffer.subarray(0, length), length + chunk.length);
      chunk.copy(buffer, length);
    }
    length += chunk.length;
  }
  return buffer.subarray(0, length);
}

function grown(buffer: Buffer, needed: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(needed, buffer.length * 2, 4_096));
  buffer.copy(larger);
  return larger;
}
