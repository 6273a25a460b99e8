/**
 * A response of server-sent events. Each event is one `data:` line of JSON, with an id and a name where it has them.
 * Comments keep proxies from closing an idle connection. Buffering for slow readers is bounded: `send` resolves when
 * the connection accepts more, and long texts are sent in pieces.
 */
import type { Response } from 'express';
import { whenClosed } from '../identity/context';

const KEEP_ALIVE_MS = 15_000;
/** A client that has not read the end of the response by then is disconnected. */
const LINGER_MS = 30_000;

export interface FrameFields {
  /** What the client sends as `Last-Event-ID` when it connects again. */
  id?: string;
  /** Name of the event; without it, `message`. */
  event?: string;
  /** Pause in ms before the client connects again. */
  retry?: number;
}

export interface EventStream {
  /** Aborts when the client has disconnected or the response has ended. */
  readonly closed: AbortSignal;
  readonly begun: boolean;
  /** Sends status 200 and the headers immediately. */
  begin(headers?: Record<string, string>): void;
  /** Sends a value, or JSON text. Resolves when the client can take more, or has disconnected. */
  send(event: object | Buffer, fields?: FrameFields): Promise<void>;
  /** Sends the last event and ends the response. */
  end(event: object | Buffer): void;
}

export function startEventStream(res: Response): EventStream {
  const gone = new AbortController();
  let begun = false;
  let keepAlive: NodeJS.Timeout | undefined;
  whenClosed(res, () => {
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

  function write(event: object | Buffer, fields: FrameFields = {}): boolean {
    begin();
    if (gone.signal.aborted) return true;
    keepAlive?.refresh();
    return res.write(frameOf(event, fields));
  }

  return {
    closed: gone.signal,
    get begun() {
      return begun;
    },
    begin,
    send: async (event, fields) => (write(event, fields) ? undefined : drained(res)),
    end(event) {
      if (gone.signal.aborted) return;
      write(event);
      clearInterval(keepAlive);
      gone.abort();
      res.end();
      const linger = setTimeout(() => res.destroy(), LINGER_MS).unref();
      whenClosed(res, () => clearTimeout(linger));
    },
  };
}

function frameOf(event: object | Buffer, fields: FrameFields): string | Buffer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  if (!Buffer.isBuffer(event)) return `${lines.join('')}data: ${JSON.stringify(event)}\n\n`;
  return Buffer.concat([Buffer.from(`${lines.join('')}data: `), inOneLine(event), Buffer.from('\n\n')]);
}

/** JSON text without line breaks, which would end the line of an event. They are never part of a string in JSON. */
function inOneLine(json: Buffer): Buffer {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return Buffer.from(json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}

/** Resolves when the response can take more, or is closed. */
export function drained(res: Response): Promise<void> {
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
