import type { Request, Response } from 'express';
import { STREAM_LIFE_MS } from '../../domain/webhooks/event-stream';
import type { StreamCredentials } from '../identity/stream-credentials';

/**
 * Aborts when the client is gone, when its credential is no longer valid, or at the end of the stream's life. Then a
 * client that does not read is disconnected.
 */
export function lifeOf(
  req: Request,
  res: Response,
  closed: AbortSignal,
  credentials: StreamCredentials,
): AbortSignal {
  const end = new AbortController();
  const stop = () => {
    end.abort();
    if (res.writableNeedDrain) res.destroy();
  };
  const life = setTimeout(stop, STREAM_LIFE_MS).unref();
  const forget = credentials.watch(req, stop);
  const over = () => {
    clearTimeout(life);
    forget();
    end.abort();
  };
  closed.addEventListener('abort', over, { once: true });
  if (closed.aborted) over();
  return end.signal;
}
