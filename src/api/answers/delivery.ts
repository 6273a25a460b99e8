import type { Response } from 'express';
import type { CompletedCall } from '../../engine/invoke';
import { whenClosed } from '../requests/when-closed';

/** Reports, when the response has ended, whether all of it was written to the client's connection. */
export function reportDelivery(res: Response, call: Pick<CompletedCall, 'served'>): void {
  whenClosed(res, () => call.served(res.writableFinished));
}
