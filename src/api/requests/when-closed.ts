import type { Response } from 'express';

/**
 * Calls `act` once when the response ends or its client disconnects: at once, if that has happened already. A client
 * can disconnect while its credentials are checked or its body is parsed, and `close` is emitted only once.
 */
export function whenClosed(res: Response, act: () => void): void {
  if (res.closed) act();
  else res.once('close', act);
}

/** Aborts when the client disconnects before the complete response was written to its connection. */
export function clientGone(res: Response): AbortSignal {
  const gone = new AbortController();
  whenClosed(res, () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
