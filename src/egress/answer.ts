/**
 * Answers: what is refused before the body is read, the body within its size limit, without trust in the declared
 * length, answers of which only the status matters, and what ends a call early.
 */
import type { Dispatcher } from 'undici';
import { EgressError, exchangeFailure } from './egress-error';
import type { Lease } from './pinned-pool';

/**
 * The head of a response and its streamed body. The consumer must read the body to its end, leave the loop, or call
 * `close`.
 */
export interface EgressStream {
  /** Any status except 1xx and 3xx. */
  status: number;
  /** The header's value; empty when absent. */
  contentType: string;
  /** First value of a header, by lower-case name. */
  header(name: string): string | undefined;
  body: AsyncGenerator<Buffer, void, undefined>;
  /** Ends the call without reading the rest, and closes its connection. */
  close(): void;
}

/** The head of an answer whose body is not used, and the beginning of the body if it was asked for. */
export type EgressStatus = Pick<EgressStream, 'status' | 'header'> & {
  /** The first bytes, as far as they come within a second. Never rejects. */
  sample: Promise<Buffer>;
};

/** A response whose body is still to be read from `lease`. */
export interface Answer {
  lease: Lease;
  response: Dispatcher.ResponseData<unknown>;
}

const MAX_ANSWER_HEADERS = 100;
/** A body that is not used is read up to this length, for so long at most. */
const MAX_UNUSED_BYTES = 64 * 1024;
const UNUSED_MS = 1_000;
const NOTHING = Promise.resolve(Buffer.alloc(0));

/**
 * Tracks everything that can end a call early: the overall deadline, which also ends slow trickles and endless 1xx
 * responses that idle timers would not; the caller's signal; and the refusal of the response.
 */
export interface CallScope {
  /**
   * Registers the action on failure; replaces an earlier one. The action runs once, immediately when the call has
   * already failed.
   */
  onFail(act: (reason: EgressError) => void): void;
  /** Fails the call with `reason`. Returns the effective reason, which is the first one. */
  fail(reason: EgressError): EgressError;
  /** Ends the call: removes its timer and listener; later failures are ignored. */
  end(): void;
  /** Waits for `work`, but not beyond the end of the call. */
  within<T>(work: Promise<T>): Promise<T>;
}

/** Longest delay of a Node.js timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Starts a call that must end by `deadlineMs`, in epoch milliseconds. */
export function startCallScope(deadlineMs: number, outer: AbortSignal | undefined): CallScope {
  let failure: EgressError | undefined;
  let isOver = false;
  let failed: (reason: EgressError) => void = () => undefined;
  const onAbort = () => fail(new EgressError('aborted', 'the call was aborted'));
  const onDeadline = () => fail(new EgressError('timeout', 'the call exceeded its deadline'));
  const remainingMs = deadlineMs - Date.now();
  const timer = setTimeout(onDeadline, Math.min(Math.max(remainingMs, 0), LONGEST_TIMER_MS));
  outer?.addEventListener('abort', onAbort, { once: true });
  if (outer?.aborted) onAbort();
  else if (remainingMs <= 0) onDeadline();

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  }

  function fail(reason: EgressError): EgressError {
    if (isOver) return failure ?? reason;
    failure = reason;
    end();
    failed(reason);
    return reason;
  }

  function onFail(act: (reason: EgressError) => void): void {
    failed = act;
    if (failure) act(failure);
  }

  return {
    onFail,
    fail,
    end,
    within: (work) =>
      new Promise((resolve, reject) => {
        onFail(reject);
        work.then(resolve, reject);
      }),
  };
}

/**
 * Checks the response head. Redirects, encoded bodies, too many headers and an oversized `content-length` fail the
 * call before the body is read.
 */
