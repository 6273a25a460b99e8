/**
 * Reads along the heads of answers, before the HTTP client does. An unasked `100 Continue`, which the client takes for
 * a protocol error, becomes a `102`, which it ignores like every other 1xx (RFC 9110 §15.2). One byte of the status
 * changes, so that framing stays the client's matter.
 */
export interface HeadWatch {
  /** Begins anew with the next byte: a request is about to be sent. */
  restart(): void;
  /** Sees bytes that the client is about to read, and may change them. */
  see(bytes: Buffer): void;
  /** True if a byte was received since the last restart. */
  hasBegun(): boolean;
  /** The status of the final answer, once its status line has come. */
  finalStatus(): number | undefined;
}

/** `HTTP/1.1 200`: the status has these places. */
const STATUS_AT = 9;
const STATUS_END = 12;
const PREFIX = Buffer.from('HTTP/1.');
const [ONE, ZERO, TWO, LF, CR] = [0x31, 0x30, 0x32, 0x0a, 0x0d];

export function createHeadWatch(): HeadWatch {
  /** Place in the head's first bytes; `STATUS_END` while the rest of a head that is not final passes. */
  let at = 0;
  let status = 0;
  let isFinal = false;
  let isLineEmpty = false;
  let hasBegun = false;

  function begin(): void {
    at = 0;
    status = 0;
    isLineEmpty = false;
  }

  /** Returns the byte that the client reads. */
  function step(byte: number): number {
    if (at === STATUS_END) {
      if (byte === LF && isLineEmpty) begin();
      else if (byte === LF) isLineEmpty = true;
      else if (byte !== CR) isLineEmpty = false;
      return byte;
    }
    if (at < PREFIX.length && byte !== PREFIX[at]) isFinal = true;
    let read = byte;
    if (at >= STATUS_AT) {
      if (at === STATUS_AT && byte !== ONE) isFinal = true;
      if (at === STATUS_END - 1 && status === 10 && byte === ZERO) read = TWO;
      status = status * 10 + (byte - ZERO);
    }
    at += 1;
    return read;
  }

  return {
    restart() {
      begin();
      isFinal = false;
      hasBegun = false;
    },
    see(bytes) {
      if (bytes.length > 0) hasBegun = true;
      for (let index = 0; index < bytes.length; index += 1) {
        if (isFinal && (at >= STATUS_END || at < STATUS_AT)) return;
        bytes[index] = step(bytes[index] ?? 0);
      }
    },
    hasBegun: () => hasBegun,
    finalStatus: () => (isFinal && at === STATUS_END && status >= 200 && status <= 599 ? status : undefined),
  };
}
