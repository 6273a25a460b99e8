import type { Request } from 'express';
import { MarketError } from '../../domain/errors';

/** The idempotency key from body or header; both are allowed if they are equal. Throws `invalid_header`. */
export function idempotencyKeyOf(req: Request, fromBody: string | undefined): string | undefined {
  const fromHeader = req.get('idempotency-key');
  if (fromHeader !== undefined && !/^[\x21-\x7e]{1,255}$/.test(fromHeader)) {
    throw new MarketError('invalid_header', {
      message: 'Idempotency-Key takes 1 to 255 visible ASCII characters.',
    });
  }
  if (fromHeader !== undefined && fromBody !== undefined && fromHeader !== fromBody) {
    throw new MarketError('invalid_header', { message: 'Idempotency-Key and idempotency_key differ.' });
  }
  return fromBody ?? fromHeader;
}
