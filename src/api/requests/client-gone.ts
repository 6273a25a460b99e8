import type { Response } from 'express';

/** Aborts when the client disconnects before the complete response was written to its connection. */
export function clientGone(res: Response): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