export function acceptHead(answer: Answer, maxBytes: number, scope: CallScope): EgressStream {
  const raw = answer.response.headers as unknown as string[];
  if (raw.length > MAX_ANSWER_HEADERS * 2) {
    const message = `the response has more than ${MAX_ANSWER_HEADERS} headers`;
    throw new EgressError('bad_response', message, undefined, undefined, undefined, 'headers_size');
  }
  const header = headerReader(raw);
  const status = finalStatus(answer, header);
  refuseCoding(raw);
  if (Number(header('content-length') ?? 0) > maxBytes) {
    throw new EgressError('too_large', `the response announces more than ${maxBytes} bytes`);
  }
  return {
    status,
    contentType: header('content-type') ?? '',
    header,
    body: bodyOf(answer, maxBytes, scope),
    close: () => void scope.fail(new EgressError('aborted', 'the response was not read')),
  };
}

function bodyOf({ lease, response }: Answer, maxBytes: number, scope: CallScope): EgressStream['body'] {
  const end = () => {
    const surplus = lease.release();
    if (surplus) throw exchangeFailure(surplus, true);
    scope.end();
  };
  return limitedChunks(response.body as AsyncIterable<Buffer>, maxBytes, { fail: scope.fail, end });
}

function finalStatus({ response }: Answer, header: (name: string) => string | undefined): number {
  const status = response.statusCode;
  if (status < 300 || status > 399) return status;
  const message = `answered with a redirect (${status})`;
  throw new EgressError('redirect', message, undefined, undefined, header('location'));
}

/** `identity` and empty elements mean no coding (RFC 9110 §8.4, §5.6.1). */
function refuseCoding(raw: string[]): void {
  const value = valuesOf(raw, 'content-encoding').join(', ');
  const codings = value.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.every((coding) => coding === '' || coding === 'identity')) return;
  throw new EgressError(
    'bad_response',
    `the response has Content-Encoding "${value.slice(0, 100)}": send the body as it is, without the header`,
    undefined,
    undefined,
    undefined,
    'content_encoding',
  );
}

/**
 * Returns the status at once. A small body is read behind it, so that the connection can be used again. Of others only
 * the first `sampleBytes` are read.
 */
export function statusOf(answer: Answer, scope: CallScope, sampleBytes = 0): EgressStatus {
  const header = headerReader(answer.response.headers as unknown as string[]);
  const status = finalStatus(answer, header);
  const isSmall = Number(header('content-length') ?? Infinity) <= MAX_UNUSED_BYTES;
  if (!isSmall && sampleBytes === 0) {
    scope.fail(new EgressError('aborted', 'the body is not used'));
    return { status, header, sample: NOTHING };
  }
  const timer = setTimeout(() => scope.fail(new EgressError('timeout', 'the body is slow')), UNUSED_MS);
  const body = bodyOf(answer, MAX_UNUSED_BYTES, scope);
  const sample = beginningOf(body, sampleBytes, isSmall).finally(() => clearTimeout(timer));
  return { status, header, sample };
}

/** The server has decided once its status line has come; that the rest of its head is broken changes nothing. */
export function statusInSpite(failure: EgressError, lease: Lease | undefined): EgressStatus {
  const status = lease?.head.finalStatus();
  if (status === undefined || failure.kind === 'redirect') throw failure;
  return { status, header: () => undefined, sample: NOTHING };
}

/**
 * The first bytes of a body, which is read to its end if `toEnd`. Errors are ignored: the connection is closed then.
 */
async function beginningOf(body: AsyncIterable<Buffer>, most: number, toEnd: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < most) chunks.push(chunk);
      bytes += chunk.length;
      if (!toEnd && bytes >= most) break;
    }
  } catch {
    // The status is known.
  }
  return Buffer.concat(chunks).subarray(0, most);
}

/** Creates a lookup over raw headers (`[name, value, name, value, …]`). */
function headerReader(raw: string[]): (name: string) => string | undefined {
  return (name) => valuesOf(raw, name)[0];
}

function valuesOf(raw: string[], name: string): string[] {
  return raw.filter((_value, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/**
 * Yields the chunks of `body`. Throws `too_large` at the first byte beyond `maxBytes`, and otherwise the error that
 * ended the call. At the end, calls `scope.end`, which may throw to refuse the response. Leaving the loop early
 * closes the connection.
 */
async function* limitedChunks(
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
