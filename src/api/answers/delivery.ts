import type { Response } from 'express';
import type { CompletedCall } from '../../engine/invoke';

/** Tells the call, once the answer is over, whether all of it was handed to the client's connection. */
export function reportDelivery(res: Response, call: Pick<CompletedCall, 'served'>): void {
  const report = () => call.served(res.writableFinished);
  if (res.closed) report();
  else res.once('close', report);
}
