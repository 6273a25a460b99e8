/**
 * The delivery of a streamed answer to its reader: the first piece needs a permit, and everything that was handed over
 * is recorded, because the reader pays for it (contract, "Chat").
 */

/** Receives the pieces of a streamed answer while the agent is still sending. */
export interface ChunkSink {
  /** Resolves when the client can take more. Nothing further is read from the agent before that. */
  write(chunk: string): Promise<void>;
  /** How many characters were handed to the client's socket. */
  handed(): number;
  /**
   * Aborts when the client has disconnected. The agent's call ends within a second. The buyer pays for what was handed
   * over, or is refunded when that is nothing.
   */
  readonly closed: AbortSignal;
}

export interface Delivery {
  /** Aborts when the reader has disconnected. */
  readonly closed: AbortSignal;
  /** Hands a piece to the reader. Resolves when the reader can take more. The first piece waits for the permit. */
  write(chunk: string): Promise<void>;
  /** Ends the delivery: pieces that still wait for the permit are discarded. */
  stop(): void;
  /** The text that was handed over so far; empty before the first piece. */
  text(): string;
  /** How long pieces waited for the reader, in ms. */
  waitedMs(): number;
}

/** `permit` is called before the first piece; if it throws, nothing is delivered. */
export function createDelivery(sink: ChunkSink, permit: () => Promise<void>): Delivery {
  const pieces: string[] = [];
  let isPermitted = false;
  let isStopped = false;
  let waitedMs = 0;
  let waitingSince: number | null = null;
  const waitingMs = () => (waitingSince === null ? 0 : performance.now() - waitingSince);
  return {
    closed: sink.closed,
    async write(chunk) {
      if (!isPermitted) {
        await permit();
        isPermitted = true;
      }
      if (isStopped || sink.closed.aborted) return;
      pieces.push(chunk);
      waitingSince = performance.now();
      await sink.write(chunk);
      waitedMs += waitingMs();
      waitingSince = null;
    },
    stop() {
      isStopped = true;
    },
    text: () => pieces.join('').slice(0, sink.handed()),
    waitedMs: () => waitedMs + waitingMs(),
  };
}
