/** Reads a response body within its size limit, without trusting the declared length. */
import { EgressError, exchangeFailure } from './egress-error';
import type { CallScope } from './call-scope';

/**
 * Yields the chunks of `body`. Throws `too_large` at the first byte beyond `maxBytes`, and otherwise the error that
 * ended the call. At the end, calls `scope.end`, which may throw to refuse the response. Leaving the loop early
 * closes the connection.
 */
export async function* limitedChunks(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  scope: Pick<CallScope, 'fail' | 'end'>,
): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  let isComplete = false;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new EgressError('too_large', `the response has more than ${maxBytes} bytes`);
      yield chunk;
    }
    scope.end();
    isComplete = true;
  } catch (error) {
    throw scope.fail(exchangeFailure(error, true));
  } finally {
    if (!isComplete) scope.fail(new EgressError('aborted', 'the response was not read to its end'));
  }
}

/**
 * Concatenates all chunks. They are copied into a buffer that doubles in size, because a hostile server can send
 * megabytes as one-byte chunks, each of which would otherwise occupy an object.
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
