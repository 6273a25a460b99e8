import type { Request } from 'express';
import { parseStrictJson } from '../../kit/json/strict-json';
import { invalidHeader } from '../requests/request-fields';

/** Servers limit all headers of a request to 16 KiB. */
const MOST_CHARACTERS = 12_288;

/** The JSON in a header of x402; undefined without the header. Throws `invalid_header`. */
export function readX402Header(req: Request, name: 'PAYMENT-SIGNATURE' | 'SIGN-IN-WITH-X'): unknown {
  const header = req.get(name);
  if (header === undefined) return undefined;
  const isBase64 = header.length <= MOST_CHARACTERS && /^[A-Za-z0-9+/_-]+={0,2}$/.test(header);
  try {
    if (isBase64) return parseStrictJson(Buffer.from(header, 'base64')).value;
  } catch {
    // Refused below.
  }
  throw invalidHeader(name, `${name} takes JSON in base64, at most 12 KiB of it.`);
}
