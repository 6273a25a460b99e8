import type { Response } from 'express';
import { whenClosed } from './when-closed';

/** Aborts when the client disconnects before the complete response was written to its connection. */
export function clientGone(res: Response): AbortSignal {
  const gone = new AbortController();
  whenClosed(res, () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
