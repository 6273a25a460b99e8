import type { Request } from 'express';
import { clientNetwork } from '../../kit/client-address';

/** The lane of a request whose caller is not known yet. */
export function credentialLane(req: Request): string {
  return `credential/${req.get('x-api-key') ?? req.headers.cookie ?? clientNetwork(req.ip)}`;
}
