import type { Response } from 'express';

/**
 * Calls `act` once when the response ends or its client disconnects: at once, if that has happened already. A client
 * can disconnect while its credentials are checked or its body is parsed, and `close` is emitted only once.
 */
export function whenClosed(res: Response, act: () => void): void {
  if (res.closed) act();
  else res.once('close', act);
}
