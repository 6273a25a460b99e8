/**
 * An answer as server-sent events. Each event is one `data:` line of JSON; nothing else is ever written but comments
 * that keep proxies from closing a quiet connection. What a slow reader has not taken is bounded: `send` resolves when
 * the connection takes more, and long texts go out in pieces.
 */
import type { Response } from 'express';

const KEEP_ALIVE_MS = 15_000;
/** A reader that has not taken the end of the answer by then is cut off. */
const LINGER_MS = 30_000;

export interface EventStream {
  /** Aborts when the client takes no more: it has gone, or the answer has ended. */
  readonly closed: AbortSignal;
  readonly begun: boolean;
  /** Sends status 200 and the headers at once. */
  begin(headers?: Record<string, string>): void;
  /** Resolves when the client may take more, or has gone. */
  send(event: object): Promise<void>;
  /** Sends the last event and ends the answer. */
  end(event: object): void;
}

export function openEventStream(res: Response): EventStream {
  const gone = new AbortController();
  let begun = false;
  let keepAlive: NodeJS.Timeout | undefined;
  res.once('close', () => {
    clearInterval(keepAlive);
    gone.abort();
  });

  function begin(headers: Record<string, string> = {}): void {
    if (begun || gone.signal.aborted) return;
    begun = true;
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      ...headers,
    });
    res.flushHeaders();
    keepAlive = setInterval(() => {
      if (!res.writableNeedDrain) res.write(': keep-alive\n\n');
    }, KEEP_ALIVE_MS);
  }

  function write(event: object): boolean {
    begin();
    if (gone.signal.aborted) return true;
    keepAlive?.refresh();
    return res.write(frameOf(event));
  }

  return {
    closed: gone.signal,
    get begun() {
      return begun;
    },
    begin,
    send: async (event) => (write(event) ? undefined : drained(res)),
    end(event) {
      if (gone.signal.aborted) return;
      write(event);
      clearInterval(keepAlive);
      gone.abort();
      res.end();
      const linger = setTimeout(() => res.destroy(), LINGER_MS).unref();
      res.once('close', () => clearTimeout(linger));
    },
  };
}

function frameOf(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
    if (res.destroyed) done();
  });
}
