import type { Request } from 'express';
import { MarketError } from '../../domain/errors';
import type { PayerSignIns, SignedInPayer } from '../../services/x402/payer-sign-ins';
import { readX402Header } from './header';

/** The paying address that signed the request's statement. Throws `not_authenticated` and `invalid_header`. */
export async function signedInPayer(payerSignIns: PayerSignIns, req: Request): Promise<SignedInPayer> {
  const statement = readX402Header(req, 'SIGN-IN-WITH-X');
  if (statement === undefined)
    throw new MarketError('not_authenticated', {
      message: 'Send a statement of the paying address in the header SIGN-IN-WITH-X.',
    });
  const [path = ''] = req.originalUrl.split('?');
  return payerSignIns.authenticate(statement, path);
}
