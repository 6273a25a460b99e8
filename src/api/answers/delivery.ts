import type { Response } from 'express';
import type { CompletedCall } from '../../engine/invoke';

/** Reports, when the response has ended, whether all of it was written to the client's connection. */
export function reportDelivery(res: Response, call: Pick<CompletedCall, 'served'>): void {
  const report = () => call.served(res.writableFinished);
  if (res.closed) report();
  else res.once('close', report);
}
